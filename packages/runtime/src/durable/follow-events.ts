import type { EventQueue } from "../events/event-queue.js";
import type { RunNotice } from "./event-bus.js";
import type { LogEvent } from "./log-events.js";
import { hasEnded, type RunRecord, type RunStore } from "./run-store.js";

export interface EventsOptions {
  /** The number of the event after which to begin. Default 0. */
  readonly from?: number;
  /** Whether it is over also when the run pauses. */
  readonly untilPaused?: boolean;
  readonly signal?: AbortSignal;
}

/** Where the events of a run come from. */
export interface RunSource {
  readonly store: RunStore;
  /** What happens in this process, from before the first look at the store. */
  readonly queue: EventQueue<RunNotice>;
  /** @throws {WorkflowError} `run-unknown`. */
  get(): Promise<RunRecord>;
  /** Whether this process executes the run, so that all that happens is in the queue. */
  isHere(): boolean;
  /** Called when nobody reads any more. */
  onEnd(): void;
}

const TICK: RunNotice = { kind: "progress", progress: { taskId: undefined, value: null } };

/** Runs of other processes are not in the queue: it gets a tick, soon, and each one asked for later than the last. */
function tickInto(queue: EventQueue<RunNotice>): { next(): void; stop(): void } {
  let pollMs = 50;
  const tick = (): NodeJS.Timeout => setTimeout(() => void queue.push(TICK), pollMs);
  let timer = tick();
  return {
    next: () => {
      pollMs = Math.min(pollMs * 2, 1_000);
      timer = tick();
    },
    stop: () => clearTimeout(timer),
  };
}

const isRunEnd = ({ type }: LogEvent): boolean => /^WORKFLOW_(COMPLETED|FAILED|CANCELLED)$/.test(type);

/** What `untilEnded` wants to hear of a run: a thousand tasks are nothing to wake up for. */
export const tellsEnd = (notice: RunNotice): boolean => notice.kind === "stored" && isRunEnd(notice.event);

/** The run once it has ended; as it is when the engine stops. @param source Its queue may hold `tellsEnd` alone. */
export async function untilEnded({ queue, get, isHere, onEnd }: Omit<RunSource, "store">): Promise<RunRecord> {
  const ticks = tickInto(queue);
  try {
    let run = await get();
    while (!hasEnded(run.state)) {
      const next = await queue.next();
      if (next.done) return await get();
      const isTick = next.value === TICK;
      if (!isTick || !isHere()) run = await get();
      if (isTick) ticks.next();
    }
    return run;
  } finally {
    ticks.stop();
    onEnd();
  }
}

/** The stored events of a run, then those to come, without a gap, and what is only shown meanwhile. */
export async function* followEvents(
  runId: string,
  { store, queue, get, isHere, onEnd }: RunSource,
  options: EventsOptions,
): AsyncGenerator<RunNotice, void> {
  let seen = options.from ?? 0;
  const { signal } = options;
  const onAbort = (): void => queue.close();
  signal?.addEventListener("abort", onAbort, { once: true });
  const isLast = (event: LogEvent): boolean =>
    isRunEnd(event) || (options.untilPaused === true && event.type === "WORKFLOW_PAUSED");
  const ticks = tickInto(queue);
  try {
    const { state } = await get();
    let stored = await store.load(runId, seen);
    // Whoever has seen the last event waits for nothing.
    if (stored.length === 0 && hasEnded(state)) return;
    for (;;) {
      for (const event of stored) {
        if (event.seq <= seen) continue;
        seen = event.seq;
        yield { kind: "stored", event };
        if (isLast(event) && event.seq === (stored.at(-1)?.seq ?? seen)) return;
      }
      stored = [];
      const next = await queue.next();
      if (next.done || signal?.aborted === true) return;
      if (next.value === TICK) {
        if (!isHere()) stored = await store.load(runId, seen);
        ticks.next();
      } else if (next.value.kind === "progress") yield next.value;
      else if (next.value.event.seq === seen + 1) stored = [next.value.event];
      else if (next.value.event.seq > seen) stored = await store.load(runId, seen);
    }
  } finally {
    ticks.stop();
    signal?.removeEventListener("abort", onAbort);
    onEnd();
  }
}
