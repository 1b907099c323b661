import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { StoreError } from "../../src/durable/errors.js";
import { SqliteStore } from "../../src/durable/stores/sqlite-store.js";
import { openEngine, type RunStore, sleep, task, workflow } from "../../src/index.js";
import { mark, startWorker } from "./kill-suite.js";
import { makeFolder, openTestEngine, until } from "./open-test-engine.js";

/** Five steps, and what of them was really done. */
function makeFlow(during: (step: number) => unknown = () => {}) {
  const done: number[] = [];
  const step = task(async function step(index: number) {
    await during(index);
    done.push(index);
    return index * 10;
  });
  const flow = workflow("flow", async () => {
    const results: number[] = [];
    for (let index = 0; index < 5; index += 1) results.push(await step(index));
    return results;
  });
  return { done, flow };
}

const ALL = [0, 10, 20, 30, 40];

async function openFailing(store: RunStore, flow: ReturnType<typeof makeFlow>["flow"]) {
  const errors: { readonly code?: string; readonly message?: string }[] = [];
  const engine = await openEngine({
    store,
    workflows: [flow],
    pollMs: 20,
    leaseMs: 400,
    onError: (error) => errors.push(error as Error),
  });
  onTestFinished(() => engine.stop({ timeoutMs: 100 }));
  return { engine, errors };
}

describe("a store that fails in the middle of a run", () => {
  test("once, at an append: the run goes on from what was recorded", async () => {
    const { done, flow } = makeFlow();
    const store = await SqliteStore.open(join(await makeFolder(), "runs.db"));
    const { append } = store;
    let count = 0;
    store.append = async (...args) => {
      count += 1;
      if (count === 4) throw new StoreError("out of order", { code: "store-failed" });
      return append.apply(store, args);
    };
    const { engine, errors } = await openFailing(store, flow);
    expect(await engine.run(flow, undefined)).toEqual(ALL);
    expect(errors).toMatchObject([{ code: "store-failed" }]);
    // The one whose end was not recorded is done again, and no other.
    expect(done.length).toBe(6);
    expect(new Set(done).size).toBe(5);
  });

  test("after it has stored what it was given: nothing is done again", async () => {
    const { done, flow } = makeFlow();
    const store = await SqliteStore.open(join(await makeFolder(), "runs.db"));
    const { append } = store;
    let count = 0;
    store.append = async (...args) => {
      const first = await append.apply(store, args);
      count += 1;
      if (count === 4) throw new Error("the answer was lost");
      return first;
    };
    const { engine, errors } = await openFailing(store, flow);
    expect(await engine.run(flow, undefined)).toEqual(ALL);
    expect(errors).toMatchObject([{ code: "store-failed", message: expect.stringContaining("the answer was lost") }]);
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });

  test("because others hold it for a while: the run waits, and nothing is done again", async () => {
    const path = join(await makeFolder(), "runs.db");
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    const { done, flow } = makeFlow((index) => {
      if (index === 2 && !other.isTransaction) {
        other.exec("BEGIN IMMEDIATE");
        setTimeout(() => other.exec("ROLLBACK"), 200);
      }
    });
    const store = await SqliteStore.open(path, { lockTimeoutMs: 10 });
    const engine = await openEngine({ store, workflows: [flow], pollMs: 20, onError: () => {} });
    onTestFinished(() => engine.stop({ timeoutMs: 100 }));
    expect(await engine.run(flow, undefined)).toEqual(ALL);
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });

  test("because others hold it for longer than the lease: the run goes on afterwards", async () => {
    const path = join(await makeFolder(), "runs.db");
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    let isHeld = false;
    const { done, flow } = makeFlow((index) => {
      if (index !== 2 || isHeld) return;
      isHeld = true;
      other.exec("BEGIN IMMEDIATE");
      setTimeout(() => other.exec("ROLLBACK"), 1_000);
    });
    const store = await SqliteStore.open(path, { lockTimeoutMs: 10 });
    const { engine, errors } = await openFailing(store, flow);
    expect(await engine.run(flow, undefined)).toEqual(ALL);
    expect(errors.length).toBeGreaterThan(0);
    for (const { code } of errors) expect(code).toBe("locked");
    expect(done.filter((index) => index !== 2)).toEqual([0, 1, 3, 4]);
  });
});

test("a row that cannot be read stops its run, says which, and leaves the others alone", async () => {
  const path = join(await makeFolder(), "runs.db");
  const gate = Promise.withResolvers<void>();
  const { flow } = makeFlow((index) => (index === 3 ? gate.promise : undefined));
  const store = await SqliteStore.open(path);
  const first = await openEngine({ store, workflows: [flow], pollMs: 20, leaseMs: 200 });
  await first.submit(flow, undefined, { runId: "broken" });
  await until(async () => (await first.log("broken")).some(({ value }) => value === 20), "the third step");
  await first.stop({ timeoutMs: 10 });
  gate.resolve();
  const db = new DatabaseSync(path);
  db.exec("UPDATE events SET value = '{\"cut' WHERE type = 'TASK_COMPLETED' AND value = '10'");
  db.close();
  const { engine, errors } = await openFailing(await SqliteStore.open(path), flow);
  await until(() => errors.length > 0, "the error");
  expect(errors[0]).toMatchObject({ code: "corrupt", message: expect.stringMatching(/event \d+ of the run broken/) });
  expect(await engine.run(flow, undefined)).toEqual(ALL);
  expect((await engine.get("broken")).state).toBe("RUNNING");
});

describe("a clock that is set", () => {
  for (const [how, hours] of [
    ["back", -1],
    ["ahead", 1],
  ] as const) {
    test(`${how} by an hour in the middle of a run changes nothing of what is done`, async () => {
      const real = Date.now.bind(Date);
      let shift = 0;
      const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + shift);
      onTestFinished(() => clock.mockRestore());
      const path = join(await makeFolder(), "runs.db");
      const { done, flow } = makeFlow(async (index) => {
        if (index === 2) shift = hours * 3_600_000;
        await new Promise((resolve) => setTimeout(resolve, 60));
      });
      const one = await openTestEngine(path, { workflows: [flow], leaseMs: 500 });
      await openTestEngine(path, { workflows: [flow], leaseMs: 500 });
      expect(await one.run(flow, undefined)).toEqual(ALL);
      const ends = (await one.log((await one.list()).runs[0]?.id as string)).filter(
        ({ type }) => type === "TASK_COMPLETED",
      );
      expect(ends.map(({ value }) => value)).toEqual(ALL);
      // A lease that seems to be over may be taken by another process: what was not recorded then is done again.
      expect(new Set(done).size).toBe(5);
      if (how === "back") expect(done).toEqual([0, 1, 2, 3, 4]);
    });
  }

  test("back while a run sleeps in memory does not make it sleep longer", async () => {
    const real = Date.now.bind(Date);
    let shift = 0;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => real() + shift);
    onTestFinished(() => clock.mockRestore());
    const nap = workflow("nap", async () => {
      await sleep(300);
      return "awake";
    });
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [nap] });
    const { id } = await engine.submit(nap, undefined);
    await until(async () => (await engine.log(id)).some(({ name }) => name === "sleep"), "the sleep");
    shift = -3_600_000;
    expect(await engine.result(id)).toBe("awake");
  });
});

describe.skipIf(process.platform === "win32")("a disk that is full", () => {
  for (const [before, when] of [
    [0, "in the middle of a run"],
    [40, "before the first run is taken"],
  ] as const) {
    test(`${when} ends no run: they go on once there is room, and nothing recorded is done again`, async () => {
      const folder = await makeFolder();
      const address = join(folder, "runs.db");
      const ledger = join(folder, "ledger");
      const said = (): string => {
        try {
          return readFileSync(ledger, "utf8");
        } catch {
          return "";
        }
      };
      const store = await SqliteStore.open(address);
      const ids: string[] = [];
      const submit = async (): Promise<void> => {
        const id = `run-${ids.length}`;
        ids.push(id);
        await store.create({ id, namespace: "default", workflow: "sequential", input: null });
      };
      while (ids.length < before) await submit();
      const script = fileURLToPath(new URL("kill-worker.mjs", import.meta.url));
      // 120 KB a file; a write beyond that fails instead of ending the process.
      const limited = `trap '' XFSZ; ulimit -f 120; exec "$0" --no-warnings "$@"`;
      const child = spawn("bash", ["-c", limited, process.execPath, script, address, ledger, "never", "0", "1"], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      child.stdout.resume();
      await new Promise((resolve) => child.stdout.once("data", resolve));
      while (!said().includes("error ")) {
        await submit();
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect(ids.length).toBeLessThan(500);
      }
      expect(said()).toMatch(/error .*the disk could not be written to|error .*no room left/);
      // Nothing that was not stored is begun.
      if (before > 0) expect(said()).not.toContain("start ");
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
      const marks = new Map<string, Awaited<ReturnType<typeof mark>>>();
      for (const id of ids) marks.set(id, await mark({ ledger, store }, id));
      const worker = await startWorker([address, ledger, "never", "0", "2"]);
      for (const id of ids) await until(async () => (await store.get(id))?.state === "COMPLETED", `the end of ${id}`);
      await worker.stop();
      for (const [id, { ledgerLength, recorded }] of marks) {
        const after = said().slice(ledgerLength);
        for (const name of recorded.keys()) expect(after).not.toContain(`start ${name} at`);
        expect((await store.get(id))?.result).toEqual(["S0", "S1", "S2", "S3", "S4"]);
      }
      await store.close();
    });
  }
});
