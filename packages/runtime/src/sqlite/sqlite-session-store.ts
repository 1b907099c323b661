import type { DatabaseSync, StatementSync } from "node:sqlite";
import { SessionError } from "../errors/session-error.js";
import { type ListOptions, readListOptions, writeCursor } from "../sessions/session-cursor.js";
import {
  checkSessionId,
  corrupt,
  expectVersion,
  messagesKept,
  readMessages,
  readMetadata,
  writeChange,
} from "../sessions/session-json.js";
import type {
  Session,
  SessionChange,
  SessionClaim,
  SessionPage,
  SessionStore,
  SessionSummary,
} from "../sessions/session-store.js";
import { LaterVersion } from "./migrate.js";
import { inTransaction, isLocked, openDatabase, SqliteMissing, withRetries } from "./open-database.js";
import { rollBack } from "./roll-back.js";

const MIGRATIONS = {
  component: "sessions",
  steps: [
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      version INTEGER NOT NULL,
      agent_name TEXT,
      metadata TEXT NOT NULL,
      message_count INTEGER NOT NULL,
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_update ON sessions (updated_ms DESC, id);
    CREATE TABLE session_messages (
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      message TEXT NOT NULL,
      PRIMARY KEY (session_id, position)
    ) STRICT;
    CREATE TABLE session_claims (
      session_id TEXT PRIMARY KEY,
      holder TEXT NOT NULL,
      until_ms INTEGER NOT NULL
    ) STRICT;`,
  ],
};

export interface SqliteSessionStoreOptions {
  /** How long to wait for another process that writes. Default 5000. */
  readonly lockTimeoutMs?: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/**
 * Keeps sessions in a SQLite file (by `node:sqlite`), which several processes of one machine may share. The file is
 * made when it is missing, and opened at the first use.
 *
 * @example
 * import { SqliteSessionStore } from "@callsign/runtime/sqlite"
 *
 * const store = new SqliteSessionStore("sessions.db")
 * const session = await store.load("customer-42")
 * console.log(session?.messages.length ?? "a new customer")
 * await store.close()
 */
export class SqliteSessionStore implements SessionStore {
  readonly #path: string;
  readonly #lockTimeoutMs: number;
  readonly #now: () => number;
  #connection: Connection | "closed" | undefined;

  /** @param path Of the file; `:memory:` for none. */
  constructor(path: string, options: SqliteSessionStoreOptions = {}) {
    this.#path = path;
    this.#lockTimeoutMs = options.lockTimeoutMs ?? 5000;
    this.#now = options.now ?? Date.now;
  }

  async load(id: string): Promise<Session | undefined> {
    checkSessionId(id);
    return this.#use((connection) => {
      // One transaction, so that the messages are those of this version.
      const found = connection.reading(() => {
        const row = connection.session.get(id);
        return row && { row, texts: connection.messages.all(id).map(({ message }) => message as string) };
      });
      if (found === undefined) return undefined;
      const summary = summarize(found.row);
      if (summary.messageCount !== found.texts.length) {
        throw corrupt(id, `${found.texts.length} of its ${summary.messageCount} messages are there`);
      }
      return { ...summary, messages: readMessages(id, found.texts) };
    });
  }

  async save(id: string, change: SessionChange): Promise<SessionSummary> {
    const written = writeChange(id, change);
    return this.#use(({ database, ...statements }) =>
      inTransaction(database, () => {
        const row = statements.session.get(id);
        const version = written.expectedVersion + 1;
        expectVersion(id, { stored: Number(row?.version ?? 0), expected: written.expectedVersion });
        const stored = Number(row?.message_count ?? 0);
        const kept = messagesKept(id, { stored, keep: written.keep });
        const now = this.#now();
        const count = kept + written.append.length;
        const agentName = written.agentName ?? row?.agent_name ?? null;
        const metadata = written.metadata ?? row?.metadata ?? "{}";
        const createdMs = row?.created_ms ?? now;
        statements.put.run(id, version, agentName, metadata, count, createdMs, now);
        if (kept < stored) statements.cut.run(id, kept);
        for (const [index, text] of written.append.entries()) statements.append.run(id, kept + index, text);
        return summarize({
          id,
          version,
          agent_name: agentName,
          metadata,
          message_count: count,
          created_ms: createdMs,
          updated_ms: now,
        });
      }),
    );
  }

  async delete(id: string): Promise<boolean> {
    checkSessionId(id);
    return this.#use(({ remove }) => Number(remove.run(id).changes) > 0);
  }

  async list(options: ListOptions = {}): Promise<SessionPage> {
    const { limit, after } = readListOptions(options);
    return this.#use(({ first, next }) => {
      const rows =
        after === undefined ? first.all(limit + 1) : next.all(after.updatedMs, after.updatedMs, after.id, limit + 1);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        sessions: page.map(summarize),
        ...(last === undefined || rows.length <= limit
          ? {}
          : { cursor: writeCursor({ updatedMs: Number(last.updated_ms), id: String(last.id) }) }),
      };
    });
  }

  async claim(id: string, { holder, leaseMs }: SessionClaim): Promise<boolean> {
    checkSessionId(id);
    const now = this.#now();
    return this.#use(({ claim }) => Number(claim.run(id, holder, now + leaseMs, now).changes) > 0);
  }

  async release(id: string, holder: string): Promise<void> {
    checkSessionId(id);
    await this.#use(({ release }) => release.run(id, holder));
  }

  /** Closes the file. The store cannot be used again. */
  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = "closed";
    if (connection !== undefined && connection !== "closed") connection.database.close();
  }

  async #use<Result>(work: (connection: Connection) => Result): Promise<Result> {
    try {
      return await withRetries(() => work(this.#open()), { timeoutMs: this.#lockTimeoutMs });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #open(): Connection {
    if (this.#connection === "closed") {
      throw new SessionError(`the session store ${this.#path} was closed`, { code: "store-closed" });
    }
    this.#connection ??= connect(this.#path);
    return this.#connection;
  }

  #explain(error: unknown): unknown {
    if (error instanceof SessionError) return error;
    const place = `the session store ${this.#path}`;
    const message = error instanceof Error ? error.message : String(error);
    if (isLocked(error)) {
      return new SessionError(
        `${place} was locked by another process for ${this.#lockTimeoutMs} ms; end what writes to it, or raise lockTimeoutMs`,
        { code: "store-locked", retryable: true, cause: error },
      );
    }
    if (error instanceof LaterVersion) {
      return new SessionError(`${place} cannot be read: ${message}; update @callsign/runtime`, {
        code: "store-version",
        cause: error,
      });
    }
    if (error instanceof SqliteMissing) {
      return new SessionError(
        `${place} needs node:sqlite, which Node.js has from 22.13 on; this is ${process.version}`,
        {
          code: "sqlite-missing",
          cause: error,
        },
      );
    }
    return new SessionError(`${place} cannot be used: ${message}`, { code: "store-unusable", cause: error });
  }
}

interface Connection {
  readonly database: DatabaseSync;
  /** Runs statements that see one state of the database. */
  reading<Result>(work: () => Result): Result;
  readonly session: StatementSync;
  readonly messages: StatementSync;
  readonly put: StatementSync;
  readonly cut: StatementSync;
  readonly append: StatementSync;
  readonly remove: StatementSync;
  readonly first: StatementSync;
  readonly next: StatementSync;
  readonly claim: StatementSync;
  readonly release: StatementSync;
}

function connect(path: string): Connection {
  const database = openDatabase(path, MIGRATIONS);
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  return {
    database,
    reading: (work) => {
      database.exec("BEGIN");
      try {
        return work();
      } finally {
        rollBack(database);
      }
    },
    session: prepare("SELECT * FROM sessions WHERE id = ?"),
    messages: prepare("SELECT message FROM session_messages WHERE session_id = ? ORDER BY position"),
    put: prepare(
      `INSERT INTO sessions (id, version, agent_name, metadata, message_count, created_ms, updated_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET version = excluded.version, agent_name = excluded.agent_name,
         metadata = excluded.metadata, message_count = excluded.message_count, updated_ms = excluded.updated_ms`,
    ),
    cut: prepare("DELETE FROM session_messages WHERE session_id = ? AND position >= ?"),
    append: prepare("INSERT INTO session_messages (session_id, position, message) VALUES (?, ?, ?)"),
    remove: prepare("DELETE FROM sessions WHERE id = ?"),
    first: prepare("SELECT * FROM sessions ORDER BY updated_ms DESC, id LIMIT ?"),
    next: prepare(
      `SELECT * FROM sessions WHERE updated_ms < ? OR (updated_ms = ? AND id > ?)
       ORDER BY updated_ms DESC, id LIMIT ?`,
    ),
    claim: prepare(
      `INSERT INTO session_claims (session_id, holder, until_ms) VALUES (?1, ?2, ?3)
       ON CONFLICT (session_id) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
         WHERE holder = excluded.holder OR until_ms <= ?4`,
    ),
    release: prepare("DELETE FROM session_claims WHERE session_id = ? AND holder = ?"),
  };
}

function summarize(row: Record<string, unknown>): SessionSummary {
  const id = String(row.id);
  return {
    id,
    ...(typeof row.agent_name === "string" ? { agentName: row.agent_name } : {}),
    metadata: readMetadata(id, String(row.metadata)),
    messageCount: Number(row.message_count),
    createdAt: new Date(Number(row.created_ms)).toISOString(),
    updatedAt: new Date(Number(row.updated_ms)).toISOString(),
    version: Number(row.version),
  };
}
