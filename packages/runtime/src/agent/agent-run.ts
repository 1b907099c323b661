import { thrownMessage } from "../calls/thrown-message.js";
import { NEVER } from "../durable/active-run.js";
import { currentScope, type Scope } from "../durable/scope.js";
import { AgentError } from "../errors/agent-error.js";
import { EventQueue } from "../events/event-queue.js";
import type { RunError, RunEvent } from "../events/run-events.js";
import type { Message } from "../model/messages.js";
import type { RunOptions } from "./agent-options.js";
import { Approvals } from "./approvals.js";
import { checkQuestion } from "./check-question.js";
import type { AgentDefinition } from "./definition.js";
import type { Emit, Run } from "./run.js";

/** What a run is begun with. */
export interface RunRequest {
  readonly question: string;
  readonly runOptions: RunOptions;
  /** Whether anybody can read events or decide approvals. Default true. */
  readonly isWatched?: boolean;
  /** Whose `responseFormat` the answer has. Default: the agent's own. */
  readonly formatOf?: AgentDefinition | undefined;
}

/**
 * One question under way. It begins when its events are read or its `result` is asked for. Leaving the loop over the
 * events early ends the run, unless the `result` was asked for too or `onLeave` is `detach`.
 *
 * @example
 * import { agent } from "@callsign/runtime"
 *
 * const run = agent("Help.", { model: "anthropic/claude-sonnet-5-5" }).stream("Cancel my order")
 * for await (const event of run) {
 *   if (event.type === "token") process.stdout.write(event.text)
 *   if (event.type === "approval_requested") run.approve(event.id)
 * }
 */
export class AgentRun<T> implements AsyncIterable<RunEvent> {
  readonly #definition: AgentDefinition;
  readonly #request: RunRequest;
  readonly #events = new EventQueue<RunEvent>();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #approvals: Approvals | undefined;
  /** Where in a workflow the question is asked. */
  readonly #scope: Scope | undefined;
  #run: Run | undefined;
  #result: Promise<T> | undefined;
  #resultWanted = false;
  #read = false;

  constructor(definition: AgentDefinition, request: RunRequest) {
    this.#scope = currentScope();
    const signals = [request.runOptions?.signal, this.#scope?.run.signal, this.#stop.signal];
    // What is no signal is refused when the run begins, like everything else that it is begun with.
    const given = signals.filter((signal) => signal instanceof AbortSignal);
    this.#definition = definition;
    this.#request = request;
    this.#approvals = request.isWatched === false ? undefined : new Approvals();
    this.#signal = given.length === 1 ? this.#stop.signal : AbortSignal.any(given);
  }

  /** The answer. Rejects with what ended the run; events end in `error` then, and do not throw. */
  get result(): Promise<T> {
    this.#resultWanted = true;
    return this.#begin();
  }

  /**
   * The conversation with this question and everything that came of it, for `history` of the next one. Kept when the
   * run has ended, however it ended.
   */
  get messages(): Promise<readonly Message[]> {
    return this.#begin().then(
      () => this.#conversation,
      () => this.#conversation,
    );
  }

  /** The name of the agent, or of the queue of people, that has the conversation now. */
  get activeAgent(): string {
    return this.#run?.holder ?? this.#definition.name;
  }

  /** The ids of the calls that wait for `approve` or `deny`. */
  get pendingApprovals(): readonly string[] {
    return this.#approvals?.pending ?? [];
  }

  /**
   * Lets a call run that an event `approval_requested` announced. A decision is final.
   *
   * @throws {AgentError} `approval-unknown`, `approval-decided`.
   */
  approve(callId: string): void {
    this.#approvals?.decide(callId, { approved: true });
  }

  /**
   * Refuses a call that waits; the model is told the reason, and the run goes on.
   *
   * @throws {AgentError} `approval-unknown`, `approval-decided`.
   */
  deny(callId: string, reason?: string): void {
    this.#approvals?.decide(callId, { approved: false, ...(reason === undefined ? {} : { reason }) });
  }

  /** Ends the run; its result rejects with `aborted`. */
  abort(): void {
    this.#stop.abort();
  }

  /** Every event from the first one on. Can be read once. */
  [Symbol.asyncIterator](): AsyncIterator<RunEvent, void> {
    if (this.#read) throw new AgentError("the events of a run can be read once", { code: "events-read-twice" });
    this.#read = true;
    void this.#begin();
    return this.#events.iterate(() => {
      if (!this.#resultWanted && this.#request.runOptions.onLeave !== "detach") this.#stop.abort();
    });
  }

  get #conversation(): readonly Message[] {
    return this.#run?.messages ?? this.#request.runOptions.history ?? [];
  }

  #begin(): Promise<T> {
    if (this.#result === undefined) {
      this.#result = this.#perform();
      // Whoever reads events only has the error in the last one.
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  async #perform(): Promise<T> {
    const signal = this.#signal;
    const { question, runOptions, isWatched, formatOf } = this.#request;
    const workflow = this.#scope?.run;
    // Agents of one name may run in several branches at a time.
    const taskId = `${this.#scope?.prefix ?? ""}${this.#definition.name}`;
    const emit: Emit = (event) => {
      workflow?.showProgress({ taskId, value: event });
      if (isWatched === false) return undefined;
      const behind = this.#events.push(event);
      // Nobody is waited for who does not read.
      return this.#read ? behind : undefined;
    };
    try {
      checkQuestion(question, runOptions);
      signal.throwIfAborted();
      const outcome = this.#definition.start(question, {
        runOptions,
        signal,
        emit,
        approvals: this.#approvals,
        formatOf,
        onStart: (run) => {
          this.#run = run;
        },
      });
      // Raced, so that a run ends at once also when whatever it waits for does not listen to the signal.
      const { done, value } = await orAborted(outcome, signal);
      emit(done);
      return value as T;
    } catch (thrown) {
      // The workflow goes on elsewhere or later; here nothing of it does.
      if (workflow?.isOver === true) return NEVER;
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

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** The last event of a run that failed with this. Never throws, whatever was thrown. */
export function terminalEvent(error: unknown): RunError {
  const type = "error";
  try {
    const { code, message, retryable } = (
      typeof error === "object" && error !== null ? error : {}
    ) as Partial<RunError>;
    return {
      type,
      code: typeof code === "string" ? code : "unexpected",
      message: typeof message === "string" ? message : thrownMessage(error),
      retryable: retryable === true,
    };
  } catch {
    return { type, code: "unexpected", message: thrownMessage(error), retryable: false };
  }
}
