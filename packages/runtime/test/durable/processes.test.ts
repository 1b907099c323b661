import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SqliteStore } from "../../src/durable/stores/sqlite-store.js";
import { openEngine, task, workflow } from "../../src/index.js";
import { makeFolder, until } from "./open-test-engine.js";
import { surviveInACrowd } from "./processes.js";

describe("several processes on one SQLite file", () => {
  test("end 500 runs rightly while one of the five is killed every second", async () => {
    const folder = await makeFolder();
    const address = join(folder, "runs.db");
    const store = await SqliteStore.open(address);
    const crowd = { address, ledger: join(folder, "ledger"), store, processes: 5, runs: 500, killEveryMs: 1_000 };
    const { kills, unfinished, repeated } = await surviveInACrowd(crowd);
    await store.close();
    expect(kills).toBeGreaterThan(0);
    expect({ unfinished, repeated }).toEqual({ unfinished: [], repeated: [] });
  }, 180_000);

  test("fence the one whose lease passed on: what it does afterwards is not recorded", async () => {
    const path = join(await makeFolder(), "runs.db");
    const gate = Promise.withResolvers<void>();
    const done: string[] = [];
    const make = (who: string) =>
      workflow("flow", async () => {
        const first = await task({ name: "first" }, async () => {
          if (who === "slow") await gate.promise;
          done.push(who);
          return who;
        })();
        return [first, await task({ name: "second" }, async () => who)()];
      });
    const slowStore = await SqliteStore.open(path);
    // A process that does not renew its lease in time: it is as if it stood still.
    slowStore.renew = async () => true;
    const slow = make("slow");
    const one = await openEngine({ store: slowStore, workflows: [slow], leaseMs: 60, pollMs: 10_000 });
    const { id } = await one.submit(slow, undefined);
    await until(async () => (await one.get(id)).state === "RUNNING");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const quick = make("quick");
    const two = await openEngine({ store: await SqliteStore.open(path), workflows: [quick], pollMs: 10 });
    expect(await two.result(id)).toEqual(["quick", "quick"]);
    gate.resolve();
    await until(() => done.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const ends = (await two.log(id)).filter(({ type }) => type === "TASK_COMPLETED");
    expect(ends.map(({ value }) => value)).toEqual(["quick", "quick"]);
    await one.stop({ timeoutMs: 10 });
    await two.stop();
  });
});
