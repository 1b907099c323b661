import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PostgresStore } from "../../src/durable/stores/postgres-store.js";
import { killProcesses } from "./kill-suite.js";
import { makeFolder } from "./open-test-engine.js";
import { surviveInACrowd } from "./processes.js";
import { startPostgres, type TestPostgres } from "./start-postgres.js";

const kills = Number(process.env.KILLS ?? 20);
const seed = Number(process.env.KILL_SEED ?? 1);

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

describe("processes on Postgres that are killed", () => {
  for (const [carrier, prefix] of [
    ["DBOS", ""],
    ["nobody but themselves", "local+"],
  ] as const) {
    test(
      `lose no run and repeat nothing that was recorded, in ${kills} kills, carried by ${carrier}`,
      async () => {
        const url = await postgres.createDatabase();
        const folder = await makeFolder();
        const store = await PostgresStore.open({ url, maxConnections: 2 });
        const suite = { address: prefix + url, ledger: join(folder, "ledger"), store, kills, seed };
        const figures = await killProcesses(suite);
        await store.close();
        console.log(`kills ${JSON.stringify(figures.places)} in ${figures.runs} runs ${JSON.stringify(figures.kinds)}`);
        // 30 of 200 at each place.
        expect(Math.min(...Object.values(figures.places))).toBeGreaterThanOrEqual(Math.floor(kills * 0.15));
        expect(figures.repeated).toEqual([]);
        expect(figures.lost).toEqual([]);
      },
      60_000 + kills * 20_000,
    );
  }

  test("end 60 runs rightly while one of the three that DBOS shares them among is killed again and again", async () => {
    const url = await postgres.createDatabase();
    const folder = await makeFolder();
    const store = await PostgresStore.open({ url, maxConnections: 2 });
    const crowd = { address: url, ledger: join(folder, "ledger"), store, processes: 3, runs: 60, killEveryMs: 2_500 };
    const { kills: deaths, unfinished, repeated } = await surviveInACrowd(crowd);
    await store.close();
    expect(deaths).toBeGreaterThan(0);
    expect({ unfinished, repeated }).toEqual({ unfinished: [], repeated: [] });
  }, 240_000);
});
