import type { Agent } from "../agent/agent.js";
import { AgentRun } from "../agent/agent-run.js";
import { checkMessages } from "../agent/check-question.js";
import { type AgentDefinition, definitionOf } from "../agent/definition.js";
import type { HumanQueue } from "../agent/handoff.js";
import { AgentError } from "../errors/agent-error.js";
import type { RunDone } from "../events/run-events.js";
import type { Json } from "../manifest/json-schema.js";
import type { Message } from "../model/messages.js";
import type { HistoryWindow } from "./history-window.js";
import { SessionRun } from "./session-run.js";
import type { Session, SessionStore } from "./session-store.js";
import { takeTurn } from "./take-turn.js";

export interface RunnerOptions<T> {
  /** Answers first. Whoever it hands over to keeps the conversation. */
  readonly agent: Agent<T>;
  readonly sessionStore: SessionStore;
  /** What of a long conversation models get. Default: all of it. The store keeps all in any case. */
  readonly window?: HistoryWindow;
  /** How long a turn waits for those before it. Default: without end. */
  readonly waitMs?: number;
}

/** One message of a user. */
export interface Turn {
  readonly sessionId: string;
  readonly message: string;
  readonly signal?: AbortSignal;
  /** What `ToolContext.deps` holds, instead of the agent's own. */
  readonly deps?: unknown;
  /** Replaces the session's metadata when the turn is saved. */
  readonly metadata?: { readonly [name: string]: Json };
}

/** What a turn came to, after it was saved. */
export interface TurnResult<T> extends Omit<RunDone, "type" | "value"> {
  /** The answer: text, or a `T` with a `responseFormat`. */
  readonly value: T;
  /** Who has the conversation now. */
  readonly agentName: string;
}

/**
 * Carries conversations on: loads a session, asks the agent that has it, and saves what came of it. One turn of a session
 * runs at a time. A turn that fails saves nothing, so the next one begins where the last good one ended; what its tools
 * did is not undone.
 *
 * @example
 * import { agent, MemorySessionStore, Runner } from "@callsign/runtime"
 *
 * const assistant = agent("Help customers.", { model: "test/auto" })
 * const runner = new Runner({ agent: assistant, sessionStore: new MemorySessionStore() })
 * const { content, toolCallsExecuted } = await runner.run({ sessionId: "customer-42", message: "Where is my order?" })
 */
export class Runner<T = string> {
  readonly #options: RunnerOptions<T>;

  /** @throws {AgentError} `options-invalid` for an agent that `agent()` did not make, and without a store. */
  constructor(options: RunnerOptions<T>) {
    if (definitionOf(options?.agent) === undefined || typeof options.sessionStore?.load !== "function") {
      throw new AgentError("a Runner takes { agent, sessionStore }: an agent made by agent(), and a session store", {
        code: "options-invalid",
      });
    }
    this.#options = options;
  }

  /**
   * Runs one turn. Calls that need a person's approval are refused unless the agent has an `approve`: nobody sees them.
   *
   * @throws {SessionError} `session-busy`, `session-changed` and what the store throws; what ended the run.
   */
  run(turn: Turn): Promise<TurnResult<T>> {
    return this.#begin(turn, { isWatched: false }).result;
  }

  /** Runs one turn and shows its events, the last one after it was saved. */
  stream(turn: Turn): SessionRun<T> {
    return this.#begin(turn, { isWatched: true });
  }

  #begin(turn: Turn, { isWatched }: { readonly isWatched: boolean }): SessionRun<T> {
    const { sessionStore, waitMs } = this.#options;
    return new SessionRun<T>({
      signal: turn.signal,
      isWatched,
      perform: ({ signal, follow }) =>
        takeTurn(sessionStore, turn.sessionId, {
          signal,
          waitMs,
          turn: () => this.#perform(turn, { signal, follow }),
        }),
    });
  }

  async #perform(
    turn: Turn,
    { signal, follow }: { readonly signal: AbortSignal; readonly follow: (run: AgentRun<T>) => Promise<RunDone> },
  ): Promise<TurnResult<T>> {
    const { sessionStore, window = (messages) => messages } = this.#options;
    const { sessionId, message, deps, metadata } = turn;
    const session = await sessionStore.load(sessionId);
    const history = session?.messages ?? [];
    const queue = this.#queueOf(session);
    if (queue !== undefined) return this.#tellPeople(turn, { session, queue });
    const seen = window(history);
    checkMessages(seen, "what the window keeps");
    const run = new AgentRun<T>(this.#agentOf(session), {
      question: message,
      // Whoever has the conversation, the caller gets what the first agent promises.
      formatOf: definitionOf(this.#options.agent),
      runOptions: {
        signal,
        sessionId,
        history: seen,
        ...(seen === history ? {} : { historyChanged: "the beginning of the conversation fell out of the window" }),
        ...(deps === undefined ? {} : { deps }),
      },
    });
    const { type: _, value: __, ...done } = await follow(run);
    const value = await run.result;
    const messages = await run.messages;
    await sessionStore.save(sessionId, {
      expectedVersion: session?.version ?? 0,
      append: messages.slice(seen.length),
      agentName: run.activeAgent,
      ...(metadata === undefined ? {} : { metadata }),
    });
    return { ...done, value, agentName: run.activeAgent };
  }

  /** What a user says while people have the conversation goes to them; no model is asked. */
  async #tellPeople(
    { sessionId, message, metadata }: Turn,
    { session, queue }: { readonly session: Session | undefined; readonly queue: HumanQueue },
  ): Promise<TurnResult<T>> {
    const said: Message = { role: "user", content: [{ type: "text", text: message }] };
    await queue.enqueue({ sessionId, reason: undefined, messages: [...(session?.messages ?? []), said] });
    await this.#options.sessionStore.save(sessionId, {
      expectedVersion: session?.version ?? 0,
      append: [said],
      agentName: queue.name,
      ...(metadata === undefined ? {} : { metadata }),
    });
    const nothing = { content: "", usage: {}, toolCallsExecuted: 0 };
    return { ...nothing, value: "" as T, stop: "handoff", agentName: queue.name };
  }

  /**
   * Gives a conversation that people had back to the agent.
   *
   * @param reply What the people said last, for the agent to know.
   * @throws {SessionError} `session-busy`, `session-changed` and what the store throws.
   */
  async giveBack(
    sessionId: string,
    options: { readonly reply?: string; readonly waitMs?: number } = {},
  ): Promise<void> {
    const { sessionStore, agent } = this.#options;
    const { reply, waitMs = this.#options.waitMs } = options;
    const turn = async (): Promise<void> => {
      const session = await sessionStore.load(sessionId);
      const said: readonly Message[] =
        reply === undefined ? [] : [{ role: "assistant", content: [{ type: "text", text: reply }] }];
      await sessionStore.save(sessionId, {
        expectedVersion: session?.version ?? 0,
        append: said,
        agentName: definitionOf(agent)?.name ?? "agent",
      });
    };
    await takeTurn(sessionStore, sessionId, { signal: new AbortController().signal, waitMs, turn });
  }

  #queueOf(session: Session | undefined): HumanQueue | undefined {
    for (const target of this.#reachable()) {
      if (definitionOf(target) === undefined && (target as HumanQueue).name === session?.agentName)
        return target as HumanQueue;
    }
    return undefined;
  }

  /** Everybody who may have a conversation that the first agent began. */
  *#reachable(): Generator<unknown> {
    const seen = new Set<unknown>();
    const pending: unknown[] = [this.#options.agent];
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const key = definitionOf(next) ?? next;
      if (seen.has(key)) continue;
      seen.add(key);
      yield next;
      pending.push(...(definitionOf(next)?.options.handoffs ?? []));
    }
  }

  /** The agent that has the conversation, if it can still be reached by handoffs; else the first one. */
  #agentOf(session: Session | undefined): AgentDefinition {
    const first = definitionOf(this.#options.agent) as AgentDefinition;
    if (session?.agentName === undefined) return first;
    for (const target of this.#reachable()) {
      const definition = definitionOf(target);
      if (definition?.name === session.agentName) return definition;
    }
    return first;
  }
}
