import type { RunNotice } from "../durable/event-bus.js";
import type { LogEvent } from "../durable/log-events.js";
import type { Json } from "../manifest/json-schema.js";

/** One server-sent event: what a client of a run reads as `data`. */
export interface Frame {
  /** Of stored events: their number, for `Last-Event-ID`. */
  readonly id?: number;
  readonly data: {
    readonly type: string;
    readonly value?: Json;
    readonly name?: string;
    readonly taskId?: string;
    readonly time?: number;
  };
}

/** Progress as frames have it: a token bare, everything else as it is. */
export function progressFrame(value: unknown): Frame {
  const { type, text } = (typeof value === "object" && value !== null ? value : {}) as {
    type?: unknown;
    text?: unknown;
  };
  return { data: { type: "TASK_PROGRESS", value: type === "token" ? { token: String(text) } : (value as Json) } };
}

export function storedFrame({ seq, type, value, name, taskId }: LogEvent): Frame {
  return {
    id: seq,
    data: {
      type,
      ...(value === undefined ? {} : { value }),
      ...(name === undefined ? {} : { name }),
      ...(taskId === undefined ? {} : { taskId }),
    },
  };
}

export function writeFrame({ id, data }: Frame): string {
  return `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export interface StreamOptions {
  /** `progress`: what is only shown, and how the run fares; `all`: every stored event as well. */
  readonly show: "progress" | "all";
  /** Whether stored events say their time, and progress whose it is. */
  readonly detail: boolean;
  /** Tokens that come within this time of the first one are one frame. Milliseconds. Default: each at once. */
  readonly batchMs?: number;
  /** A comment goes out when nothing else did for so long, so that no proxy takes the connection for dead. */
  readonly keepAliveMs: number;
  /** Called when the stream is over, however it ends. */
  readonly onEnd?: () => void;
}

const TIME = Symbol("time");

/** The text of an event stream. Ends with the events, or when the client is gone. */
export async function* writeFrames(
  events: AsyncIterator<RunNotice, void>,
  options: StreamOptions,
): AsyncGenerator<string, void> {
  const { show, detail, batchMs, keepAliveMs, onEnd } = options;
  const keepAlive = new Alarm(keepAliveMs);
  const batch = new Alarm(batchMs ?? 0);
  let tokens = "";
  let tokensOf: string | undefined;
  const takeTokens = (): string => {
    const text = tokenFrame(tokens, tokensOf);
    tokens = "";
    return text;
  };
  let next: Promise<IteratorResult<RunNotice, void>> | undefined;
  try {
    for (;;) {
      next ??= events.next();
      if (tokens === "") keepAlive.start();
      const step = await (tokens === "" ? keepAlive : batch).orElse(next);
      if (step === TIME) {
        yield tokens === "" ? ": keep-alive\n\n" : takeTokens();
        continue;
      }
      next = undefined;
      if (step.done) break;
      const notice = step.value;
      if (batchMs !== undefined) {
        const token = tokenIn(notice);
        if (token !== undefined) {
          const taskId = detail ? taskOf(notice) : undefined;
          if (tokens !== "" && taskId !== tokensOf) yield takeTokens();
          if (tokens === "") batch.start();
          tokens += token;
          tokensOf = taskId;
          continue;
        }
      }
      if (notice.kind === "stored" && show === "progress" && !isAboutTheRun(notice.event)) continue;
      if (tokens !== "") yield takeTokens();
      yield textOf(notice, detail);
    }
    if (tokens !== "") yield takeTokens();
  } finally {
    keepAlive.off();
    batch.off();
    await events.return?.();
    onEnd?.();
  }
}

/** One text for all who read a run: with a thousand of them it is made once. */
const texts = new WeakMap<RunNotice, string>();
const detailedTexts = new WeakMap<RunNotice, string>();

function textOf(notice: RunNotice, detail: boolean): string {
  const known = detail ? detailedTexts : texts;
  let text = known.get(notice);
  if (text === undefined) {
    text = writeFrame(detail ? withDetail(frameOf(notice), notice) : frameOf(notice));
    known.set(notice, text);
  }
  return text;
}

function frameOf(notice: RunNotice): Frame {
  return notice.kind === "stored" ? storedFrame(notice.event) : progressFrame(notice.progress.value);
}

function withDetail(frame: Frame, notice: RunNotice): Frame {
  if (notice.kind === "stored") return { ...frame, data: { ...frame.data, time: notice.event.time } };
  const taskId = taskOf(notice);
  return taskId === undefined ? frame : { ...frame, data: { ...frame.data, taskId } };
}

function taskOf(notice: RunNotice): string | undefined {
  return notice.kind === "progress" ? notice.progress.taskId : notice.event.taskId;
}

function tokenIn(notice: RunNotice): string | undefined {
  if (notice.kind !== "progress") return undefined;
  const { token } = (progressFrame(notice.progress.value).data.value ?? {}) as { readonly token?: string };
  return token;
}

/** How a run fares is for everybody; its tasks are in its log. */
function isAboutTheRun({ type }: LogEvent): boolean {
  return /^WORKFLOW_(COMPLETED|FAILED|CANCELLED|PAUSED)$/.test(type) || type === "TASK_AWAITING_APPROVAL";
}

function tokenFrame(token: string, taskId: string | undefined): string {
  return writeFrame({
    data: { type: "TASK_PROGRESS", value: { token }, ...(taskId === undefined ? {} : { taskId }) },
  });
}

/** A time limit for one promise after another, with one timer for all of them. */
class Alarm {
  readonly #ms: number;
  #timer: NodeJS.Timeout | undefined;
  #hasRung = false;
  #ring: (() => void) | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** From now on it takes so long. */
  start(): void {
    this.#hasRung = false;
    if (this.#timer !== undefined) this.#timer.refresh();
    else {
      this.#timer = setTimeout(() => {
        this.#hasRung = true;
        this.#ring?.();
      }, this.#ms);
    }
  }

  /** What the promise gives, or `TIME` when the time is over before. */
  orElse<T>(promise: Promise<T>): Promise<T | typeof TIME> {
    return new Promise((resolve, reject) => {
      this.#ring = () => resolve(TIME);
      if (this.#hasRung) resolve(TIME);
      else promise.then(resolve, reject);
    });
  }

  off(): void {
    clearTimeout(this.#timer);
    this.#ring = undefined;
  }
}
