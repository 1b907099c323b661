import type { StoredEvent } from "./stored-event.js";

/**
 * Where on a run's own time its events are. While a run is paused, nothing of it is executed, and its clock stands: else a
 * night's wait for an approval would leave no room for the rest.
 */
export class RunClock {
  readonly #at = new Map<number, number>();
  readonly #starts = new Map<string, number>();
  readonly #spans = new Map<number, number>();
  #now = 0;
  #last: StoredEvent | undefined;

  /** Milliseconds of the run's own time until its last event. */
  get end(): number {
    return this.#now;
  }

  add(event: StoredEvent): void {
    const { seq, type, time, taskId } = event;
    if (this.#last !== undefined && !this.#isStanding) this.#now += Math.max(0, time - this.#last.time);
    if (type === "WORKFLOW_PAUSED") this.#isStanding = true;
    else if (type === "WORKFLOW_RESUMED") this.#isStanding = false;
    this.#last = event;
    this.#at.set(seq, this.#now);
    if (taskId === undefined) return;
    if (!this.#starts.has(taskId)) this.#starts.set(taskId, this.#now);
    if (/^TASK_(COMPLETED|FAILED)$/.test(type)) this.#spans.set(seq, this.#starts.get(taskId) ?? this.#now);
  }

  #isStanding = false;

  /** From when to when, as parts of the whole: of an end of a task the whole task. */
  span({ seq }: StoredEvent): { readonly from: number; readonly to: number } {
    const whole = Math.max(1, this.#now);
    const to = (this.#at.get(seq) ?? 0) / whole;
    return { from: (this.#spans.get(seq) ?? this.#at.get(seq) ?? 0) / whole, to };
  }
}
