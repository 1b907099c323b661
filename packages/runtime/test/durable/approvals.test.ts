import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PostgresStore } from "../../src/durable/stores/postgres-store.js";
import { SqliteStore } from "../../src/durable/stores/sqlite-store.js";
import { type Engine, openEngine, parallel, type RunStore, task, workflow } from "../../src/index.js";
import { makeFolder, until } from "./open-test-engine.js";
import { startPostgres, type TestPostgres } from "./start-postgres.js";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** An address that `open` opens as often as there are processes. */
const STORES: readonly (readonly [string, () => Promise<string>, (address: string) => Promise<RunStore>])[] = [
  [
    "SQLite",
    async () => join(await makeFolder(), "runs.db"),
    (address) => SqliteStore.open(address, { synchronous: "normal" }),
  ],
  ["Postgres", () => postgres.createDatabase(), (url) => PostgresStore.open({ url, maxConnections: 3 })],
];

describe.each(STORES)("a decision, on %s,", (_name, makeAddress, openStore) => {
  const make = () => {
    const done: string[] = [];
    const pay = task(
      {
        name: "pay",
        requiresApproval: true,
        retries: 3,
        fallback: () => {
          done.push("fallback");
          return -1;
        },
        rollback: () => {
          done.push("rollback");
        },
      },
      async (amount: number) => {
        done.push(`paid ${amount}`);
        return amount;
      },
    );
    const flow = workflow("flow", async () => pay(5));
    const two = workflow("two", async () => parallel([() => pay(1), () => pay(2)]));
    return { done, flow, two };
  };

  async function open(address: string, workflows: Parameters<typeof openEngine>[0]["workflows"]): Promise<Engine> {
    const engine = await openEngine({ store: await openStore(address), workflows, pollMs: 20, leaseMs: 1_000 });
    onTestFinished(() => engine.stop({ timeoutMs: 100 }));
    return engine;
  }

  const isAsked = (engine: Engine, id: string) =>
    until(async () => (await engine.approvals(id)).length > 0, "the question");
  const isPaused = (engine: Engine, id: string) =>
    until(async () => (await engine.get(id)).state === "PAUSED", "the pause");

  test("is taken once the question is asked, before the run is put away", async () => {
    const { done, flow } = make();
    const engine = await open(await makeAddress(), [flow]);
    const { id } = await engine.submit(flow, undefined);
    for await (const notice of engine.events(id)) {
      if (notice.kind === "stored" && notice.event.type === "TASK_AWAITING_APPROVAL") await engine.approve(id);
    }
    expect(await engine.result(id)).toBe(5);
    expect(done).toEqual(["paid 5"]);
  });

  test("is taken before the question is asked, which is not asked then", async () => {
    const { done, flow } = make();
    const engine = await open(await makeAddress(), [flow]);
    // Who knows the id of the call may decide ahead; it is the same in every run.
    const first = await engine.submit(flow, undefined);
    await isAsked(engine, first.id);
    const taskId = (await engine.approvals(first.id))[0]?.taskId as string;
    await engine.submit(flow, undefined, { runId: "ahead", startAt: new Date(Date.now() + 300) });
    const key = `approval:${taskId}`;
    await engine.store.signal("ahead", { type: "TASK_APPROVED", key, once: key, taskId });
    expect(await engine.result("ahead")).toBe(5);
    expect((await engine.log("ahead")).map(({ type }) => type)).not.toContain("TASK_AWAITING_APPROVAL");
    expect(done).toEqual(["paid 5"]);
  });

  test("is taken while the run is put away, and wakes it", async () => {
    const { done, flow } = make();
    const engine = await open(await makeAddress(), [flow]);
    const { id } = await engine.submit(flow, undefined);
    await isPaused(engine, id);
    expect((await engine.get(id)).waitingFor).toEqual([expect.stringContaining("approval:pay")]);
    await engine.approve(id, { by: "ann", reason: "fine" });
    expect(await engine.result(id)).toBe(5);
    const [approved] = (await engine.log(id)).filter(({ type }) => type === "TASK_APPROVED");
    expect(approved?.value).toEqual({ by: "ann", reason: "fine" });
    expect(done).toEqual(["paid 5"]);
  });

  test("is refused after the run has ended, and where nothing waits", async () => {
    const { flow } = make();
    const engine = await open(await makeAddress(), [flow]);
    const { id } = await engine.submit(flow, undefined);
    await isAsked(engine, id);
    const taskId = (await engine.approvals(id))[0]?.taskId as string;
    await engine.approve(id);
    await engine.result(id);
    await expect(engine.approve(id)).rejects.toMatchObject({ code: "not-waiting" });
    await expect(engine.reject(id, { taskId })).rejects.toMatchObject({ code: "already-decided" });
    await expect(engine.approve("nobody")).rejects.toMatchObject({ code: "run-unknown" });
  });

  test("counts once: the second one is told so", async () => {
    const { done, flow } = make();
    const engine = await open(await makeAddress(), [flow]);
    const { id } = await engine.submit(flow, undefined);
    await isPaused(engine, id);
    const taskId = (await engine.approvals(id))[0]?.taskId as string;
    await engine.approve(id, { taskId });
    await expect(engine.approve(id, { taskId })).rejects.toMatchObject({ code: "already-decided" });
    await expect(engine.reject(id, { taskId })).rejects.toMatchObject({ code: "already-decided" });
    expect(await engine.result(id)).toBe(5);
    expect(done).toEqual(["paid 5"]);
  });

  test("of two people at once is that of one of them, and the other is told so", async () => {
    const address = await makeAddress();
    for (let round = 0; round < 5; round += 1) {
      const { done, flow } = make();
      const one = await open(address, [flow]);
      const two = await open(address, []);
      const { id } = await one.submit(flow, undefined);
      await isAsked(one, id);
      const taskId = (await one.approvals(id))[0]?.taskId as string;
      const answers = await Promise.allSettled([one.approve(id, { taskId }), two.reject(id, { taskId, reason: "no" })]);
      expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const [, rejected] = answers;
      const result = await one.result(id).catch((error: unknown) => error);
      if (rejected?.status === "fulfilled") {
        expect(result).toMatchObject({ code: "run-failed", message: expect.stringContaining("no") });
        expect(done).toEqual([]);
      } else {
        expect(result).toBe(5);
        expect(done).toEqual(["paid 5"]);
      }
      await one.stop();
      await two.stop();
    }
  });

  test("is taken after a restart, by a process that has not seen the question", async () => {
    const { done, flow } = make();
    const address = await makeAddress();
    const one = await open(address, [flow]);
    const { id } = await one.submit(flow, undefined);
    await isPaused(one, id);
    await one.stop();
    const two = await open(address, [flow]);
    expect(await two.approvals(id)).toMatchObject([{ name: "pay", args: [5] }]);
    await two.approve(id);
    expect(await two.result(id)).toBe(5);
    expect(done).toEqual(["paid 5"]);
    expect((await two.log(id)).filter(({ type }) => type === "TASK_AWAITING_APPROVAL")).toHaveLength(1);
  });

  test("that came while nobody was there is found at the next start", async () => {
    const { done, flow } = make();
    const address = await makeAddress();
    const one = await open(address, [flow]);
    const { id } = await one.submit(flow, undefined);
    await isPaused(one, id);
    await one.stop();
    const clerk = await open(address, []);
    await clerk.approve(id);
    await clerk.stop();
    expect(done).toEqual([]);
    expect(await (await open(address, [flow])).result(id)).toBe(5);
    expect(done).toEqual(["paid 5"]);
  });

  test("against the call lets nothing run: no retry, no fallback, no rollback", async () => {
    const { done, flow } = make();
    const engine = await open(await makeAddress(), [flow]);
    const { id } = await engine.submit(flow, undefined);
    await isAsked(engine, id);
    await engine.reject(id, { reason: "too dear" });
    await expect(engine.result(id)).rejects.toMatchObject({
      code: "run-failed",
      message: expect.stringContaining("too dear"),
    });
    expect(done).toEqual([]);
  });

  test("belongs to one call of several", async () => {
    const { done, two } = make();
    const engine = await open(await makeAddress(), [two]);
    const { id } = await engine.submit(two, undefined);
    await until(async () => (await engine.approvals(id)).length === 2, "both questions");
    await expect(engine.approve(id)).rejects.toMatchObject({
      code: "not-waiting",
      message: expect.stringContaining("say which call"),
    });
    const [first, second] = await engine.approvals(id);
    await engine.approve(id, { taskId: second?.taskId as string });
    await until(() => done.length === 1, "the second call");
    expect(done).toEqual(["paid 2"]);
    await isPaused(engine, id);
    await engine.approve(id, { taskId: first?.taskId as string });
    expect(await engine.result(id)).toEqual([1, 2]);
    expect(done).toEqual(["paid 2", "paid 1"]);
  });

  test("is refused for a run that was cancelled, whose call never runs", async () => {
    const { done, flow } = make();
    const engine = await open(await makeAddress(), [flow]);
    const { id } = await engine.submit(flow, undefined);
    await isPaused(engine, id);
    const taskId = (await engine.approvals(id))[0]?.taskId as string;
    await engine.cancel(id);
    await expect(engine.result(id)).rejects.toMatchObject({ code: "run-cancelled" });
    await expect(engine.approve(id, { taskId })).rejects.toMatchObject({ code: "not-waiting" });
    expect((await engine.get(id)).state).toBe("CANCELLED");
    expect(done).toEqual([]);
  });

  test("and a cancel at the same time end the run one way or the other, never in between", async () => {
    const address = await makeAddress();
    const { done, flow } = make();
    const engine = await open(address, [flow]);
    for (let round = 0; round < 5; round += 1) {
      const { id } = await engine.submit(flow, undefined);
      await isPaused(engine, id);
      await Promise.allSettled([engine.approve(id), engine.cancel(id)]);
      await engine.result(id).catch(() => {});
      const { state } = await engine.get(id);
      expect(["COMPLETED", "CANCELLED"]).toContain(state);
    }
    expect(done.length).toBeLessThanOrEqual(5);
  });
});
