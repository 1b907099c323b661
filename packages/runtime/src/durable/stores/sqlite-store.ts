import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LaterVersion } from "../../sqlite/migrate.js";
import { inTransaction, openDatabase, sqliteCode, withRetries } from "../../sqlite/open-database.js";
import { StoreError } from "../errors.js";
import type { LogEvent, NewLogEvent } from "../log-events.js";
import { isCertainlyDead } from "../process-name.js";
import {
  type Claim,
  type ClaimOptions,
  hasEnded,
  type NewRun,
  type RunEnd,
  type RunPage,
  type RunQuery,
  type RunRecord,
  type RunStore,
  type Signal,
} from "../run-store.js";
import { eventColumns } from "./event-columns.js";
import { pageSize, type Row, readCursor, toEvent, toPage, toRun } from "./read-rows.js";
import { endSignal, fenced, requireActive, requireEnded, runUnknown, sameRun } from "./store-rules.js";

export interface SqliteStoreOptions {
  /**
   * `full` (the default) keeps what was acknowledged also when the power fails. `normal` is faster and may then lose
   * the last events; a kill of the process loses nothing in either.
   */
  readonly synchronous?: "full" | "normal";
  /** How long to wait for another process that writes. Default 5 000 ms. */
  readonly lockTimeoutMs?: number;
}

const MIGRATIONS = {
  component: "runs",
  steps: [
    `
CREATE TABLE runs (
  id TEXT PRIMARY KEY, namespace TEXT NOT NULL, workflow TEXT NOT NULL, input TEXT NOT NULL,
  state TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  start_at INTEGER, wake_at INTEGER, waiting_for TEXT NOT NULL DEFAULT '[]',
  result TEXT, error TEXT, owner TEXT, lease_until INTEGER, epoch INTEGER NOT NULL DEFAULT 0,
  last_seq INTEGER NOT NULL DEFAULT 0, parent_run TEXT, parent_key TEXT
) STRICT;
CREATE INDEX runs_due ON runs (state, wake_at);
CREATE INDEX runs_listed ON runs (created_at, id);
CREATE TABLE events (
  run_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, time INTEGER NOT NULL,
  task_id TEXT, name TEXT, value TEXT, key TEXT, once TEXT, ended TEXT,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX events_once ON events (run_id, once) WHERE once IS NOT NULL;
CREATE UNIQUE INDEX events_ended ON events (run_id, ended) WHERE ended IS NOT NULL;
`,
  ],
};

/**
 * Runs and their event logs in one SQLite file, by `node:sqlite`. Several processes of one machine may share it; a file
 * on a network drive is not supported.
 *
 * @example
 * import { openEngine } from "@callsign/runtime"
 * import { SqliteStore } from "@callsign/runtime/sqlite"
 *
 * const store = await SqliteStore.open("data/runs.db")
 * const engine = await openEngine({ store, workflows: [] })
 */
export class SqliteStore implements RunStore {
  readonly #db: DatabaseSync;
  /** Known here: a Node before 22.15 cannot say it of a database. */
  #isClosed = false;
  readonly #lockTimeoutMs: number;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync, options: { readonly lockTimeoutMs: number }) {
    this.#db = db;
    this.#lockTimeoutMs = options.lockTimeoutMs;
  }

  /**
   * Opens a file, and makes it and its folder when they are not there. `:memory:` is a store without a file.
   *
   * @throws {StoreError} `schema-newer`, `corrupt`, `locked`, `read-only`.
   */
  static async open(path: string, options: SqliteStoreOptions = {}): Promise<SqliteStore> {
    const { synchronous = "full", lockTimeoutMs = 5_000 } = options;
    return whenFree(path, lockTimeoutMs, () => {
      if (path !== ":memory:") makeFolder(path);
      return new SqliteStore(openDatabase(path, MIGRATIONS, { synchronous }), { lockTimeoutMs });
    });
  }

  async create(run: NewRun): Promise<RunRecord> {
    return this.#transaction(() => {
      const known = this.#get(run.id);
      if (known !== undefined) return sameRun(known, run);
      const now = Date.now();
      this.#run(
        "INSERT INTO runs (id, namespace, workflow, input, state, created_at, updated_at, start_at, wake_at, parent_run, parent_key) VALUES (?, ?, ?, ?, 'SCHEDULED', ?, ?, ?, ?, ?, ?)",
        run.id,
        run.namespace,
        run.workflow,
        JSON.stringify(run.input),
        now,
        now,
        run.startAt ?? null,
        run.startAt ?? null,
        run.parent?.runId ?? null,
        run.parent?.key ?? null,
      );
      return this.#get(run.id) as RunRecord;
    });
  }

  async claim(owner: string, ttlMs: number, options: ClaimOptions = {}): Promise<Claim | null> {
    const now = Date.now();
    const { runId = null, workflows } = options;
    const names = workflows === undefined ? null : JSON.stringify(workflows);
    const due = `(? IS NULL OR id = ?) AND (? IS NULL OR namespace || '/' || workflow IN (SELECT value FROM json_each(?)))
      AND ((state IN ('SCHEDULED', 'PAUSED') AND (wake_at <= ? OR (state = 'SCHEDULED' AND wake_at IS NULL)))
        OR (state = 'RUNNING' AND lease_until <= ?))`;
    const parameters = [runId, runId, names, names, now, now] as const;
    return this.#use(() => {
      this.#freeTheDead();
      // A look without a write first: most looks find nothing.
      if (this.#first(`SELECT 1 FROM runs WHERE ${due} LIMIT 1`, ...parameters) === undefined) return null;
      const row = this.#first(
        `UPDATE runs SET state = 'RUNNING', owner = ?, lease_until = ?, epoch = epoch + 1, updated_at = ?, wake_at = NULL, waiting_for = '[]'
         WHERE id = (SELECT id FROM runs WHERE ${due} ORDER BY COALESCE(wake_at, created_at), id LIMIT 1) RETURNING *`,
        owner,
        now + ttlMs,
        now,
        ...parameters,
      );
      if (row === undefined) return null;
      const run = toRun(row);
      return { run, owner, epoch: run.epoch };
    });
  }

  async renew({ run, owner, epoch }: Claim, ttlMs: number): Promise<boolean> {
    const sql = "UPDATE runs SET lease_until = ? WHERE id = ? AND owner = ? AND epoch = ? AND state = 'RUNNING'";
    return this.#use(() => this.#run(sql, Date.now() + ttlMs, run.id, owner, epoch) === 1);
  }

  async load(runId: string, from = 0): Promise<readonly LogEvent[]> {
    return this.#use(() =>
      this.#all("SELECT * FROM events WHERE run_id = ? AND seq > ? ORDER BY seq", runId, from).map(toEvent),
    );
  }

  async append(claim: Claim, events: readonly NewLogEvent[], end?: RunEnd): Promise<number> {
    return this.#transaction(() => {
      const last = this.#fence(claim, events.length);
      const first = last - events.length + 1;
      for (const [index, event] of events.entries()) this.#insert(claim.run.id, first + index, event);
      if (end !== undefined) this.#end(claim, end);
      return first;
    });
  }

  async park(
    claim: Claim,
    { at, keys, seen }: { readonly at?: number; readonly keys: readonly string[]; readonly seen: number },
  ): Promise<void> {
    await this.#transaction(() => {
      const last = this.#fence(claim, 0);
      const missed =
        last > seen &&
        this.#first(
          "SELECT 1 FROM events WHERE run_id = ? AND seq > ? AND key IS NOT NULL LIMIT 1",
          claim.run.id,
          seen,
        ) !== undefined;
      this.#run(
        "UPDATE runs SET state = ?, wake_at = ?, waiting_for = ?, owner = NULL, lease_until = NULL WHERE id = ?",
        missed ? "SCHEDULED" : "PAUSED",
        missed ? null : (at ?? null),
        JSON.stringify(keys),
        claim.run.id,
      );
    });
  }

  async signal(runId: string, signal: Signal): Promise<boolean> {
    return this.#transaction(() => this.#signal(runId, signal));
  }

  async get(runId: string): Promise<RunRecord | null> {
    return this.#use(() => this.#get(runId) ?? null);
  }

  async list(query: RunQuery): Promise<RunPage> {
    const limit = pageSize(query.limit);
    const { state = null, namespace = null, workflow = null, endedBefore = null, dueBefore } = query;
    const isDue =
      dueBefore === undefined
        ? ""
        : `AND ((state = 'SCHEDULED' AND COALESCE(wake_at, updated_at) <= ?) OR (state = 'PAUSED' AND wake_at <= ?)
             OR (state = 'RUNNING' AND lease_until <= ?))`;
    const cursor = readCursor(query.cursor);
    const createdAt = cursor?.createdAt ?? null;
    const rows = await this.#use(() =>
      this.#all(
        `SELECT * FROM runs WHERE (? IS NULL OR state = ?) AND (? IS NULL OR namespace = ?) AND (? IS NULL OR workflow = ?)
           AND (? IS NULL OR (updated_at < ? AND state IN ('COMPLETED', 'FAILED', 'CANCELLED')))
           AND (? IS NULL OR created_at < ? OR (created_at = ? AND id < ?)) ${isDue}
         ORDER BY created_at DESC, id DESC LIMIT ?`,
        ...[state, state, namespace, namespace, workflow, workflow, endedBefore, endedBefore],
        ...[createdAt, createdAt, createdAt, cursor?.id ?? ""],
        ...(dueBefore === undefined ? [] : [dueBefore, dueBefore, dueBefore]),
        limit + 1,
      ),
    );
    return toPage(rows, limit);
  }

  async delete(runId: string): Promise<boolean> {
    return this.#transaction(() => {
      const run = this.#get(runId);
      if (run === undefined) return false;
      requireEnded(runId, run.state);
      this.#run("DELETE FROM events WHERE run_id = ?", runId);
      this.#run("DELETE FROM runs WHERE id = ?", runId);
      return true;
    });
  }

  async close(): Promise<void> {
    this.#statements.clear();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#db.close();
  }

  /** Makes room for so many events under a claim that still holds. @returns The number of the last one. */
  #fence({ run, owner, epoch }: Claim, count: number): number {
    const row = this.#first(
      "UPDATE runs SET last_seq = last_seq + ?, updated_at = ? WHERE id = ? AND owner = ? AND epoch = ? AND state = 'RUNNING' RETURNING last_seq",
      ...[count, Date.now(), run.id, owner, epoch],
    );
    if (row === undefined) throw fenced(run.id);
    return Number(row.last_seq);
  }

  #insert(runId: string, seq: number, event: NewLogEvent, once?: string): void {
    try {
      this.#run(
        "INSERT INTO events (run_id, seq, once, type, time, task_id, name, value, key, ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        runId,
        seq,
        once ?? null,
        ...eventColumns(event),
      );
    } catch (error) {
      if (/UNIQUE constraint failed: events.run_id, events.ended/.test(String(error))) {
        throw new StoreError(`the task ${event.taskId} has ended already`, { code: "duplicate-end", cause: error });
      }
      throw error;
    }
  }

  #end({ run }: Claim, end: RunEnd): void {
    const { state, result, error } = end;
    this.#run(
      "UPDATE runs SET state = ?, result = ?, error = ?, owner = NULL, lease_until = NULL WHERE id = ?",
      state,
      result === undefined ? null : JSON.stringify(result),
      error === undefined ? null : JSON.stringify(error),
      run.id,
    );
    const { parent } = run;
    if (parent === undefined || !isActive(this.#get(parent.runId))) return;
    this.#signal(parent.runId, endSignal(parent.key, end));
  }

  #signal(runId: string, { once, ...signal }: Signal): boolean {
    const run = this.#get(runId);
    if (run === undefined) throw runUnknown(runId);
    if (
      once !== undefined &&
      this.#first("SELECT 1 FROM events WHERE run_id = ? AND once = ?", runId, once) !== undefined
    )
      return false;
    requireActive(runId, run.state);
    const row = this.#first(
      `UPDATE runs SET last_seq = last_seq + 1, updated_at = ?, wake_at = CASE state WHEN 'PAUSED' THEN NULL ELSE wake_at END,
         state = CASE state WHEN 'PAUSED' THEN 'SCHEDULED' ELSE state END WHERE id = ? RETURNING last_seq`,
      Date.now(),
      runId,
    );
    this.#insert(runId, Number(row?.last_seq), { ...signal, time: Date.now() }, once);
    return true;
  }

  /** After a restart nobody waits for the lease of a process that is known to be dead. */
  #freeTheDead(): void {
    for (const { owner } of this.#all(
      "SELECT DISTINCT owner FROM runs WHERE state = 'RUNNING' AND lease_until > ?",
      Date.now(),
    )) {
      if (isCertainlyDead(String(owner))) {
        this.#run("UPDATE runs SET lease_until = 0 WHERE state = 'RUNNING' AND owner = ?", String(owner));
      }
    }
  }

  #get(runId: string): RunRecord | undefined {
    const row = this.#first("SELECT * FROM runs WHERE id = ?", runId);
    return row === undefined ? undefined : toRun(row);
  }

  #transaction<T>(work: () => T): Promise<T> {
    return this.#use(() => inTransaction(this.#db, work));
  }

  #use<T>(work: () => T): Promise<T> {
    return whenFree("the store", this.#lockTimeoutMs, () => {
      if (this.#isClosed) throw closed();
      return work();
    });
  }

  #run(sql: string, ...parameters: readonly (string | number | null)[]): number {
    return Number(this.#prepare(sql).run(...parameters).changes);
  }

  #first(sql: string, ...parameters: readonly (string | number | null)[]): Row | undefined {
    // `get` stops after the first row, and is silent about a commit that fails at the statement's end.
    return this.#all(sql, ...parameters)[0];
  }

  #all(sql: string, ...parameters: readonly (string | number | null)[]): readonly Row[] {
    return this.#prepare(sql).all(...parameters) as unknown as readonly Row[];
  }

  #prepare(sql: string): StatementSync {
    if (this.#isClosed) throw closed();
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** @throws {StoreError} `read-only`, `store-failed`. */
function makeFolder(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "";
    if (/^(?:EACCES|EPERM|EROFS)$/.test(reason)) {
      throw new StoreError(`${path}: its folder cannot be made: no right to write there`, {
        code: "read-only",
        cause: error,
      });
    }
    const why = /^(?:EEXIST|ENOTDIR)$/.test(reason) ? "a file is in its place" : (error as Error).message;
    throw new StoreError(`${path}: its folder cannot be made: ${why}`, { code: "store-failed", cause: error });
  }
}

function isActive(run: RunRecord | undefined): boolean {
  return run !== undefined && !hasEnded(run.state);
}

function closed(): StoreError {
  return new StoreError("the store is closed", { code: "closed" });
}

/** By the primary result code of SQLite. */
const CODES: { readonly [code: number]: readonly [code: string, message: string] } = {
  5: ["locked", "another process held it for too long"],
  6: ["locked", "another connection holds it"],
  8: ["read-only", "it cannot be written to"],
  10: ["full", "the disk could not be written to; there may be no room left, or a limit reached"],
  11: ["corrupt", "its file is damaged"],
  13: ["full", "there is no room left on the disk"],
  14: ["store-failed", "its file cannot be opened"],
  26: ["corrupt", "its file is no SQLite database"],
};

/** Waits for a lock without holding up the event loop. @throws {StoreError} for whatever SQLite throws. */
async function whenFree<T>(what: string, timeoutMs: number, work: () => T): Promise<T> {
  try {
    return await withRetries(work, { timeoutMs });
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (error instanceof LaterVersion) {
      throw new StoreError(`${what} was written by a newer version of @callsign/runtime; install that version`, {
        code: "schema-newer",
        cause: error,
      });
    }
    const [code, why] = CODES[sqliteCode(error) ?? 0] ?? ["store-failed", String((error as Error).message)];
    throw new StoreError(`${what}: ${why}`, { code, cause: error });
  }
}
