import type { Pool } from "pg";
import { isCertainlyDead } from "../process-name.js";

/** Two processes must not look after the dead at once. */
const LOOK_LOCK = 7_233_416;
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

  async migrate(schema: string): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT pg_advisory_xact_lock($1)", [LOOK_LOCK]);
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${this.#table} (id text PRIMARY KEY, process text NOT NULL, seen_at bigint NOT NULL)`,
      );
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      client.release();
    }
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
    const client = await this.#pool.connect();
    try {
      await client.query("BEGIN");
      const { rows } = await client.query<{ taken: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS taken", [
        LOOK_LOCK,
      ]);
      if (rows[0]?.taken === true) await look();
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      client.release();
    }
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
