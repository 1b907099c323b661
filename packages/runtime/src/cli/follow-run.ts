import type { Engine } from "../durable/engine.js";
import type { RunNotice } from "../durable/event-bus.js";
import { hasEnded, type RunRecord } from "../durable/run-store.js";
import { type WaitingRun, waitingFor } from "./waiting-for.js";

/** What became of a run while it was followed. */
export type Followed =
  | { readonly kind: "ended"; readonly run: RunRecord }
  | { readonly kind: "waits"; readonly run: RunRecord; readonly waiting: readonly WaitingRun[] }
  | { readonly kind: "interrupted"; readonly run: RunRecord };

export interface FollowOptions {
  /** The number of the last event that is known. */
  readonly from: number;
  readonly signal: AbortSignal;
  /** Begins the run, or tells it what it waits for: it is watched already. */
  begin(): Promise<void>;
  show(notice: RunNotice): void;
}

const LOOK_EVERY_MS = 150;

/** Shows what happens in a run until it has ended, or goes no further without a person. */
export async function followRun(engine: Engine, runId: string, options: FollowOptions): Promise<Followed> {
  const { from, begin, show } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const events = engine.events(runId, { from, signal });
  await begin();
  const people = untilPeople(engine, runId, signal).finally(() => stop.abort());
  // Awaited below; a store that fails meanwhile is told of there.
  people.catch(() => {});
  for await (const notice of events) show(notice);
  stop.abort();
  const waiting = await people;
  const run = await engine.get(runId);
  if (hasEnded(run.state)) return { kind: "ended", run };
  return waiting.length > 0 ? { kind: "waits", run, waiting } : { kind: "interrupted", run };
}

/** Kept when the run, and those that it called, wait for people and for nothing else; empty when it was ended before. */
async function untilPeople(engine: Engine, runId: string, signal: AbortSignal): Promise<readonly WaitingRun[]> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, LOOK_EVERY_MS);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done);
    });
    const waiting = signal.aborted ? [] : await waitingFor(engine, runId);
    if (waiting !== undefined && waiting.length > 0) return waiting;
  }
  return [];
}
