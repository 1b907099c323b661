import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { agent, bindTools, closeWorkers, type ManifestTool, type Tool, ToolExecutionError } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { manifestOf, objectSchema } from "../manifest-fixture.js";
import * as heavy from "./tools/heavy.js";

afterAll(closeWorkers);

const MODULE = "test/workers/tools/heavy.ts";
const workers = { from: import.meta.url, modules: { [MODULE]: "./tools/heavy.js" } };
const entry = (name: string, exported: string, rest: Partial<ManifestTool> = {}): ManifestTool => ({
  name,
  module: MODULE,
  export: exported,
  parameters: objectSchema({}),
  call: [],
  worker: true,
  ...rest,
});
const x = (type: "number" | "string", name = "x"): Partial<ManifestTool> => ({
  parameters: { type: "object", properties: { [name]: { type } }, additionalProperties: false },
  call: [{ from: "property", name }],
});
const day = { type: "string", format: "date-time", "x-codec": "date" } as const;
const bigint = { type: "string", pattern: "^-?[0-9]+$", "x-codec": "bigint" } as const;

const tools = bindTools(
  manifestOf(
    entry("where", "where"),
    entry("endless", "endless"),
    entry("codecs", "codecs", {
      parameters: objectSchema({
        day,
        amounts: { type: "object", additionalProperties: bigint, "x-codec": "map" },
        from: { type: "string", format: "uri", "x-codec": "url" },
      }),
      call: [
        { from: "property", name: "day" },
        { from: "property", name: "amounts" },
        { from: "property", name: "from" },
      ],
      returns: { type: "object", additionalProperties: { anyOf: [day, bigint] }, "x-codec": "map" },
    }),
    entry("double", "limits.static.double", x("number")),
    entry("mode", "limits.mode"),
    entry("add", "Counter.add", x("number")),
    entry("fails", "fails", x("string", "kind")),
    entry("tells", "tells", { call: [{ from: "context" }] }),
    entry("days", "days", { ...x("number", "count"), streams: true, returns: day }),
  ),
  heavy,
  { workers },
);
const named = (name: string): Tool => tools[name] as Tool;

describe("a tool marked @worker", () => {
  test("runs in a thread, by its export, whatever that is called, with its own defaults", async () => {
    expect(await named("where").execute({})).toMatchObject({ main: false, thread: expect.any(Number) });
    expect(await named("double").execute({ x: 4 })).toBe(8);
    expect(await named("double").execute({})).toBe(42);
    expect(await named("add").execute({ x: 4 })).toBe(14);
  });

  test("is loaded from TypeScript that Node alone cannot load", async () => {
    expect(await named("mode").execute({})).toBe("quick");
  });

  test("gets the classes that it declares, and gives back those that it declares", async () => {
    const args = {
      day: new Date(5),
      amounts: new Map([["a", 12345678901234567890n]]),
      from: new URL("https://x.test/"),
    };
    expect(await named("codecs").execute(args)).toEqual(
      new Map<string, unknown>([
        ["day", new Date(5)],
        ["a", 12345678901234567890n],
      ]),
    );
  });

  test("shows progress, and gets the ids, the session and cloned deps", async () => {
    const shown: unknown[] = [];
    const given = { callId: "c1", idempotencyKey: "k1", sessionId: "s1", deps: { limit: new Map([["a", 1]]) } };
    const told = await named("tells").execute({}, { ...given, progress: (value) => shown.push(value) });
    expect(told).toEqual({ ...given, deps: { limit: { a: 1 } }, aborted: false });
    expect(shown).toEqual([1, 2, 3].map((step) => ({ step, at: new Date(step).toISOString() })));
  });

  test("streams its elements as progress, and collects them", async () => {
    const shown: unknown[] = [];
    const days = await named("days").execute({ count: 3 }, { progress: (value) => shown.push(value) });
    expect(days).toEqual([0, 1, 2].map((index) => new Date(index * 86_400_000)));
    expect(shown).toEqual((days as Date[]).map((each) => each.toISOString()));
  });

  test.each([
    ["throws", "thing", { code: "tool-failed", message: "no thing" }],
    ["throws no error", "string", { code: "tool-failed", message: "bare" }],
    ["returns a cycle", "cycle", { code: "result-not-json", message: expect.stringContaining("cycle") }],
    [
      "ends its process",
      "exit",
      { code: "worker-ended", message: expect.stringContaining("the thread of fails ended") },
    ],
  ])("that %s fails alone", async (_, kind, expected) => {
    const others = Promise.all([named("double").execute({ x: 1 }), named("double").execute({ x: 2 })]);
    const error = await named("fails")
      .execute({ kind }, { callId: "c" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({ ...expected, tool: "fails", callId: "c" });
    expect(await others).toEqual([2, 4]);
    expect(await named("double").execute({ x: 3 })).toBe(6);
  });

  test("says so when deps cannot be given to a thread", async () => {
    await expect(named("tells").execute({}, { deps: { db: () => 1 } })).rejects.toMatchObject({
      code: "worker-deps",
      message: expect.stringContaining("deps cannot be given to a thread"),
    });
    // What does not ask for them does not get them.
    expect(await named("double").execute({ x: 1 }, { deps: { db: () => 1 } })).toBe(2);
  });

  test("is really ended at its deadline, endless loop or not, and the other calls go on", async () => {
    const model = scriptedModel([
      {
        toolCalls: [
          { name: "endless", arguments: {} },
          { name: "double", arguments: { x: 5 } },
        ],
      },
      { text: "done" },
    ]);
    const run = agent("x", { model, tools: [named("endless"), named("double")], toolTimeoutMs: 3000 }).stream("?");
    const results: unknown[] = [];
    for await (const event of run)
      if (event.type === "tool_done") results.push([event.name, event.status, event.result]);
    const late = ["endless", "error", "the tool took longer than 3000 ms and was stopped"];
    expect(results.sort()).toEqual([["double", "success", 10], late]);
    // Every thread can be lost, and the next calls get new ones.
    const ended = Array.from({ length: 5 }, () =>
      named("endless")
        .execute({}, { signal: AbortSignal.timeout(500) })
        .catch((error: unknown) => error),
    );
    for (const error of await Promise.all(ended)) expect(error).toMatchObject({ code: "tool-timeout" });
    expect(await named("double").execute({ x: 6 })).toBe(12);
    await closeWorkers();
    expect(await named("double").execute({ x: 7 })).toBe(14);
  });

  test("ends with its run", async () => {
    const stop = new AbortController();
    const model = scriptedModel([{ toolCalls: [{ name: "endless", arguments: {} }] }]);
    const answer = agent("x", { model, tools: [named("endless")] })("?", { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    await expect(answer).rejects.toMatchObject({ code: "aborted" });
  });

  test("runs many calls on few threads, each once", async () => {
    const calls = Array.from({ length: 60 }, (_, index) => named("double").execute({ x: index }));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 60 }, (_, index) => index * 2));
  });
});

const { where } = heavy;

describe("what a thread cannot run is refused when it is bound:", () => {
  const codeOf = (bind: () => unknown): unknown => {
    try {
      return bind();
    } catch (error) {
      return [(error as { code: string }).code, (error as Error).message];
    }
  };
  test("a module that cannot be found", () => {
    expect(codeOf(() => bindTools(manifestOf(entry("where", "where")), { where }))).toEqual([
      "worker-module-unknown",
      expect.stringContaining(`"${MODULE}": "./…"`),
    ]);
  });

  test("an instance method", () => {
    const manifest = manifestOf(entry("run", "Service#run"));
    const bind = () => bindTools(manifest, { Service: { run: () => 1 } }, { workers });
    expect(codeOf(bind)).toEqual(["worker-instance-method", expect.stringContaining("static method")]);
  });

  test("while a module or an export that is missing is the call's failure", async () => {
    const modules = { [MODULE]: "./tools/nothing.js" };
    const missing = bindTools(manifestOf(entry("where", "where")), { where }, { workers: { ...workers, modules } });
    await expect(missing.where?.execute({})).rejects.toMatchObject({
      message: expect.stringContaining("there is no module"),
    });
    const other = bindTools(manifestOf(entry("gone", "gone")), { gone: () => 1 }, { workers });
    await expect(other.gone?.execute({})).rejects.toMatchObject({
      message: expect.stringContaining("no exported function"),
    });
  });
});

describe("in a process of its own", () => {
  const built = (path: string): string => JSON.stringify(new URL(`../../dist/${path}.js`, import.meta.url).href);
  const script = (name: string, after = ""): string => `
    import { bindTools } from ${built("index")};
    const tool = (name, module) => ({ name, module, export: name, parameters: { type: "object" }, call: [], worker: true });
    const entries = [tool("where", "heavy"), tool("leavesThrowing", "left-behind")];
    const manifest = { manifestVersion: 1, tools: entries, schemas: [], workflows: [] };
    const modules = { heavy: "./tools/heavy.js", "left-behind": "./tools/left-behind.js" };
    const workers = { from: ${JSON.stringify(import.meta.url)}, modules };
    const tools = bindTools(manifest, { where: () => 0, leavesThrowing: () => 0 }, { workers });
    const result = await tools.${name}.execute({});
    ${after}
    console.log(JSON.stringify(result));`;
  const start = (source: string, options: readonly string[] = []) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [...options, "--input-type=module", "-e", source], {
      encoding: "utf8",
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      timeout: 60_000,
    });
    return { stdout, stderr, status };
  };

  test("idle threads do not keep the process alive", () => {
    const { stdout, status } = start(script("where"));
    expect(JSON.parse(stdout)).toMatchObject({ main: false });
    expect(status).toBe(0);
  });

  // Options of the process as a whole, which no thread may be given by name.
  test.each([["--max-old-space-size=512"], ["--expose-gc"], ["--title=tools"], ["--disable-proto=delete"]])(
    "threads run where Node was started with %s",
    (option) => {
      expect(JSON.parse(start(script("where"), [option]).stdout)).toMatchObject({ main: false });
    },
  );

  test("what a tool left behind ends its thread when it fails, and nothing else", () => {
    const warned = `
      const awake = setInterval(() => {}, 1000);
      await new Promise((resolve) => process.once("warning", resolve));
      clearInterval(awake);
      await tools.where.execute({});`;
    const { stdout, stderr, status } = start(script("leavesThrowing", warned));
    expect(JSON.parse(stdout)).toBe("done");
    expect(stderr).toContain(
      "[CALLSIGN_WORKER_STRAY] Warning: a tool marked @worker failed after its call had ended: stray",
    );
    expect(status).toBe(0);
  });
});
