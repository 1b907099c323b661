import type { Pool, PoolClient } from "pg";
import { isCertainlyDead } from "../process-name.js";
import { withClient } from "../stores/with-client.js";

interface Lock {
  readonly key: number;
  readonly sql: string;
}

/** Two processes must not look after the dead at once. */
const LOOK_LOCK = { key: 7_233_416, sql: "SELECT pg_try_advisory_xact_lock($1) AS taken" };
const TABLE_LOCK = { key: 7_233_417, sql: "SELECT pg_advisory_xact_lock($1), true AS taken" };
const LAUNCH_LOCK = 7_233_418;
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Which processes carry runs, and when each was last seen: by this a dead one is told. */
export class Executors {
  readonly #pool: Pool;
  readonly #table: string;
  readonly #self: { readonly id: string; readonly process: string };

  constructor(pool: Pool, options: { readonly schema: string; readonly id: string; readonly process: string }) {
    this.#pool = pool;
    this.#table = `${options.schema}.executors`;
    this.#self = options;
  }

  get id(): string {
    return this.#self.id;
  }

  /** Makes the table when it is not there, and lets one process at a time launch DBOS: it makes its own without a lock. */
  async migrate(schema: string, launch: () => Promise<void>): Promise<void> {
    await this.#locked(TABLE_LOCK, async (client) => {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${this.#table} (id text PRIMARY KEY, process text NOT NULL, seen_at bigint NOT NULL)`,
      );
    });
    // Before the first wake can be taken: who takes one and dies must be known.
    await this.beat();
    await withClient(this.#pool, async (client) => {
      // DBOS makes indexes in a way that waits for every other transaction, so nobody may wait inside of one.
      while (!(await isTaken(client, { key: LAUNCH_LOCK, sql: "SELECT pg_try_advisory_lock($1) AS taken" }))) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      try {
        await launch();
      } finally {
        await client.query("SELECT pg_advisory_unlock($1)", [LAUNCH_LOCK]);
      }
    });
  }

  /** Says that this process is alive. */
  async beat(): Promise<void> {
    await this.#pool.query(
      `INSERT INTO ${this.#table} (id, process, seen_at) VALUES ($1, $2, ${NOW})
       ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at`,
      [this.#self.id, this.#self.process],
    );
  }

  /** Says that this process carries nothing any more. */
  async leave(): Promise<void> {
    await this.#pool.query(`DELETE FROM ${this.#table} WHERE id = $1`, [this.#self.id]);
  }

  /** Lets one process at a time look after what others left behind. */
  async inTurn(look: () => Promise<void>): Promise<void> {
    await this.#locked(LOOK_LOCK, look);
  }

  async #locked(lock: Lock, work: (client: PoolClient) => Promise<void>): Promise<void> {
    await withClient(this.#pool, async (client) => {
      await client.query("BEGIN");
      if (await isTaken(client, lock)) await work(client);
      await client.query("COMMIT");
    });
  }

  /** The ids of those that live; the others are forgotten, and known again when they are seen again. */
  async living(staleMs: number): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ id: string; process: string; stale: boolean }>(
      `SELECT id, process, seen_at < ${NOW} - $1 AS stale FROM ${this.#table}`,
      [Math.ceil(staleMs)],
    );
    const isDead = ({ id, process, stale }: (typeof rows)[number]): boolean =>
      id !== this.#self.id && (stale || isCertainlyDead(process));
    const dead = rows.filter(isDead).map(({ id }) => id);
    if (dead.length > 0) await this.#pool.query(`DELETE FROM ${this.#table} WHERE id = ANY($1)`, [dead]);
    return new Set([this.#self.id, ...rows.filter((row) => !isDead(row)).map(({ id }) => id)]);
  }
}

async function isTaken(client: PoolClient, { sql, key }: Lock): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(sql, [key]);
  return rows[0]?.taken === true;
}
