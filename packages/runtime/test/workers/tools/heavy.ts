import { isMainThread, threadId } from "node:worker_threads";
import { readStart } from "./start.js";

export const where = (): { main: boolean; thread: number } => ({ main: isMainThread, thread: threadId });

export function endless(): never {
  for (;;);
}

export const codecs = (day: Date, amounts: Map<string, bigint>, from: URL): Map<string, Date | bigint> => {
  if (!(day instanceof Date) || !(amounts instanceof Map) || !(from instanceof URL)) throw new TypeError("not decoded");
  return new Map<string, Date | bigint>([["day", day], ...amounts]);
};

enum Mode {
  Quick = "quick",
}

export const limits = { static: { double: (x = readStart()): number => x * 2 }, mode: (): string => Mode.Quick };

// biome-ignore lint/complexity/noStaticOnlyClass: static methods are what is tested
export class Counter {
  static base = 10;
  static add(x: number): number {
    // biome-ignore lint/complexity/noThisInStatic: that `this` is the class is what is tested
    return this.base + x;
  }
}

export function fails(kind: string): unknown {
  if (kind === "exit") process.exit(3);
  if (kind === "memory") {
    const all: unknown[] = [];
    for (;;) all.push(new Array(100_000).fill({}).map((_, index) => ({ index })));
  }
  if (kind === "cycle") {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    return cycle;
  }
  if (kind === "string") throw "bare";
  throw new RangeError(`no ${kind}`);
}

interface Context {
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly sessionId?: string;
  readonly deps: unknown;
  readonly signal: AbortSignal;
  progress(value: unknown): void;
}

export async function tells(context: Context): Promise<unknown> {
  for (let step = 1; step <= 3; step += 1) context.progress({ step, at: new Date(step) });
  const { callId, idempotencyKey, sessionId, deps } = context;
  return { callId, idempotencyKey, sessionId, deps, aborted: context.signal.aborted };
}

export async function* days(count: number): AsyncGenerator<Date> {
  for (let day = 0; day < count; day += 1) yield new Date(day * 86_400_000);
}
