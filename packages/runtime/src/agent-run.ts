import { AgentError } from "./errors/agent-error.js";
import { EventQueue } from "./events/event-queue.js";
import type { RunError, RunEvent } from "./events/run-events.js";
import type { Emit } from "./run.js";
import type { RunOutcome } from "./run-agent.js";

/**
 * One question under way. It begins when its events are read or its `result` is asked for. Leaving the loop over the
 * events early ends the run, unless the `result` was asked for too.
 */
export class AgentRun<T> implements AsyncIterable<RunEvent> {
  readonly #open: (watch: RunWatch) => Promise<RunOutcome>;
  readonly #events = new EventQueue<RunEvent>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #keepsEvents: boolean;
  #result: Promise<T> | undefined;
  #resultWanted = false;
  #read = false;

  /** @param options `keepsEvents: false` for a run whose events nobody can read. */
  constructor(
    open: (watch: RunWatch) => Promise<RunOutcome>,
    options: { readonly signal: AbortSignal | undefined; readonly keepsEvents?: boolean },
  ) {
    this.#open = open;
    this.#keepsEvents = options.keepsEvents ?? true;
    this.#signal =
      options.signal === undefined ? this.#stop.signal : AbortSignal.any([options.signal, this.#stop.signal]);
  }

  /** The answer. Rejects with what ended the run; events end in `error` then, and do not throw. */
  get result(): Promise<T> {
    this.#resultWanted = true;
    return this.#begin();
  }

  /** Every event from the first one on. Can be read once. */
  [Symbol.asyncIterator](): AsyncIterator<RunEvent, void> {
    if (this.#read) throw new AgentError("the events of a run can be read once", { code: "events-read-twice" });
    this.#read = true;
    void this.#begin();
    return {
      next: () => this.#events.next(),
      // The reader left the loop early.
      return: () => {
        if (!this.#resultWanted) this.#stop.abort();
        this.#events.stopReading();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #begin(): Promise<T> {
    if (this.#result === undefined) {
      this.#result = this.#run();
      // Whoever reads events only has the error in the last one.
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  async #run(): Promise<T> {
    const signal = this.#signal;
    const emit: Emit = (event) => (this.#keepsEvents ? this.#events.push(event) : undefined);
    try {
      signal.throwIfAborted();
      // Raced, so that a run ends at once also when whatever it waits for does not listen to the signal.
      const { done, value } = await orAborted(this.#open({ signal, emit }), signal);
      emit(done);
      return value as T;
    } catch (thrown) {
      const error = signal.aborted
        ? new AgentError("the run was cancelled", { code: "aborted", cause: thrown })
        : thrown;
      emit(terminalEvent(error));
      throw error;
    } finally {
      // What still runs after an abort shows nothing more.
      this.#events.close();
    }
  }
}

/** What a run is given to be stopped by and to show its events to. */
export interface RunWatch {
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
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
