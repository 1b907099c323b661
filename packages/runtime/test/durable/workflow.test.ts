import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  call,
  choice,
  now,
  parallel,
  pause,
  pipeline,
  progress,
  random,
  sleep,
  TaskError,
  task,
  uuid,
  type WorkflowContext,
  workflow,
} from "../../src/index.js";
import { makeFolder, openTestEngine, until } from "./open-test-engine.js";

const file = async () => join(await makeFolder(), "runs.db");

describe("a workflow", () => {
  test("gives its result, and its log says what happened", async () => {
    const double = task(async function double(n: number) {
      return n * 2;
    });
    const flow = workflow("flow", async (ctx: WorkflowContext<{ n: number }>) => (await double(ctx.input.n)) + 1);
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, { n: 2 });
    expect(await engine.result(id)).toBe(5);
    expect((await engine.log(id)).map(({ type, name, value }) => [type, name, value])).toEqual([
      ["WORKFLOW_STARTED", undefined, { n: 2 }],
      ["TASK_STARTED", "double", [2]],
      ["TASK_COMPLETED", "double", 4],
      ["WORKFLOW_COMPLETED", undefined, 5],
    ]);
    expect(await engine.get(id)).toMatchObject({ state: "COMPLETED", result: 5, waitingFor: [] });
  });

  test("goes on in another process where it was, and does no recorded task again", async () => {
    const runs: string[] = [];
    const step = task(async function step(name: string) {
      runs.push(name);
      return name.toUpperCase();
    });
    const flow = workflow("flow", async (ctx: WorkflowContext<string>) => {
      const one = await step(`${ctx.input}1`);
      const id = uuid();
      const time = now();
      const told = await pause<string>("word");
      const two = await step(`${ctx.input}2`);
      return { one, two, told, id, time: time.getTime(), random: random(), choice: choice(["x", "y", "z"]) };
    });
    const path = await file();
    const first = await openTestEngine(path, { workflows: [flow] });
    const { id } = await first.submit(flow, "a", { runId: "r1" });
    await until(async () => (await first.get(id)).state === "PAUSED");
    expect((await first.get(id)).waitingFor).toEqual(["pause:word#pause:1"]);
    await first.stop();
    const second = await openTestEngine(path, { workflows: [flow] });
    await second.resume(id, { name: "word", value: "go" });
    const result = (await second.result(id)) as { id: string; told: string };
    expect(result).toMatchObject({ one: "A1", two: "A2", told: "go" });
    expect(result.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(runs).toEqual(["a1", "a2"]);
  });

  test("of the same id is one run, and of another input an error", async () => {
    const flow = workflow("flow", async (ctx: WorkflowContext<number>) => ctx.input);
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    expect(await engine.run(flow, 1, { runId: "same" })).toBe(1);
    expect(await engine.run(flow, 1, { runId: "same" })).toBe(1);
    await expect(engine.run(flow, 2, { runId: "same" })).rejects.toMatchObject({ code: "run-conflict" });
  });

  test("that throws has failed, with the message and no stack", async () => {
    const flow = workflow("flow", async () => {
      throw Object.assign(new Error("no luck"), { code: "luck" });
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await expect(engine.result(id)).rejects.toMatchObject({ code: "run-failed" });
    expect(await engine.get(id)).toMatchObject({
      state: "FAILED",
      error: { name: "Error", code: "luck", message: "no luck" },
    });
  });

  test("that changed is a mismatch that names both sides", async () => {
    const step = task(async function step(name: string) {
      return name;
    });
    const make = (name: string) =>
      workflow("flow", async () => {
        await step(name);
        await pause("wait");
      });
    const path = await file();
    const old = make("old");
    const first = await openTestEngine(path, { workflows: [old] });
    const { id } = await first.submit(old, undefined);
    await until(async () => (await first.get(id)).state === "PAUSED");
    await first.stop();
    const second = await openTestEngine(path, { workflows: [make("new")] });
    await second.resume(id);
    await expect(second.result(id)).rejects.toThrow(/the event log has step#\w+.*it started step#\w+/);
    expect(await second.get(id)).toMatchObject({ error: { code: "replay-mismatch" } });
  });

  test("is cancelled while it runs: its tasks' signals are aborted, and nothing of it goes on", async () => {
    const began = Promise.withResolvers<void>();
    let after = 0;
    const flow = workflow("flow", async (ctx) => {
      await new Promise((resolve) => {
        began.resolve();
        ctx.signal.addEventListener("abort", resolve);
      });
      await task(async function later() {
        after += 1;
      })();
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await began.promise;
    await engine.cancel(id);
    await expect(engine.result(id)).rejects.toMatchObject({ code: "run-cancelled" });
    expect(await engine.get(id)).toMatchObject({ state: "CANCELLED" });
    await engine.cancel(id);
    expect(after).toBe(0);
  });

  test("is cancelled while it is paused", async () => {
    const flow = workflow("flow", () => pause("never"));
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.get(id)).state === "PAUSED");
    await engine.cancel(id);
    await expect(engine.result(id)).rejects.toMatchObject({ code: "run-cancelled" });
  });

  test("of a name that is not known, or that no address can hold, is refused", async () => {
    const engine = await openTestEngine(await file(), { workflows: [workflow("known", async () => 1)] });
    await expect(engine.run("unknown", 1)).rejects.toThrow('there is no workflow "unknown"; there are known');
    for (const name of ["resume", "a/b", "", "../x"]) {
      expect(() => workflow(name, async () => 1)).toThrow(expect.objectContaining({ code: "workflow-name" }));
    }
  });
});

describe("a task", () => {
  test("is tried again, then its fallback gives the result, then its rollback is called", async () => {
    let tries = 0;
    const undone: string[] = [];
    const flaky = task(
      { name: "flaky", retries: { attempts: 2, delayMs: 1 }, fallback: (name) => `${name}!` },
      async (name: string): Promise<string> => {
        tries += 1;
        throw new Error(`no ${name}`);
      },
    );
    const hopeless = task(
      { rollback: (name: string) => void undone.push(name) },
      async function hopeless(name: string): Promise<string> {
        throw new Error(`no ${name}`);
      },
    );
    const flow = workflow("flow", async () => {
      const one = await flaky("bus");
      const two = await hopeless("car").catch((error: TaskError) => [
        error.code,
        error.message,
        error instanceof TaskError,
      ]);
      return [one, two];
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    expect(await engine.result(id)).toEqual(["bus!", ["task-failed", "no car", true]]);
    expect(tries).toBe(3);
    expect(undone).toEqual(["car"]);
    const types = (await engine.log(id)).map(({ type }) => type);
    expect(types.filter((type) => type === "TASK_RETRY_STARTED")).toHaveLength(2);
    expect(types).toEqual(
      expect.arrayContaining(["TASK_FALLBACK_COMPLETED", "TASK_ROLLBACK_COMPLETED", "TASK_FAILED"]),
    );
  });

  test("that takes too long fails, also when it does not listen to its signal", async () => {
    const slow = task({ timeoutMs: 10 }, function slow() {
      return new Promise<void>(() => {});
    });
    const flow = workflow("flow", () => slow().catch((error: TaskError) => error.code));
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    expect(await engine.run(flow, undefined)).toBe("task-timeout");
  });

  test("whose result has no JSON form is an error at once", async () => {
    const bad = task(async function bad() {
      return { at: new Date(0) };
    });
    const flow = workflow("flow", () => bad().then(String, (error: TaskError) => [error.code, error.message]));
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const [code, message] = (await engine.run(flow, undefined)) as unknown as string[];
    expect(code).toBe("result-not-json");
    expect(message).toContain("holds a Date");
  });

  test("that is sensitive is not stored, and runs again on replay", async () => {
    let runs = 0;
    const secret = task({ sensitive: true }, async function secret(key: string) {
      runs += 1;
      return `token of ${key}`;
    });
    const flow = workflow("flow", async () => {
      const token = await secret("k3y");
      await pause("wait");
      return token.length;
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.get(id)).state === "PAUSED");
    await engine.resume(id);
    expect(await engine.result(id)).toBe("token of k3y".length);
    expect(runs).toBe(2);
    expect(JSON.stringify(await engine.export(id))).not.toMatch(/k3y|token of/);
  });

  test("is never pruned, begun or resumed by what is no time or no JSON", async () => {
    const flow = workflow("flow", () => pause("word"));
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.get(id)).state === "PAUSED");
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    await expect(engine.resume(id, { value: cycle })).rejects.toMatchObject({
      code: "input-refused",
      message: expect.stringContaining("has no JSON form: it refers to itself"),
    });
    await engine.resume(id, { value: "hello" });
    expect(await engine.result(id)).toBe("hello");
    const never = new Date(Number.NaN);
    await expect(engine.prune(never)).rejects.toThrow(RangeError);
    await expect(engine.submit(flow, undefined, { startAt: never })).rejects.toThrow(RangeError);
    expect((await engine.list({ limit: Number.NaN })).runs.map((run) => run.id)).toEqual([id]);
  });

  test("that is sensitive is stored nowhere: not when a person is asked, not when a cache answers", async () => {
    const secret = task({ sensitive: true, cache: true, requiresApproval: true }, async function use(key: string) {
      return `token of ${key}`;
    });
    const flow = workflow("flow", async () => [(await secret("k3y")).length, (await secret("k3y")).length]);
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    for (const count of [1, 2]) {
      await until(async () => (await engine.approvals(id)).length === 1 && (await engine.get(id)).state === "PAUSED");
      expect(await engine.approvals(id), `call ${count}`).toMatchObject([{ name: "use", args: "(sensitive)" }]);
      await engine.approve(id);
    }
    expect(await engine.result(id)).toEqual([12, 12]);
    expect(JSON.stringify(await engine.export(id))).not.toMatch(/k3y|token of/);
  });

  test("cannot be sensitive and once: what is not stored runs again", () => {
    expect(() => task({ sensitive: true, once: true }, async () => 1)).toThrow(/contradict each other/);
  });

  test("that waited when its run was cancelled waits no more", async () => {
    const pay = task({ requiresApproval: true }, async function pay() {});
    const flow = workflow("flow", () => pay());
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.approvals(id)).length === 1);
    await engine.cancel(id);
    await until(async () => (await engine.get(id)).state === "CANCELLED");
    expect(await engine.approvals(id)).toEqual([]);
    await expect(engine.approve(id)).rejects.toMatchObject({ code: "not-waiting" });
  });

  test.each(["parallel", "afterwards"])("a run that is cancelled waits for nobody: %s", async (when) => {
    const pay = task({ requiresApproval: true }, async function pay() {});
    const working = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const work = task(async function work() {
      working.resolve();
      await goOn.promise;
    });
    // What waits when the run is cancelled, and what would wait afterwards, are not put away for ever.
    const flow = workflow("flow", async () => {
      if (when === "parallel") await parallel([() => pay(), () => work()], { raiseOnError: false });
      else await work().catch(() => {});
      await pause("more").catch(() => {});
      await pause("and more");
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await working.promise;
    if (when === "parallel") await until(async () => (await engine.approvals(id)).length === 1);
    await engine.cancel(id);
    goOn.resolve();
    await expect(engine.result(id)).rejects.toMatchObject({ code: "run-cancelled" });
    expect((await engine.log(id)).some(({ type }) => type === "WORKFLOW_PAUSED")).toBe(false);
  });

  test("with a cache gives every run a value of its own, whatever bodies do to theirs", async () => {
    const list = task({ name: "list-of-each", cache: true }, async () => ({ items: [1] }));
    const flow = workflow("flow", async () => {
      const value = await list();
      return value.items.push(2);
    });
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [flow] });
    const lengths = [
      await engine.run(flow, undefined),
      await engine.run(flow, undefined),
      await engine.run(flow, undefined),
    ];
    expect(lengths).toEqual([2, 2, 2]);
  });

  test("gives the same number live as on replay, where JSON has no -0", async () => {
    const zero = task(async function zero() {
      return { at: [-0] };
    });
    const seen: unknown[] = [];
    const flow = workflow("flow", async () => {
      seen.push((await zero()).at[0]);
      await pause("word");
    });
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.get(id)).state === "PAUSED", "the pause");
    await engine.resume(id);
    await engine.result(id);
    expect(seen).toEqual([0, 0]);
  });

  test("says that the engine was stopped to who waits for a result", async () => {
    const flow = workflow("flow", () => pause("word"));
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    const failure = engine.result(id).catch((error: unknown) => error);
    await until(async () => (await engine.get(id)).state === "PAUSED", "the pause");
    await engine.stop();
    expect(await failure).toMatchObject({ code: "engine-stopped" });
    await expect(engine.result(id)).rejects.toMatchObject({ code: "engine-stopped" });
  });

  test("with a cache is done once for the same arguments, in all runs", async () => {
    let runs = 0;
    const square = task({ name: "square-once", cache: true }, async (n: number) => {
      runs += 1;
      return n * n;
    });
    const flow = workflow("flow", () => square(7));
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    expect([await engine.run(flow, undefined), await engine.run(flow, undefined)]).toEqual([49, 49]);
    expect(runs).toBe(1);
  });

  test("that needs approval waits for it, durably, and a rejection is neither retried nor rolled back", async () => {
    let runs = 0;
    const undone: unknown[] = [];
    const pay = task(
      { requiresApproval: (amount: number) => amount > 10, retries: 3, rollback: (amount) => void undone.push(amount) },
      async function pay(amount: number) {
        runs += 1;
        return `paid ${amount}`;
      },
    );
    const flow = workflow("flow", async () => [
      await pay(5),
      await pay(20),
      await pay(30).catch((error: TaskError) => error.message),
    ]);
    const path = await file();
    const first = await openTestEngine(path, { workflows: [flow] });
    const { id } = await first.submit(flow, undefined);
    await until(async () => (await first.get(id)).state === "PAUSED");
    expect(await first.approvals(id)).toMatchObject([{ name: "pay", args: [20] }]);
    await first.stop();
    const second = await openTestEngine(path, { workflows: [flow] });
    await second.approve(id, { by: "ann" });
    await until(async () => (await second.approvals(id)).length === 1 && (await second.get(id)).state === "PAUSED");
    await second.reject(id, { reason: "too dear" });
    expect(await second.result(id)).toEqual(["paid 5", "paid 20", "pay was rejected by a person: too dear"]);
    expect([runs, undone]).toEqual([2, []]);
    await expect(second.approve(id)).rejects.toMatchObject({ code: "not-waiting" });
  });

  test("outside of a workflow runs as it is, with its retries", async () => {
    let tries = 0;
    const flaky = task({ retries: { attempts: 1, delayMs: 1 } }, async function flaky() {
      tries += 1;
      if (tries === 1) throw new Error("once");
      return "ok";
    });
    expect(await flaky()).toBe("ok");
  });
});

describe("primitives", () => {
  test("parallel runs branches side by side, each with a place of its own in the log", async () => {
    const step = task(async function step(ms: number) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return ms;
    });
    const flow = workflow("flow", () =>
      parallel([() => step(10), async () => (await step(1)) + (await step(1)), () => step(10)], { maxConcurrent: 2 }),
    );
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    expect(await engine.result(id)).toEqual([10, 2, 10]);
    const ids = (await engine.log(id)).flatMap(({ type, taskId }) => (type === "TASK_COMPLETED" ? [taskId] : []));
    expect(ids.every((taskId) => /^parallel\.[012]\/step#/.test(taskId ?? ""))).toBe(true);
  });

  test("parallel fails with the first failure, or has errors as results", async () => {
    const fail = async () => {
      throw new Error("bad branch");
    };
    const flow = workflow("flow", async () => {
      const all = await parallel([() => 1, fail], { raiseOnError: false });
      const one = await parallel([() => 1, fail]).catch((error: Error) => error.message);
      return [all[0], (all[1] as Error).message, one];
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    expect(await engine.run(flow, undefined)).toEqual([1, "bad branch", "bad branch"]);
  });

  test("pipeline, sleep and progress do what they say", async () => {
    const flow = workflow("flow", async () => {
      progress({ at: "start" });
      await sleep(5);
      return pipeline(
        2,
        (n: number) => n + 1,
        async (n: number) => n * 10,
      );
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined, { startAt: new Date(Date.now() + 50) });
    const shown: unknown[] = [];
    for await (const notice of engine.events(id)) if (notice.kind === "progress") shown.push(notice.progress.value);
    expect(shown).toEqual([{ at: "start" }]);
    expect(await engine.result(id)).toBe(30);
    expect(JSON.stringify(await engine.log(id))).not.toContain('start"');
  });

  test("a long sleep puts the run away until its time", async () => {
    const flow = workflow("flow", async () => {
      await sleep(1_200);
      return "awake";
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.get(id)).state === "PAUSED");
    expect((await engine.get(id)).wakeAt).toBeGreaterThan(Date.now());
    expect(await engine.result(id)).toBe("awake");
  });

  test("a pause ends with an error at its time, and takes only values that it accepts", async () => {
    const flow = workflow("flow", async () => {
      const isNumber = (value: unknown): value is number => typeof value === "number";
      const n = await pause("number", { accept: isNumber, output: { ask: "a number" } });
      const late = await pause("late", { timeoutMs: 30 }).catch((error: { code: string }) => error.code);
      return [n, late];
    });
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    const { id } = await engine.submit(flow, undefined);
    await until(async () => (await engine.get(id)).state === "PAUSED");
    await engine.resume(id, { value: "no number" });
    await until(async () => (await engine.get(id)).state === "PAUSED");
    await engine.resume(id, { value: 4 });
    expect(await engine.result(id)).toEqual([4, "pause-timeout"]);
  });

  test("call runs another workflow as a run of its own", async () => {
    const inner = workflow("inner", async (ctx: WorkflowContext<number>) => {
      if (ctx.input < 0) throw new Error("negative");
      return ctx.input + 1;
    });
    const outer = workflow("outer", async () => {
      const sums = await parallel([() => call(inner, 1), () => call(inner, 1)]);
      const failed = await call(inner, -1).catch((error: Error) => error.message);
      return [...sums, failed];
    });
    const engine = await openTestEngine(await file(), { workflows: [inner, outer] });
    expect(await engine.run(outer, undefined)).toEqual([2, 2, "default/inner failed: negative"]);
    expect((await engine.list({ workflow: "inner" })).runs).toHaveLength(3);
  });

  test("are errors outside of a workflow", async () => {
    await expect(sleep(1)).rejects.toMatchObject({ code: "outside-workflow" });
    expect(() => uuid()).toThrow(expect.objectContaining({ code: "outside-workflow" }));
  });
});
