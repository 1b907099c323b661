import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

  test("refuses a schema's name that could be something else", async () => {
    await expect(PostgresStore.open({ schema: "x; DROP TABLE runs" })).rejects.toThrow("small letters");
  });
});
