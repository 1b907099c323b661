import type { Pool, PoolClient, PoolConfig, QueryResultRow } from "pg";
import { StoreError } from "../errors.js";
import { loadPeer } from "../load-peer.js";
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
  type RunState,
  type RunStore,
  type Signal,
} from "../run-store.js";
import { eventColumns } from "./event-columns.js";
import { pageSize, type Row, readCursor, toEvent, toPage, toRun } from "./read-rows.js";
import { endSignal, fenced, requireActive, requireEnded, runUnknown, sameRun } from "./store-rules.js";
import { withClient } from "./with-client.js";

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. Default: what the `PG…` variables say. */
  readonly url?: string;
  /** The schema that holds the tables; made when it is not there. Default `callsign`. */
  readonly schema?: string;
  /** Connections at a time. Default 10. */
  readonly maxConnections?: number;
  /** `false` behind a pooler that knows no prepared statements. Default true: an append takes half the time. */
  readonly prepare?: boolean;
  /** What else the `pg` package takes, such as `ssl`. */
  readonly pool?: PoolConfig;
}

const VERSION = 1;
/** Any number that nobody else uses: two processes must not make the tables at once. */
const MIGRATION_LOCK = 7_233_415;
const LOOK_FOR_DEAD_MS = 500;

const TABLES = `
CREATE TABLE runs (
  id text PRIMARY KEY, namespace text NOT NULL, workflow text NOT NULL, input text NOT NULL,
  state text NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL,
  start_at bigint, wake_at bigint, waiting_for text NOT NULL DEFAULT '[]',
  result text, error text, owner text, lease_until bigint, epoch integer NOT NULL DEFAULT 0,
  last_seq integer NOT NULL DEFAULT 0, parent_run text, parent_key text
);
CREATE INDEX runs_due ON runs (state, wake_at);
CREATE INDEX runs_listed ON runs (created_at, id);
CREATE TABLE events (
  run_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, time bigint NOT NULL,
  task_id text, name text, value text, key text, once text, ended text,
  PRIMARY KEY (run_id, seq)
);
CREATE UNIQUE INDEX events_once ON events (run_id, once) WHERE once IS NOT NULL;
CREATE UNIQUE INDEX events_ended ON events (run_id, ended) WHERE ended IS NOT NULL;
`;

/** The database's own clock, so that machines whose clocks differ agree on leases. */
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const EVENT_COLUMNS = ["text", "bigint", "text", "text", "text", "text", "text"] as const;
/** So many events are written as rows of values, which takes a fifth less time than unnesting arrays does. */
const MOST_ROWS = 4;

/**
 * Only a running run has an owner. Its state is not asked for: the planner would look through all running runs, by the
 * index that begins with the state.
 */
const CLAIMED = "id = $1 AND owner = $2 AND epoch = $3";

/** @param rows Of `(type, time, task_id, name, value, key, ended, place)`. */
const append = (rows: string): string => `
WITH claim AS (
  UPDATE runs SET last_seq = last_seq + $4, updated_at = ${NOW}
  WHERE ${CLAIMED} RETURNING last_seq)
INSERT INTO events (run_id, seq, type, time, task_id, name, value, key, ended)
SELECT $1, claim.last_seq - $4::integer + e.place, e.type, e.time, e.task_id, e.name, e.value, e.key, e.ended
FROM claim, ${rows} AS e (type, time, task_id, name, value, key, ended, place)
RETURNING seq`;

const APPEND_MANY = append(
  `unnest(${EVENT_COLUMNS.map((type, index) => `$${index + 5}::${type}[]`).join(", ")}) WITH ORDINALITY`,
);

const ROWS = Array.from({ length: MOST_ROWS }, (_, index) => {
  const values = EVENT_COLUMNS.map((type, column) => `$${index * EVENT_COLUMNS.length + column + 5}::${type}`);
  return `(${[...values, index + 1].join(", ")})`;
});

/** By the number of events. */
const APPEND_FEW: ReadonlyMap<number, string> = new Map(
  ROWS.map((_, index) => [index + 1, append(`(VALUES ${ROWS.slice(0, index + 1).join(", ")})`)]),
);

type Queries = Pick<Pool | PoolClient, "query">;

/**
 * Runs and their event logs in Postgres, for runs that are executed on several machines. Needs the package `pg`.
 *
 * @example
 * import { openEngine } from "@callsign/runtime"
 * import { PostgresStore } from "@callsign/runtime/postgres"
 *
 * const store = await PostgresStore.open({ url: "postgres://app@localhost/app" })
 * const engine = await openEngine({ store, workflows: [] })
 */
export class PostgresStore implements RunStore {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #prepare: boolean;
  #isClosed = false;
  readonly #underWay = new Set<Promise<unknown>>();
  #lookedForDeadAt = 0;

  private constructor(pool: Pool, options: { readonly schema: string; readonly prepare: boolean }) {
    this.#pool = pool;
    this.#schema = options.schema;
    this.#prepare = options.prepare;
  }

  /** Connects, and makes the tables when they are not there. @throws {StoreError} `peer-missing`, `schema-newer`, `store-failed`. */
  static async open(options: PostgresStoreOptions = {}): Promise<PostgresStore> {
    const { url, schema = "callsign", maxConnections = 10 } = options;
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
      throw new StoreError(`the schema's name must be small letters, digits and _; got ${JSON.stringify(schema)}`, {
        code: "store-failed",
      });
    }
    const { default: pg } = await loadPeer(() => import("pg"), { name: "pg", what: "PostgresStore" });
    const pool = new pg.Pool({
      ...options.pool,
      ...(url === undefined ? {} : { connectionString: url }),
      max: maxConnections,
      options: `-c search_path=${schema}`,
    });
    // An idle connection that breaks is replaced at its next use.
    pool.on("error", () => {});
    const store = new PostgresStore(pool, { schema, prepare: options.prepare ?? true });
    try {
      await store.#migrate();
    } catch (error) {
      await pool.end();
      throw error;
    }
    return store;
  }

  async create(run: NewRun): Promise<RunRecord> {
    const now = Date.now();
    const inserted = await this.#first(
      `INSERT INTO runs (id, namespace, workflow, input, state, created_at, updated_at, start_at, wake_at, parent_run, parent_key)
       VALUES ($1, $2, $3, $4, 'SCHEDULED', $5, $5, $6, $6, $7, $8) ON CONFLICT (id) DO NOTHING RETURNING *`,
      ...[run.id, run.namespace, run.workflow, JSON.stringify(run.input), now, run.startAt ?? null],
      ...[run.parent?.runId ?? null, run.parent?.key ?? null],
    );
    if (inserted !== undefined) return toRun(inserted);
    const known = await this.get(run.id);
    // Deleted in the moment between the two.
    return known === null ? this.create(run) : sameRun(known, run);
  }

  async claim(owner: string, ttlMs: number, options: ClaimOptions = {}): Promise<Claim | null> {
    const claim = await this.#claim(owner, ttlMs, options);
    return claim ?? ((await this.#freeTheDead(options.runId)) ? this.#claim(owner, ttlMs, options) : null);
  }

  async #claim(owner: string, ttlMs: number, { runId, workflows }: ClaimOptions): Promise<Claim | null> {
    const row = await this.#first(
      `UPDATE runs SET state = 'RUNNING', owner = $1, lease_until = ${NOW} + $2, epoch = epoch + 1, updated_at = ${NOW},
         wake_at = NULL, waiting_for = '[]'
       WHERE id = (
         SELECT id FROM runs
         WHERE ($3::text IS NULL OR id = $3) AND ($4::text[] IS NULL OR namespace || '/' || workflow = ANY($4))
           AND ((state IN ('SCHEDULED', 'PAUSED') AND (wake_at <= ${NOW} OR (state = 'SCHEDULED' AND wake_at IS NULL)))
             OR (state = 'RUNNING' AND lease_until <= ${NOW}))
         ORDER BY COALESCE(wake_at, created_at), id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING *`,
      ...[owner, Math.ceil(ttlMs), runId ?? null, workflows === undefined ? null : [...workflows]],
    );
    if (row === undefined) return null;
    const run = toRun(row);
    return { run, owner, epoch: run.epoch };
  }

  /** After a restart nobody waits for the lease of a process of this machine that is known to be dead. */
  async #freeTheDead(runId: string | undefined): Promise<boolean> {
    if (runId === undefined) {
      if (Date.now() - this.#lookedForDeadAt < LOOK_FOR_DEAD_MS) return false;
      this.#lookedForDeadAt = Date.now();
    }
    const owners = await this.#all(
      `SELECT DISTINCT owner FROM runs WHERE state = 'RUNNING' AND lease_until > ${NOW} AND ($1::text IS NULL OR id = $1)`,
      runId ?? null,
    );
    const dead = owners.map(({ owner }) => String(owner)).filter(isCertainlyDead);
    if (dead.length === 0) return false;
    await this.#all("UPDATE runs SET lease_until = 0 WHERE state = 'RUNNING' AND owner = ANY($1)", dead);
    return true;
  }

  async renew({ run, owner, epoch }: Claim, ttlMs: number): Promise<boolean> {
    const renewed = await this.#first(
      `UPDATE runs SET lease_until = ${NOW} + $4 WHERE ${CLAIMED} RETURNING id`,
      ...[run.id, owner, epoch, Math.ceil(ttlMs)],
    );
    return renewed !== undefined;
  }

  async load(runId: string, from = 0): Promise<readonly LogEvent[]> {
    const rows = await this.#all("SELECT * FROM events WHERE run_id = $1 AND seq > $2 ORDER BY seq", runId, from);
    return rows.map(toEvent);
  }

  async append(claim: Claim, events: readonly NewLogEvent[], end?: RunEnd): Promise<number> {
    if (end === undefined) return this.#insert(this.#pool, claim, events);
    return this.#transaction(async (queries) => {
      const first = await this.#insert(queries, claim, events);
      await this.#end(queries, claim, end);
      return first;
    });
  }

  async park(
    claim: Claim,
    { at, keys, seen }: { readonly at?: number; readonly keys: readonly string[]; readonly seen: number },
  ): Promise<void> {
    const { run, owner, epoch } = claim;
    // The lock on the row keeps signals out until it is decided whether one was missed.
    await this.#transaction(async (queries) => {
      const [row] = await rowsOf(queries, `SELECT last_seq FROM runs WHERE ${CLAIMED} FOR UPDATE`, [
        run.id,
        owner,
        epoch,
      ]);
      if (row === undefined) throw fenced(run.id);
      await queries.query(
        `UPDATE runs SET owner = NULL, lease_until = NULL, waiting_for = $2, updated_at = ${NOW},
           state = CASE WHEN missed THEN 'SCHEDULED' ELSE 'PAUSED' END, wake_at = CASE WHEN missed THEN NULL ELSE $3::bigint END
         FROM (SELECT EXISTS (SELECT 1 FROM events WHERE run_id = $1 AND seq > $4 AND key IS NOT NULL) AS missed) AS look
         WHERE id = $1`,
        [run.id, JSON.stringify(keys), at ?? null, seen],
      );
    });
  }

  async signal(runId: string, signal: Signal): Promise<boolean> {
    return this.#transaction((queries) => this.#signal(queries, runId, signal));
  }

  async get(runId: string): Promise<RunRecord | null> {
    const row = await this.#first("SELECT * FROM runs WHERE id = $1", runId);
    return row === undefined ? null : toRun(row);
  }

  async list(query: RunQuery): Promise<RunPage> {
    const limit = pageSize(query.limit);
    const cursor = readCursor(query.cursor);
    const rows = await this.#all(
      `SELECT * FROM runs WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR namespace = $2)
         AND ($3::text IS NULL OR workflow = $3)
         AND ($4::bigint IS NULL OR (updated_at < $4 AND state IN ('COMPLETED', 'FAILED', 'CANCELLED')))
         AND ($5::bigint IS NULL OR created_at < $5 OR (created_at = $5 AND id < $6))
         AND ($8::bigint IS NULL OR (state = 'SCHEDULED' AND COALESCE(wake_at, updated_at) <= $8)
           OR (state = 'PAUSED' AND wake_at <= $8) OR (state = 'RUNNING' AND lease_until <= $8))
       ORDER BY created_at DESC, id DESC LIMIT $7`,
      ...[query.state ?? null, query.namespace ?? null, query.workflow ?? null, query.endedBefore ?? null],
      ...[cursor?.createdAt ?? null, cursor?.id ?? null, limit + 1, query.dueBefore ?? null],
    );
    return toPage(rows, limit);
  }

  async delete(runId: string): Promise<boolean> {
    return this.#transaction(async (queries) => {
      const [row] = await rowsOf(queries, "SELECT state FROM runs WHERE id = $1 FOR UPDATE", [runId]);
      if (row === undefined) return false;
      requireEnded(runId, row.state as RunState);
      await queries.query("DELETE FROM events WHERE run_id = $1", [runId]);
      await queries.query("DELETE FROM runs WHERE id = $1", [runId]);
      return true;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The pool would drop what waits in it, and nobody would ever hear of it.
    await Promise.allSettled(this.#underWay);
    await this.#pool.end();
  }

  /** One statement: the claim is checked, the numbers are taken and the events are there, or nothing is. */
  async #insert(queries: Queries, { run, owner, epoch }: Claim, events: readonly NewLogEvent[]): Promise<number> {
    const written = events.map(eventColumns);
    const few = APPEND_FEW.get(events.length);
    const isFew = few !== undefined;
    const { rows } = await this.#guarded(() =>
      queries.query<{ seq: number }>({
        // The hot path: most of its time goes into planning otherwise.
        ...(this.#prepare ? { name: `callsign_append_${isFew ? events.length : "many"}` } : {}),
        text: few ?? APPEND_MANY,
        values: [
          run.id,
          owner,
          epoch,
          events.length,
          ...(isFew ? written.flat() : EVENT_COLUMNS.map((_, column) => written.map((row) => row[column]))),
        ],
      }),
    );
    if (rows.length === 0) throw fenced(run.id);
    return Math.min(...rows.map(({ seq }) => Number(seq)));
  }

  async #end(queries: Queries, { run }: Claim, end: RunEnd): Promise<void> {
    const { state, result, error } = end;
    await queries.query(
      "UPDATE runs SET state = $2, result = $3, error = $4, owner = NULL, lease_until = NULL WHERE id = $1",
      [
        run.id,
        state,
        result === undefined ? null : JSON.stringify(result),
        error === undefined ? null : JSON.stringify(error),
      ],
    );
    const { parent } = run;
    if (parent === undefined) return;
    const [row] = await rowsOf(queries, "SELECT state FROM runs WHERE id = $1 FOR UPDATE", [parent.runId]);
    if (row === undefined || hasEnded(row.state as RunState)) return;
    await this.#signal(queries, parent.runId, endSignal(parent.key, end));
  }

  async #signal(queries: Queries, runId: string, signal: Signal): Promise<boolean> {
    const { type, key, once, taskId, name, value } = signal;
    const [run] = await rowsOf(queries, "SELECT state FROM runs WHERE id = $1 FOR UPDATE", [runId]);
    if (run === undefined) throw runUnknown(runId);
    if (once !== undefined) {
      const [known] = await rowsOf(queries, "SELECT 1 FROM events WHERE run_id = $1 AND once = $2", [runId, once]);
      if (known !== undefined) return false;
    }
    requireActive(runId, run.state as RunState);
    await queries.query(
      `WITH run AS (
         UPDATE runs SET last_seq = last_seq + 1, updated_at = ${NOW}, wake_at = CASE state WHEN 'PAUSED' THEN NULL ELSE wake_at END,
           state = CASE state WHEN 'PAUSED' THEN 'SCHEDULED' ELSE state END WHERE id = $1 RETURNING last_seq)
       INSERT INTO events (run_id, seq, type, time, task_id, name, value, key, once)
       SELECT $1, run.last_seq, $2, $3, $4, $5, $6, $7, $8 FROM run`,
      [
        runId,
        type,
        Date.now(),
        taskId ?? null,
        name ?? null,
        value === undefined ? null : JSON.stringify(value),
        key,
        once ?? null,
      ],
    );
    return true;
  }

  async #migrate(): Promise<void> {
    await this.#transaction(async (queries) => {
      await queries.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      await queries.query(`CREATE SCHEMA IF NOT EXISTS ${this.#schema}`);
      await queries.query("CREATE TABLE IF NOT EXISTS versions (version integer PRIMARY KEY)");
      const [row] = await rowsOf(queries, "SELECT max(version) AS version FROM versions", []);
      const version = Number(row?.version ?? 0);
      if (version > VERSION) {
        throw new StoreError(
          `the schema ${this.#schema} was written by a newer version of @callsign/runtime; install that version`,
          { code: "schema-newer" },
        );
      }
      if (version === VERSION) return;
      await queries.query(TABLES);
      await queries.query("INSERT INTO versions VALUES ($1)", [VERSION]);
    });
  }

  async #transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#guarded(() =>
      withClient(this.#pool, async (client) => {
        await client.query("BEGIN");
        const result = await work(client);
        await client.query("COMMIT");
        return result;
      }),
    );
  }

  async #first(sql: string, ...parameters: readonly unknown[]): Promise<Row | undefined> {
    return (await this.#all(sql, ...parameters))[0];
  }

  #all(sql: string, ...parameters: readonly unknown[]): Promise<readonly Row[]> {
    return this.#guarded(() => rowsOf(this.#pool, sql, parameters));
  }

  /** @throws {StoreError} for whatever the database or the connection throws. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreError("the store is closed", { code: "closed" });
    const working = work();
    this.#underWay.add(working);
    try {
      return await working;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      const { code, constraint, detail } = error as { code?: string; constraint?: string; detail?: string };
      if (code === "23505" && constraint === "events_ended") {
        throw new StoreError(`a task has ended already: ${detail ?? ""}`, { code: "duplicate-end", cause: error });
      }
      const [ours, why] = CODES[code ?? ""] ?? ["store-failed", (error as Error).message];
      throw new StoreError(`Postgres: ${why}`, { code: ours, cause: error });
    } finally {
      this.#underWay.delete(working);
    }
  }
}

/** SQLSTATE codes: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const CODES: { readonly [code: string]: readonly [code: string, why: string] } = {
  "53100": ["full", "the disk is full"],
  "53200": ["full", "it is out of memory"],
  "53300": ["locked", "it has too many connections"],
  "55P03": ["locked", "a lock was not given in time"],
  "40P01": ["locked", "two transactions waited for each other"],
  "25006": ["read-only", "it takes no writes"],
  XX001: ["corrupt", "its data is damaged"],
};

async function rowsOf(queries: Queries, sql: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
  const { rows } = await queries.query<QueryResultRow>(sql, [...parameters]);
  return rows as Row[];
}
