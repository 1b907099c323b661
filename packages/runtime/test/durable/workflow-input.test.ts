import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  call,
  type Manifest,
  pause,
  task,
  type WorkflowContext,
  type WorkflowError,
  workflow,
} from "../../src/index.js";
import { makeFolder, openTestEngine, until } from "./open-test-engine.js";

const file = async () => join(await makeFolder(), "runs.db");

interface Report {
  readonly since: Date;
  readonly pages: readonly URL[];
  readonly total: bigint;
  readonly byName: Map<string, Date>;
  readonly note?: string;
}

const date = { type: "string", format: "date-time", "x-codec": "date" } as const;

/** As the compiler writes it for `WorkflowContext<Report>`. */
const manifest: Manifest = {
  manifestVersion: 1,
  tools: [],
  schemas: [],
  workflows: [
    {
      name: "report",
      module: "tools.ts",
      export: "report",
      input: {
        type: "object",
        properties: {
          since: date,
          pages: { type: "array", items: { type: "string", format: "uri", "x-codec": "url" } },
          total: { type: "string", pattern: "^-?[0-9]+$", "x-codec": "bigint" },
          byName: { type: "object", additionalProperties: date, "x-codec": "map" },
          note: { type: "string" },
        },
        required: ["since", "pages", "total", "byName"],
        additionalProperties: false,
      },
    },
  ],
};

const given: Report = {
  since: new Date("2026-01-02T03:04:05.000Z"),
  pages: [new URL("https://example.org/a")],
  total: 12345678901234567890n,
  byName: new Map([["ann", new Date("2026-02-03T00:00:00.000Z")]]),
};

const asJson = {
  since: "2026-01-02T03:04:05.000Z",
  pages: ["https://example.org/a"],
  total: "12345678901234567890",
  byName: { ann: "2026-02-03T00:00:00.000Z" },
};

describe("the input of a workflow", () => {
  test("reaches the body as its type says, also after the run went on in another process", async () => {
    const seen: Report[] = [];
    const make = () =>
      workflow("report", async (ctx: WorkflowContext<Report>) => {
        seen.push(ctx.input);
        await task(async function step(at: Date) {
          return at.getTime();
        })(ctx.input.since);
        await pause("word");
        return ctx.input.since.getFullYear();
      });
    const path = await file();
    const flow = make();
    const first = await openTestEngine(path, { workflows: [flow], manifest });
    const { id, input } = await first.submit(flow, given);
    expect(input).toEqual(asJson);
    await until(async () => (await first.get(id)).state === "PAUSED");
    await first.stop();
    const second = await openTestEngine(path, { workflows: [make()], manifest });
    await second.resume(id, { name: "word" });
    expect(await second.result(id)).toBe(2026);
    expect(seen).toEqual([given, given]);
    expect(seen.map(({ pages }) => pages[0] instanceof URL)).toEqual([true, true]);
  });

  test("may be given as JSON, and is the same run as when it was given by its classes", async () => {
    const flow = workflow("report", async (ctx: WorkflowContext<Report>) => ctx.input.byName.get("ann")?.getDate());
    const engine = await openTestEngine(await file(), { workflows: [flow], manifest });
    expect(await engine.run("report", asJson, { runId: "one" })).toBe(given.byName.get("ann")?.getDate());
    expect(await engine.run(flow, given, { runId: "one" })).toBe(given.byName.get("ann")?.getDate());
  });

  test("is the body's own: what the body does to it is gone on the next replay", async () => {
    const seen: (string | undefined)[] = [];
    const flow = workflow("report", async (ctx: WorkflowContext<Report>) => {
      const mine = ctx.input as { note?: string };
      seen.push(mine.note);
      mine.note = "changed";
      await pause("word");
    });
    const engine = await openTestEngine(await file(), { workflows: [flow], manifest });
    const { id } = await engine.submit(flow, given);
    await until(async () => (await engine.get(id)).state === "PAUSED");
    await engine.resume(id, { name: "word" });
    await engine.result(id);
    expect(seen.at(-1)).toBeUndefined();
    expect((await engine.get(id)).input).toEqual(asJson);
  });

  test("that call() gives is checked and reaches the other workflow as its type says", async () => {
    const inner = workflow("report", async (ctx: WorkflowContext<Report>) => ctx.input.since.toISOString());
    const outer = workflow("outer", async () => {
      const refused = await call(inner, { ...given, since: "yesterday" as unknown as Date }).catch(
        (error: WorkflowError) => error.code,
      );
      return [await call(inner, given), refused];
    });
    const engine = await openTestEngine(await file(), { workflows: [inner, outer], manifest });
    expect(await engine.run(outer, undefined)).toEqual([asJson.since, "input-refused"]);
  });

  test("that has no JSON form is refused by name", async () => {
    const flow = workflow("report", async (_: WorkflowContext<Report>) => undefined);
    const plain = workflow("plain", async (_: WorkflowContext<object>) => undefined);
    const engine = await openTestEngine(await file(), { workflows: [flow, plain], manifest });
    const circle: { note?: unknown } = {};
    circle.note = circle;
    await expect(engine.submit(plain, circle)).rejects.toMatchObject({
      code: "input-refused",
      message: "the input of plain refers to itself (a cycle)",
    });
    const broken = { ...given, since: new Date(Number.NaN) };
    await expect(engine.submit(flow, broken)).rejects.toMatchObject({ code: "input-refused" });
  });

  test("of a workflow that was not compiled stays the JSON that it is", async () => {
    const flow = workflow("plain", async (ctx: WorkflowContext<{ since: Date }>) => typeof ctx.input.since);
    const engine = await openTestEngine(await file(), { workflows: [flow] });
    expect(await engine.run(flow, { since: given.since })).toBe("string");
  });
});
