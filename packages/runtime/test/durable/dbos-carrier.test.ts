import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { DbosCarrier } from "../../src/dbos/index.js";
import { PostgresStore } from "../../src/durable/stores/postgres-store.js";
import {
  call,
  openEngine,
  parallel,
  pause,
  type RunStore,
  sleep,
  task,
  type WorkflowContext,
  workflow,
} from "../../src/index.js";
import { testCarrier } from "../../src/testing/index.js";
import { until } from "./open-test-engine.js";
import { startPostgres, type TestPostgres } from "./start-postgres.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const addresses = new WeakMap<RunStore, string>();

testCarrier({
  test,
  openStore: async () => {
    const url = await postgres.createDatabase();
    const store = await PostgresStore.open({ url, maxConnections: 3 });
    addresses.set(store, url);
    return store;
  },
  openAgain: async (store) => {
    const url = addresses.get(store) as string;
    const again = await PostgresStore.open({ url, maxConnections: 3 });
    addresses.set(again, url);
    return again;
  },
  openCarrier: (store) =>
    new DbosCarrier({ store, url: addresses.get(store) as string, pollMs: 20, lookMs: 100, staleMs: 2_000 }),
});

async function query(url: string, sql: string): Promise<readonly { readonly [column: string]: unknown }[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

async function openParts(options: { readonly url?: string; readonly queue?: string } = {}) {
  const url = options.url ?? (await postgres.createDatabase());
  const store = await PostgresStore.open({ url, maxConnections: 3 });
  const carrier = new DbosCarrier({
    store,
    url,
    pollMs: 20,
    lookMs: 100,
    staleMs: 2_000,
    ...(options.queue === undefined ? {} : { queue: options.queue }),
  });
  return { url, store, carrier };
}

describe("an engine on the DBOS carrier", () => {
  const double = task(async function double(n: number) {
    return n * 2;
  });
  const child = workflow("child", async ({ input }: WorkflowContext<number>) => double(input));
  const flow = workflow("flow", async () => {
    const [one, word] = await parallel([() => call(child, 1), () => pause<string>("word")]);
    await sleep(1_500);
    return [one, word, await double(4)];
  });

  test("runs workflows that call, wait and sleep; nothing is written to the console", async () => {
    const { url, store, carrier } = await openParts();
    const written = vi.spyOn(process.stdout, "write");
    onTestFinished(() => written.mockRestore());
    const errors: unknown[] = [];
    const engine = await openEngine({
      store,
      carrier,
      workflows: [flow, child],
      onError: (error) => errors.push(error),
    });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.get(id)).waitingFor.some((key) => key.startsWith("pause:")), "the pause");
    await engine.resume(id, { value: "go" });
    expect(await engine.result(id)).toEqual([2, "go", 8]);
    // What DBOS knows is when somebody came to look, and nothing of what happened.
    const wakes = await query(url, "SELECT status, name FROM dbos.workflow_status");
    expect(new Set(wakes.map(({ name }) => name))).toEqual(new Set(["callsign_wake"]));
    expect(await query(url, "SELECT * FROM dbos.operation_outputs")).toEqual([]);
    await engine.stop();
    expect(errors).toEqual([]);
    expect(written.mock.calls.map(([text]) => String(text)).join("")).not.toMatch(/DBOS|callsign_wake/);
    expect(await query(url, "SELECT * FROM callsign.executors")).toEqual([]);
  });

  test("takes over the wakes of a process that is not heard of any more", async () => {
    const { url, store, carrier } = await openParts();
    const engine = await openEngine({ store, carrier, workflows: [child], leaseMs: 500 });
    onTestFinished(() => engine.stop());
    await store.create({ id: "r", namespace: "default", workflow: "child", input: 3 });
    await store.claim("elsewhere 1 1 x", 500, { runId: "r" });
    await carrier.submit("r", { at: Date.now() + 3_600_000 });
    await query(url, "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'gone'");
    await query(url, "INSERT INTO callsign.executors VALUES ('gone', 'elsewhere 1 1 x', 0)");
    expect(await engine.result("r")).toBe(6);
    await until(
      async () => (await query(url, "SELECT id FROM callsign.executors")).length === 1,
      "the dead is forgotten",
    );
    const wakes = await query(url, "SELECT status, executor_id FROM dbos.workflow_status");
    for (const wake of wakes) expect(wake.executor_id).not.toBe("gone");
    await engine.stop();
  });

  test("keeps within the number of runs that may be under way in all", async () => {
    const url = await postgres.createDatabase();
    const store = await PostgresStore.open({ url, maxConnections: 3 });
    const carrier = new DbosCarrier({ store, url, pollMs: 20, lookMs: 100, maxConcurrentRunsInAll: 2 });
    let busy = 0;
    let most = 0;
    const work = workflow("work", async () => {
      busy += 1;
      most = Math.max(most, busy);
      await task({ name: "nap" }, () => new Promise((resolve) => setTimeout(resolve, 30)))();
      busy -= 1;
    });
    const engine = await openEngine({ store, carrier, workflows: [work] });
    await Promise.all(Array.from({ length: 10 }, () => engine.run(work, undefined)));
    expect(most).toBe(2);
    await engine.stop();
  });

  test("shares a process with another one of the same settings, also on another queue", async () => {
    const one = await openParts({ queue: "one" });
    const two = await openParts({ queue: "two", url: one.url });
    const first = await openEngine({ store: one.store, carrier: one.carrier, workflows: [child] });
    const second = await openEngine({ store: two.store, carrier: two.carrier, workflows: [child] });
    expect(await Promise.all([first.run(child, 1), second.run(child, 2)])).toEqual([2, 4]);
    await first.stop();
    expect(await second.run(child, 5)).toBe(10);
    await second.stop();
  });

  test("says that DBOS runs once in a process, where settings differ or somebody else has launched it", async () => {
    const one = await openParts();
    const other = await openParts();
    const engine = await openEngine({ store: one.store, carrier: one.carrier, workflows: [child] });
    const failure = openEngine({ store: other.store, carrier: other.carrier, workflows: [child] });
    await expect(failure).rejects.toMatchObject({
      code: "dbos-in-use",
      message: expect.stringContaining("other settings"),
    });
    await engine.stop();
    DBOS.setConfig({ name: "app", systemDatabaseUrl: one.url, logLevel: "error" });
    await DBOS.launch();
    const again = await openParts();
    await expect(openEngine({ store: again.store, carrier: again.carrier, workflows: [child] })).rejects.toMatchObject({
      code: "dbos-in-use",
      message: expect.stringContaining("other code"),
    });
    await DBOS.shutdown();
    await again.store.close();
    await other.store.close();
  });

  test("says clearly that nobody answers, and shows no password", async () => {
    const { store } = await openParts();
    const carrier = new DbosCarrier({ store, url: "postgres://me:s3cret@127.0.0.1:1/none" });
    const failure = await openEngine({ store, carrier, workflows: [child] }).catch((error: unknown) => error);
    expect(String(failure)).toContain("ECONNREFUSED");
    expect(JSON.stringify(failure) + String(failure)).not.toContain("s3cret");
    await store.close();
  });
});
