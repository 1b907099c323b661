import { EventQueue } from "../events/event-queue.js";
import type { RunProgressEvent } from "./active-run.js";
import type { LogEvent } from "./log-events.js";

/** What a reader of a run gets: what is stored, and what is only shown. */
export type RunNotice =
  | { readonly kind: "stored"; readonly event: LogEvent }
  | { readonly kind: "progress"; readonly progress: RunProgressEvent };

type Wanted = (notice: RunNotice) => boolean;

/** A reader that is so far behind gets no more. */
const MOST_BEHIND = 10_000;

/** Passes on what happens to runs in this process. Nobody waits for a reader: one that is too far behind is let go. */
export class EventBus {
  readonly #readers = new Map<string, Map<EventQueue<RunNotice>, Wanted>>();

  publish(runId: string, notice: RunNotice): void {
    for (const [queue, isWanted] of this.#readers.get(runId) ?? []) {
      if (!isWanted(notice)) continue;
      // Its reader comes again and begins where it was.
      if (queue.waiting >= MOST_BEHIND) queue.close();
      else void queue.push(notice);
    }
  }

  /** @returns The queue; call `unsubscribe` when it is not read any more. */
  subscribe(runId: string, isWanted: Wanted = () => true): EventQueue<RunNotice> {
    const queue = new EventQueue<RunNotice>();
    const known = this.#readers.get(runId);
    if (known === undefined) this.#readers.set(runId, new Map([[queue, isWanted]]));
    else known.set(queue, isWanted);
    return queue;
  }

  unsubscribe(runId: string, queue: EventQueue<RunNotice>): void {
    queue.stopReading();
    const known = this.#readers.get(runId);
    known?.delete(queue);
    if (known?.size === 0) this.#readers.delete(runId);
  }

  close(): void {
    for (const queues of this.#readers.values()) for (const queue of queues.keys()) queue.close();
    this.#readers.clear();
  }
}
