import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Claim } from "../../src/durable/run-store.js";
import { PostgresStore } from "../../src/durable/stores/postgres-store.js";
import { testRunStore } from "../../src/testing/test-run-store.js";
import { startPostgres, type TestPostgres } from "./start-postgres.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const addresses = new WeakMap<object, string>();

testRunStore({
  test,
  open: async () => {
    const url = await postgres.createDatabase();
    const store = await PostgresStore.open({ url, maxConnections: 3 });
    addresses.set(store, url);
    return store;
  },
  openAgain: (store) => PostgresStore.open({ url: addresses.get(store) as string, maxConnections: 3 }),
});

describe("the Postgres store", () => {
  test("makes its tables once, however many open it at the same time", async () => {
    const url = await postgres.createDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => PostgresStore.open({ url, maxConnections: 1 })));
    await stores[0]?.create({ id: "r", namespace: "default", workflow: "flow", input: null });
    for (const store of stores) expect((await store.get("r"))?.id).toBe("r");
    for (const store of stores) await store.close();
  });

  test("says clearly that nobody answers, and shows no password", async () => {
    const failure = await PostgresStore.open({ url: "postgres://me:s3cret@127.0.0.1:1/none" }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      name: "StoreError",
      code: "store-failed",
      message: expect.stringContaining("ECONNREFUSED"),
    });
    expect(JSON.stringify(failure) + String(failure)).not.toContain("s3cret");
  });

  test("survives connections that break in the middle of a transaction", async () => {
    const url = await postgres.createDatabase();
    const store = await PostgresStore.open({ url, maxConnections: 2 });
    await store.create({ id: "r", namespace: "default", workflow: "flow", input: null });
    const other = new pg.Client(url);
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM callsign.runs FOR UPDATE");
    const signal = store.signal("r", { type: "TASK_RESUMED", key: "k" }).catch((error: unknown) => error);
    const breakAll =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'";
    while ((await other.query(breakAll)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await other.query("ROLLBACK");
    await other.end();
    expect(await signal).toMatchObject({ name: "StoreError", code: "store-failed" });
    expect(await store.signal("r", { type: "TASK_RESUMED", key: "k" })).toBe(true);
    await store.close();
  });

  test("finds the run of an append, a renewal and a parking by its id, however many are running", async () => {
    const url = await postgres.createDatabase();
    const asked: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    class Noting extends pg.Client {}
    const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
    Noting.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [first, values] = args as [string | { text: string; values: unknown[] }, unknown[]];
      asked.push(typeof first === "string" ? { text: first, values } : first);
      return query.apply(this, args);
    } as typeof pg.Client.prototype.query;
    const store = await PostgresStore.open({ url, pool: { Client: Noting } as pg.PoolConfig });
    await store.create({ id: "r", namespace: "default", workflow: "flow", input: null });
    const claim = (await store.claim("me", 60_000)) as Claim;
    const client = new pg.Client({ connectionString: url, options: "-c search_path=callsign" });
    await client.connect();
    await client.query(
      `INSERT INTO runs (id, namespace, workflow, input, state, created_at, updated_at, owner, epoch)
       SELECT 'r' || n, 'default', 'flow', 'null', 'RUNNING', 1, 1, 'me', 1 FROM generate_series(1, 500) AS n`,
    );
    asked.length = 0;
    await store.append(claim, [{ type: "TASK_STARTED", taskId: "t", name: "t", time: 1 }]);
    await store.renew(claim, 60_000);
    await store.park(claim, { keys: ["k"], seen: 1 });
    const ofRuns = asked.filter(({ text }) => /\bruns\b/.test(text));
    expect(ofRuns.length).toBe(4);
    for (const { text, values } of ofRuns) {
      const { rows } = await client.query(`EXPLAIN ${text}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain("runs_pkey");
      expect(plan).not.toContain("runs_due");
    }
    await client.end();
    await store.close();
  });

  test("answers what it was asked before it was closed", async () => {
    const store = await PostgresStore.open({ url: await postgres.createDatabase(), maxConnections: 1 });
    const asked = Array.from({ length: 10 }, () => store.get("none"));
    await store.close();
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 10 }, () => null));
    await expect(store.get("none")).rejects.toMatchObject({ code: "closed" });
  });

  test("refuses a schema's name that could be something else", async () => {
    await expect(PostgresStore.open({ schema: "x; DROP TABLE runs" })).rejects.toThrow("small letters");
  });
});
