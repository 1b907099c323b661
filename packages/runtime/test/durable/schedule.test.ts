import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Schedule, schedule, timesOf } from "../../src/durable/schedule.js";
import { Scheduler } from "../../src/durable/scheduler.js";
import { type Engine, type EngineOptions, openEngine, pause, type WorkflowContext, workflow } from "../../src/index.js";
import { SqliteStore } from "../../src/sqlite/index.js";
import { makeFolder, openTestEngine, until } from "./open-test-engine.js";

const flow = workflow("flow", async (ctx: WorkflowContext<string>) => `did ${ctx.input}`);
const EVERY = 1_000;

async function scheduledRuns(engine: Engine): Promise<readonly string[]> {
  const { runs } = await engine.list({ limit: 1_000 });
  return runs.map(({ id }) => id).filter((id) => id.includes("@"));
}

const timeOf = (id: string): number => Date.parse(id.slice(id.indexOf("@") + 1));

describe("a schedule", () => {
  test("begins a run at each time, with its input, and tells the next time", async () => {
    const every = schedule(flow, { everyMs: EVERY, input: "it" });
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [flow], schedules: [every] });
    expect(engine.schedules).toEqual([{ name: "flow", workflow: "flow", at: expect.any(Date) }]);
    const before = Date.now();
    await until(async () => (await scheduledRuns(engine)).length >= 2);
    const [latest = "", earlier = ""] = await scheduledRuns(engine);
    expect(timeOf(earlier) % EVERY).toBe(0);
    expect(timeOf(latest) - timeOf(earlier)).toBe(EVERY);
    expect(timeOf(earlier)).toBeGreaterThan(before - EVERY);
    expect(await engine.result(earlier)).toBe("did it");
  });

  test("begins one run for each time, however many processes have it", async () => {
    const path = join(await makeFolder(), "runs.db");
    const options = { workflows: [flow], schedules: [schedule(flow, { everyMs: EVERY, input: "it" })] };
    const engines = [await openTestEngine(path, options), await openTestEngine(path, options)];
    await until(async () => (await scheduledRuns(engines[0] as Engine)).length >= 2);
    const ids = await scheduledRuns(engines[1] as Engine);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.map(timeOf).every((time) => time % EVERY === 0)).toBe(true);
  });

  test("passes over a time while a run of an earlier one goes on, unless told otherwise", async () => {
    const slow = workflow("slow", async () => pause("end"));
    const store = await SqliteStore.open(":memory:");
    const schedules = [
      schedule(slow, { everyMs: EVERY }),
      schedule(slow, { everyMs: EVERY, name: "side-by-side", overlap: "allow" }),
    ];
    const engine = await openEngine({ store, workflows: [slow], schedules, pollMs: 20 });
    onTestFinished(() => engine.stop({ timeoutMs: 10 }));
    const of = async (name: string) => (await scheduledRuns(engine)).filter((id) => id.startsWith(`${name}@`));
    await until(async () => (await of("side-by-side")).length >= 2);
    expect(await of("slow")).toHaveLength(1);
  });

  test.each([
    ["once", 1],
    ["skip", 0],
  ] as const)("makes up for times at which nobody was there: %s", async (missed, count) => {
    const HOUR = 3_600_000;
    const path = join(await makeFolder(), "runs.db");
    const hourly = schedule(flow, { everyMs: HOUR, input: "it", missed });
    const latest = Math.floor(Date.now() / HOUR) * HOUR;
    const id = (time: number): string => `flow@${new Date(time).toISOString()}`;
    const store = await SqliteStore.open(path);
    // Five hours ago there was a process, and since then none.
    await store.create({ id: id(latest - 5 * HOUR), namespace: "default", workflow: "flow", input: "it" });
    await store.close();
    const engine = await openTestEngine(path, { workflows: [flow], schedules: [hourly] });
    await until(async () => (await scheduledRuns(engine)).length > count);
    expect([...(await scheduledRuns(engine))].sort()).toEqual(
      [latest - 5 * HOUR, ...(count === 1 ? [latest] : [])].map(id),
    );
  });

  test("that is new makes up for nothing", async () => {
    const yearly = schedule(flow, { cron: "0 0 1 1 *", input: "it" });
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), {
      workflows: [flow],
      schedules: [yearly],
    });
    expect(await scheduledRuns(engine)).toEqual([]);
  });

  test("takes no run of another kind for one of its own", async () => {
    const path = join(await makeFolder(), "runs.db");
    const store = await SqliteStore.open(path);
    await store.create({ id: "flow@mine", namespace: "default", workflow: "flow", input: "it" });
    await store.close();
    const yearly = schedule(flow, { cron: "0 0 1 1 *", input: "it" });
    const engine = await openTestEngine(path, { workflows: [flow], schedules: [yearly] });
    expect(await engine.result("flow@mine")).toBe("did it");
    expect(await scheduledRuns(engine)).toEqual(["flow@mine"]);
  });

  test("tries again when the store fails, and begins the run then", async () => {
    const errors: unknown[] = [];
    const begun: string[] = [];
    const store = await SqliteStore.open(":memory:");
    const scheduler = await Scheduler.start({
      schedules: [schedule(flow, { everyMs: EVERY, input: "it" })],
      store,
      submit: async (_, runId) => {
        if (errors.length === 0) throw new Error("the disk is full");
        begun.push(runId);
      },
      onError: (error) => errors.push(error),
    });
    onTestFinished(() => scheduler.stop());
    await until(() => begun.length > 0);
    expect(errors).toHaveLength(1);
  });

  test.each([
    ["0 9 * * 1-5", "2026-11-30T08:00:00Z", "2026-11-27T08:00:00.000Z", "2026-12-01T08:00:00.000Z"],
    ["30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z"],
    ["0 0 9 1 * *", "2026-11-30T12:00:00Z", "2026-11-01T08:00:00.000Z", "2026-12-01T08:00:00.000Z"],
  ])("%s lies where it should in its time zone, also when the clocks change", async (cron, at, before, after) => {
    const times = await timesOf(schedule(flow, { cron, timeZone: "Europe/Berlin", input: "it" }));
    // A time is not after itself.
    expect(new Date(times.before(Date.parse(at) - 1) ?? 0).toISOString()).toBe(before);
    expect(new Date(times.after(Date.parse(at)) ?? 0).toISOString()).toBe(after);
    expect(times.before(Date.parse(before))).toBe(Date.parse(before));
  });
});

describe("a schedule that is wrong", () => {
  const opened = (schedules: readonly unknown[], workflows: EngineOptions["workflows"] = [flow]) =>
    openTestEngine(":memory:", { workflows, schedules: schedules as Schedule[] });

  test("is refused with all that is wrong", () => {
    expect(() => schedule(flow, { name: "a b", everyMs: 10, timeZone: "UTC", input: "it" })).toThrow(
      'the schedule "a b": the name "a b" must be made of letters, digits, _, . and -; everyMs must be a whole number of milliseconds, 1 000 or more; got 10; timeZone goes with cron',
    );
    expect(() => schedule(flow, { input: "it" })).toThrow("give either cron or everyMs");
    expect(() => schedule("flow" as never, { everyMs: EVERY })).toThrow("schedule() takes a workflow");
  });

  test.each([
    [{ cron: "nine o'clock" }, /five, six/],
    [{ cron: "0 0 31 2 *" }, /never comes/],
    [{ cron: "0 9 * * *", timeZone: "Mars/North" }, /time zone/],
  ])("is refused when the engine opens: %o", async (times, message) => {
    const opening = opened([schedule(flow, { ...times, input: "it" })]);
    await expect(opening).rejects.toMatchObject({ code: "schedule-invalid", message: expect.stringMatching(message) });
  });

  test("is refused when the engine does not have its workflow, or has another schedule of its name", async () => {
    const every = schedule(flow, { everyMs: EVERY, input: "it" });
    await expect(opened([every], [])).rejects.toMatchObject({ code: "workflow-unknown" });
    await expect(opened([every, every])).rejects.toMatchObject({ code: "schedule-invalid" });
    await expect(opened([{}])).rejects.toThrow("as schedule() makes them");
  });
});
