import { type Api, ApiError } from "./api.js";
import { type Frame, readFrames } from "./read-frames.js";

export type Connection = "live" | "waiting" | "over";

export interface FollowOptions {
  /** The number of the last event that is known. */
  readonly from: number;
  /** A stream that was begun with the run itself: it has what happened before this page could ask. */
  readonly begun?: Response | undefined;
  readonly signal: AbortSignal;
  onFrame(frame: Frame): void;
  onConnection(connection: Connection): void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Shows a run as it goes on until it has ended. A connection that breaks is made again from the last event on. */
export async function followRun(api: Api, runId: string, options: FollowOptions): Promise<void> {
  const { begun, signal, onFrame, onConnection } = options;
  let { from } = options;
  let waitMs = FIRST_WAIT_MS;
  let response = begun;
  while (!signal.aborted) {
    try {
      response ??= await api.send(
        { path: `runs/${encodeURIComponent(runId)}/stream?detail=full` },
        { signal, lastEventId: from },
      );
      if (response.status === 204 || response.body === null) {
        onConnection("over");
        return;
      }
      onConnection("live");
      for await (const frame of readFrames(response.body, signal)) {
        if (signal.aborted) return;
        waitMs = FIRST_WAIT_MS;
        if (frame.seq !== undefined) {
          if (frame.seq <= from) continue;
          from = frame.seq;
        }
        onFrame(frame);
        if (isLast(frame)) {
          onConnection("over");
          return;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      // What was refused is refused again; what broke, or has no room, is not.
      if (error instanceof ApiError && error.status < 500) throw error;
    }
    // A stream that began with its run ends where the run pauses.
    const isFirst = response !== undefined && response === begun;
    response = undefined;
    if (isFirst) continue;
    onConnection("waiting");
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Whether nothing comes after it. */
export function isLast({ type }: Pick<Frame, "type">): boolean {
  return /^WORKFLOW_(COMPLETED|FAILED|CANCELLED)$/.test(type);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
