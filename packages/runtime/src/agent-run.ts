import { AgentError } from "./errors/agent-error.js";
import { EventQueue } from "./events/event-queue.js";
import type { RunError, RunEvent } from "./events/run-events.js";
import type { RunOutcome } from "./run-agent.js";

/**
 * One question under way. It begins when its events are read or its `result` is asked for. Leaving the loop over the
 * events early ends the run, unless the `result` was asked for too.
 */
export class AgentRun<T> implements AsyncIterable<RunEvent> {
  readonly #open: (signal: AbortSignal) => AsyncGenerator<RunEvent, RunOutcome>;
  readonly #events = new EventQueue<RunEvent>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #result: Promise<T> | undefined;
  #resultWanted = false;
  #read = false;

  constructor(open: (signal: AbortSignal) => AsyncGenerator<RunEvent, RunOutcome>, signal?: AbortSignal) {
    this.#open = open;
    this.#signal = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
  }

  /** The answer. Rejects with what ended the run; events end in `error` then, and do not throw. */
  get result(): Promise<T> {
    this.#resultWanted = true;
    return this.#begin();
  }

  /** Every event from the first one on. Can be read once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void> {
    if (this.#read) throw new AgentError("the events of a run can be read once", { code: "events-read-twice" });
    this.#read = true;
    void this.#begin();
    let whole = false;
    try {
      yield* this.#events;
      whole = true;
    } finally {
      if (!whole && !this.#resultWanted) this.#stop.abort();
    }
  }

  #begin(): Promise<T> {
    if (this.#result === undefined) {
      this.#result = this.#pump();
      // Whoever reads events only has the error in the last one.
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  async #pump(): Promise<T> {
    // Raced, so that a run ends at once also when whatever it waits for does not listen to the signal.
    const abortion = new Promise<never>((_, reject) => {
      this.#signal.addEventListener("abort", () => reject(this.#signal.reason), { once: true });
    });
    abortion.catch(() => {});
    const generator = this.#open(this.#signal);
    try {
      for (;;) {
        this.#signal.throwIfAborted();
        const step = await Promise.race([abortion, generator.next()]);
        if (step.done) {
          this.#events.push(step.value.done);
          return step.value.value as T;
        }
        this.#events.push(step.value);
      }
    } catch (thrown) {
      const error = this.#signal.aborted
        ? new AgentError("the run was cancelled", { code: "aborted", cause: thrown })
        : thrown;
      this.#events.push(terminalEvent(error));
      throw error;
    } finally {
      this.#events.close();
    }
  }
}

function terminalEvent(error: unknown): RunError {
  const { code, message, retryable } = (typeof error === "object" && error !== null ? error : {}) as Partial<RunError>;
  return {
    type: "error",
    code: typeof code === "string" ? code : "unexpected",
    message: typeof message === "string" ? message : String(error),
    retryable: retryable === true,
  };
}
