import type { Json } from "../manifest/json-schema.js";
import type { Message } from "../model/messages.js";

/** What is known of a session without its messages. */
export interface SessionSummary {
  readonly id: string;
  /** Of the agent that takes the next turn; absent before the first handoff was saved. */
  readonly agentName?: string;
  /** The user's own, JSON. */
  readonly metadata: { readonly [name: string]: Json };
  readonly messageCount: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** 1 after the first save, one more after each. */
  readonly version: number;
}

/** A session with its whole history, oldest message first. */
export interface Session extends SessionSummary {
  readonly messages: readonly Message[];
}

/** What a save changes. What it does not name stays as it is. */
export interface SessionChange {
  /** `version` of the session when it was loaded; 0 for one that does not exist yet. */
  readonly expectedVersion: number;
  /** How many of the stored messages stay, from the oldest; the others are removed. Default: all. */
  readonly keep?: number;
  /** Put after those that stay. */
  readonly append?: readonly Message[];
  readonly agentName?: string;
  /** Replaces the metadata as a whole. */
  readonly metadata?: { readonly [name: string]: Json };
}

export interface SessionPage {
  readonly sessions: readonly SessionSummary[];
  /** Give it to the next `list`; absent on the last page. */
  readonly cursor?: string;
}

/** Who holds a session, and for how long without renewal. */
export interface SessionClaim {
  /** Unique to the turn. */
  readonly holder: string;
  readonly leaseMs: number;
}

/**
 * Keeps conversations. An id is any text of 1 to 512 characters without NUL and lone surrogates. Messages are JSON and
 * come back verbatim, also the order of their keys: providers sign parts of them.
 *
 * Implement it for a database of one's own and check it with `testSessionStore` of `@callsign/runtime/testing`.
 */
export interface SessionStore {
  /** @throws {SessionError} `session-corrupt`: never a part of a history. */
  load(id: string): Promise<Session | undefined>;
  /**
   * Saves everything or nothing; what is on its way to a reader is not changed by it.
   *
   * @throws {SessionError} `session-changed` when the stored version is not the expected one, `session-not-json`.
   */
  save(id: string, change: SessionChange): Promise<SessionSummary>;
  /** @returns Whether there was one. */
  delete(id: string): Promise<boolean>;
  /** Last updated first. `limit`: 1 to 1000, default 50. */
  list(options?: { readonly limit?: number; readonly cursor?: string }): Promise<SessionPage>;
  /**
   * Takes or renews a lease, so that turns of several processes do not run at the same time. Correctness does not rest
   * on it but on `expectedVersion`: without it, the later of two turns runs in vain. The session need not exist.
   *
   * @returns False while another holder's lease lasts.
   */
  claim?(id: string, claim: SessionClaim): Promise<boolean>;
  /** Gives up a lease, if it is still this holder's. */
  release?(id: string, holder: string): Promise<void>;
  close?(): Promise<void>;
}
