import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SqliteStore } from "../../src/durable/stores/sqlite-store.js";
import { killProcesses } from "./kill-suite.js";
import { makeFolder } from "./open-test-engine.js";

const kills = Number(process.env.KILLS ?? 20);
const seed = Number(process.env.KILL_SEED ?? 1);

describe("processes on SQLite that are killed", () => {
  test(
    `lose no run and repeat nothing that was recorded, in ${kills} kills`,
    async () => {
      const folder = await makeFolder();
      const address = join(folder, "runs.db");
      const store = await SqliteStore.open(address);
      const figures = await killProcesses({ address, ledger: join(folder, "ledger"), store, kills, seed });
      await store.close();
      console.log(`kills ${JSON.stringify(figures.places)} in ${figures.runs} runs ${JSON.stringify(figures.kinds)}`);
      // 30 of 200 at each place.
      expect(Math.min(...Object.values(figures.places))).toBeGreaterThanOrEqual(Math.floor(kills * 0.15));
      expect(figures.repeated).toEqual([]);
      expect(figures.lost).toEqual([]);
    },
    kills * 10_000,
  );

  for (const fault of ["forget", "lose"] as const) {
    test(`would be found out with a store that can ${fault} an end`, async () => {
      const folder = await makeFolder();
      const address = join(folder, "runs.db");
      const store = await SqliteStore.open(address);
      // Dead in its second step, with the end of the first one recorded.
      const only = { kind: "sequential", place: "task", number: 2 } as const;
      const suite = { address, ledger: join(folder, "ledger"), store, kills: 2, seed, only };
      const figures = await killProcesses({ ...suite, fault, patienceMs: 2_000 });
      await store.close();
      expect(figures.repeated.join()).toContain(" s0: begun");
    }, 120_000);
  }
});
