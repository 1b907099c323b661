import { type ListOptions, readListOptions, type SessionPosition, writeCursor } from "./session-cursor.js";
import {
  checkSessionId,
  expectVersion,
  messagesKept,
  readMessages,
  readMetadata,
  writeChange,
} from "./session-json.js";
import type {
  Session,
  SessionChange,
  SessionClaim,
  SessionPage,
  SessionStore,
  SessionSummary,
} from "./session-store.js";

interface StoredSession {
  readonly version: number;
  readonly agentName: string | undefined;
  readonly metadata: string;
  /** JSON texts, so that nobody's later change of a message reaches the store. */
  readonly messages: readonly string[];
  readonly createdMs: number;
  readonly updatedMs: number;
}

/**
 * Keeps sessions as long as the process lives. For tests, scripts and single-process servers.
 *
 * @example
 * import { MemorySessionStore } from "@callsign/runtime"
 *
 * const store = new MemorySessionStore()
 * const message = { role: "user", content: [{ type: "text", text: "Hello" }] } as const
 * await store.save("customer-42", { expectedVersion: 0, append: [message] })
 * console.log((await store.load("customer-42"))?.messages.length) // 1
 */
export class MemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, StoredSession>();
  readonly #claims = new Map<string, { readonly holder: string; readonly untilMs: number }>();
  readonly #now: () => number;

  /** @param options `now`: milliseconds since 1970. Default: the clock. */
  constructor(options: { readonly now?: () => number } = {}) {
    this.#now = options.now ?? Date.now;
  }

  async load(id: string): Promise<Session | undefined> {
    checkSessionId(id);
    const stored = this.#sessions.get(id);
    return stored && { ...summarize(id, stored), messages: readMessages(id, stored.messages) };
  }

  async save(id: string, change: SessionChange): Promise<SessionSummary> {
    const written = writeChange(id, change);
    const stored = this.#sessions.get(id);
    expectVersion(id, { stored: stored?.version ?? 0, expected: written.expectedVersion });
    const before = stored?.messages ?? [];
    const kept = messagesKept(id, { stored: before.length, keep: written.keep });
    const now = this.#now();
    const next: StoredSession = {
      version: written.expectedVersion + 1,
      agentName: written.agentName ?? stored?.agentName,
      metadata: written.metadata ?? stored?.metadata ?? "{}",
      messages: [...before.slice(0, kept), ...written.append],
      createdMs: stored?.createdMs ?? now,
      updatedMs: now,
    };
    this.#sessions.set(id, next);
    return summarize(id, next);
  }

  async delete(id: string): Promise<boolean> {
    checkSessionId(id);
    return this.#sessions.delete(id);
  }

  async list(options: ListOptions = {}): Promise<SessionPage> {
    const { limit, after } = readListOptions(options);
    const sorted = [...this.#sessions]
      .map(([id, stored]) => ({ id, stored, updatedMs: stored.updatedMs }))
      .sort(compare)
      .filter((session) => after === undefined || compare(session, after) > 0);
    const page = sorted.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map(({ id, stored }) => summarize(id, stored)),
      ...(last === undefined || sorted.length <= limit ? {} : { cursor: writeCursor(last) }),
    };
  }

  async claim(id: string, { holder, leaseMs }: SessionClaim): Promise<boolean> {
    checkSessionId(id);
    const now = this.#now();
    const claim = this.#claims.get(id);
    if (claim !== undefined && claim.holder !== holder && claim.untilMs > now) return false;
    this.#claims.set(id, { holder, untilMs: now + leaseMs });
    return true;
  }

  async release(id: string, holder: string): Promise<void> {
    checkSessionId(id);
    if (this.#claims.get(id)?.holder === holder) this.#claims.delete(id);
  }
}

/** Last updated first; ties in the order of UTF-8, as in a database. */
function compare(a: SessionPosition, b: SessionPosition): number {
  return b.updatedMs - a.updatedMs || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}

function summarize(id: string, stored: StoredSession): SessionSummary {
  return {
    id,
    ...(stored.agentName === undefined ? {} : { agentName: stored.agentName }),
    metadata: readMetadata(id, stored.metadata),
    messageCount: stored.messages.length,
    createdAt: new Date(stored.createdMs).toISOString(),
    updatedAt: new Date(stored.updatedMs).toISOString(),
    version: stored.version,
  };
}
