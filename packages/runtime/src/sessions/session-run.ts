import { type AgentRun, terminalEvent } from "../agent/agent-run.js";
import { AgentError } from "../errors/agent-error.js";
import { EventQueue } from "../events/event-queue.js";
import type { RunDone, RunEvent } from "../events/run-events.js";
import type { TurnResult } from "./runner.js";

export interface SessionRunOptions<T> {
  readonly signal: AbortSignal | undefined;
  /** Whether anybody can read events and decide approvals. */
  readonly isWatched: boolean;
  /** Waits for its turn, runs it and saves it; `follow` shows the events of the run and gives its last one. */
  perform(turn: {
    readonly signal: AbortSignal;
    readonly follow: (run: AgentRun<T>) => Promise<RunDone>;
  }): Promise<TurnResult<T>>;
}

/**
 * One turn of a session under way. It begins when its events are read or its `result` is asked for; leaving the loop over
 * the events early ends it, unless its `result` was asked for too.
 */
export class SessionRun<T> implements AsyncIterable<RunEvent> {
  readonly #options: SessionRunOptions<T>;
  readonly #events = new EventQueue<RunEvent>();
  readonly #stop = new AbortController();
  #run: AgentRun<T> | undefined;
  #done: RunDone | undefined;
  #result: Promise<TurnResult<T>> | undefined;
  #resultWanted = false;
  #read = false;

  constructor(options: SessionRunOptions<T>) {
    this.#options = options;
  }

  /** Kept when the turn was saved. Rejects with what ended it. */
  get result(): Promise<TurnResult<T>> {
    this.#resultWanted = true;
    return this.#begin();
  }

  /** The ids of the calls that wait for `approve` or `deny`. */
  get pendingApprovals(): readonly string[] {
    return this.#run?.pendingApprovals ?? [];
  }

  /** Lets a call run that an event `approval_requested` announced. */
  approve(callId: string): void {
    this.#run?.approve(callId);
  }

  /** Refuses a call that waits; the model is told the reason. */
  deny(callId: string, reason?: string): void {
    this.#run?.deny(callId, reason);
  }

  abort(): void {
    this.#stop.abort();
  }

  /** The events from now on; `done` comes after the turn was saved. Can be read once. */
  [Symbol.asyncIterator](): AsyncIterator<RunEvent, void> {
    if (this.#read) throw new AgentError("the events of a run can be read once", { code: "events-read-twice" });
    this.#read = true;
    void this.#begin();
    return this.#events.iterate(() => {
      if (!this.#resultWanted) this.#stop.abort();
    });
  }

  #begin(): Promise<TurnResult<T>> {
    if (this.#result === undefined) {
      this.#result = this.#perform();
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  async #perform(): Promise<TurnResult<T>> {
    const { signal, perform } = this.#options;
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    try {
      const result = await perform({ signal: stop, follow: (run) => this.#follow(run) });
      if (this.#done !== undefined) this.#show(this.#done);
      return result;
    } catch (thrown) {
      const cancelled = stop.aborted && !(thrown instanceof AgentError);
      const error = cancelled ? new AgentError("the run was cancelled", { code: "aborted", cause: thrown }) : thrown;
      this.#show(terminalEvent(error));
      throw error;
    } finally {
      this.#events.close();
    }
  }

  async #follow(run: AgentRun<T>): Promise<RunDone> {
    this.#run = run;
    const { result } = run;
    for await (const event of run) {
      if (event.type === "done") this.#done = event;
      else if (event.type !== "error") await this.#show(event);
      if (event.type === "approval_requested" && !this.#options.isWatched && run.pendingApprovals.includes(event.id)) {
        run.deny(event.id, "nobody can be asked here");
      }
    }
    await result;
    return this.#done as RunDone;
  }

  #show(event: RunEvent): Promise<void> | undefined {
    return this.#options.isWatched && this.#read ? this.#events.push(event) : undefined;
  }
}
