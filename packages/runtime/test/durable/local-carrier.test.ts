import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { LocalCarrier } from "../../src/durable/carriers/local-carrier.js";
import { PostgresStore } from "../../src/durable/stores/postgres-store.js";
import { SqliteStore } from "../../src/durable/stores/sqlite-store.js";
import type { RunStore } from "../../src/index.js";
import { testCarrier } from "../../src/testing/index.js";
import { makeFolder } from "./open-test-engine.js";
import { startPostgres, type TestPostgres } from "./start-postgres.js";

const addresses = new WeakMap<RunStore, string>();

function remember<Store extends RunStore>(store: Store, address: string): Store {
  addresses.set(store, address);
  return store;
}

const openCarrier = (store: RunStore, options: { owner: string; leaseMs: number }) =>
  new LocalCarrier({ store, pollMs: 20, ...options });

describe("on SQLite", () => {
  testCarrier({
    test,
    openStore: async () => {
      const path = join(await makeFolder(), "runs.db");
      return remember(await SqliteStore.open(path, { synchronous: "normal" }), path);
    },
    openAgain: (store) => SqliteStore.open(addresses.get(store) as string, { synchronous: "normal" }),
    openCarrier,
  });
});

describe("on Postgres", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  testCarrier({
    test,
    openStore: async () => {
      const url = await postgres.createDatabase();
      return remember(await PostgresStore.open({ url, maxConnections: 3 }), url);
    },
    openAgain: (store) => PostgresStore.open({ url: addresses.get(store) as string, maxConnections: 3 }),
    openCarrier,
  });
});
