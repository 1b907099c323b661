import type { RunNotice } from "../durable/event-bus.js";
import type { LogEvent } from "../durable/log-events.js";
import type { Json } from "../manifest/json-schema.js";

/** One server-sent event: what a client of a run reads as `data`. */
export interface Frame {
  /** Of stored events: their number, for `Last-Event-ID`. */
  readonly id?: number;
  readonly data: { readonly type: string; readonly value?: Json; readonly name?: string; readonly taskId?: string };
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
  /** Tokens that come within this time are one frame. Milliseconds. Default: each at once. */
  readonly batchMs?: number;
  /** A comment goes out when nothing else did for so long, so that no proxy takes the connection for dead. */
  readonly keepAliveMs: number;
  readonly signal: AbortSignal;
}

type Timed = { readonly kind: "notice"; readonly step: IteratorResult<RunNotice, void> } | { readonly kind: "time" };

/** The text of an event stream. Ends with the events, or when the client is gone. */
export async function* writeFrames(
  events: AsyncIterator<RunNotice, void>,
  options: StreamOptions,
): AsyncGenerator<string, void> {
  const { show, batchMs, keepAliveMs } = options;
  let tokens = "";
  let next: Promise<Timed> | undefined;
  try {
    for (;;) {
      next ??= events.next().then((step) => ({ kind: "notice" as const, step }));
      const timed = await orAfter(next, tokens === "" || batchMs === undefined ? keepAliveMs : batchMs);
      if (timed.kind === "time") {
        yield tokens === "" ? ": keep-alive\n\n" : tokenFrame(tokens);
        tokens = "";
        continue;
      }
      next = undefined;
      if (timed.step.done) break;
      const notice = timed.step.value;
      if (notice.kind === "progress") {
        const frame = progressFrame(notice.progress.value);
        const { token } = (frame.data.value ?? {}) as { token?: string };
        if (batchMs !== undefined && token !== undefined) {
          tokens += token;
          continue;
        }
        if (tokens !== "") yield tokenFrame(tokens);
        tokens = "";
        yield writeFrame(frame);
        continue;
      }
      if (show === "progress" && !isAboutTheRun(notice.event)) continue;
      if (tokens !== "") yield tokenFrame(tokens);
      tokens = "";
      yield writeFrame(storedFrame(notice.event));
    }
    if (tokens !== "") yield tokenFrame(tokens);
  } finally {
    await events.return?.();
  }
}

/** How a run fares is for everybody; its tasks are in its log. */
function isAboutTheRun({ type }: LogEvent): boolean {
  return /^WORKFLOW_(COMPLETED|FAILED|CANCELLED|PAUSED)$/.test(type) || type === "TASK_AWAITING_APPROVAL";
}

const tokenFrame = (token: string): string => writeFrame({ data: { type: "TASK_PROGRESS", value: { token } } });

function orAfter(promise: Promise<Timed>, ms: number): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve({ kind: "time" }), ms);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
