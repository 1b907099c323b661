import { describe, expect, test } from "vitest";
import { agent, bindTools, ManifestError, type ManifestTool, Tool, tool } from "../src/index.js";
import { manifestOf, objectSchema, toolEntry } from "./manifest-fixture.js";

function add(a: number, b = 10): number {
  return a + b;
}

class Service {
  static version = (): string => "v1";
  constructor(readonly base: number) {}
  run(x: number): number {
    return this.base + x;
  }
}

const noParameters = { parameters: objectSchema({}), call: [] };
const serviceTools: ManifestTool[] = [
  toolEntry({
    name: "run",
    export: "Service#run",
    parameters: objectSchema({ x: { type: "number" } }),
    call: [{ from: "property", name: "x" }],
  }),
  toolEntry({ name: "version", export: "Service.version", ...noParameters }),
];

function codesOf(action: () => unknown): string[] {
  try {
    action();
  } catch (error) {
    return (error as ManifestError).issues.map(({ code }) => code);
  }
  return [];
}

describe("bindTools()", () => {
  test("calls a function by position and leaves absent properties to its own defaults", async () => {
    const tools = bindTools(manifestOf(toolEntry()), { add });
    await expect(tools.add?.execute({ a: 1 })).resolves.toBe(11);
    await expect(tools.add?.execute({ a: 1, b: 2 })).resolves.toBe(3);
  });

  test("fills every kind of slot", async () => {
    const seen: unknown[] = [];
    const entry = toolEntry({
      parameters: objectSchema({ a: { type: "number" }, b: { type: "string" }, c: { type: "string" } }, ["a"]),
      call: [
        { from: "context" },
        { from: "properties", names: ["b", "c"] },
        { from: "signal" },
        { from: "arguments" },
        { from: "property", name: "toString" },
      ],
    });
    const tools = bindTools(manifestOf(entry), { add: (...all: unknown[]) => seen.push(...all) });
    await tools.add?.execute({ a: 1, c: "x" }, { callId: "call_7", deps: { user: "ada" } });
    expect(seen[0]).toMatchObject({
      toolName: "add",
      callId: "call_7",
      idempotencyKey: "call_7",
      deps: { user: "ada" },
    });
    expect(seen.slice(1)).toEqual([{ c: "x" }, expect.any(AbortSignal), { a: 1, c: "x" }, undefined]);
  });

  test("binds instance methods to the instance and static ones to its class", async () => {
    const tools = bindTools(manifestOf(...serviceTools), { Service: new Service(40) });
    await expect(tools.run?.execute({ x: 2 })).resolves.toBe(42);
    await expect(tools.version?.execute({})).resolves.toBe("v1");
  });

  test("binds the functions of an object, with the object as this", async () => {
    const entry = toolEntry({ name: "list", export: "orders.list", ...noParameters });
    const orders = {
      all: [1, 2],
      list(): number[] {
        return this.all;
      },
    };
    await expect(bindTools(manifestOf(entry), { orders }).list?.execute({})).resolves.toEqual([1, 2]);
  });

  test("takes a renamed tool by its name and by its export", async () => {
    const manifest = manifestOf(toolEntry({ name: "sum" }));
    await expect(bindTools(manifest, { add }).sum?.execute({ a: 1 })).resolves.toBe(11);
    await expect(bindTools(manifest, { sum: add }).sum?.execute({ a: 1 })).resolves.toBe(11);
  });

  test.each([
    ["an unknown implementation", [toolEntry()], { add, substract: add }, ["implementation-unknown"]],
    ["a missing one", [toolEntry()], {}, ["implementation-missing"]],
    ["one that is undefined, as in an import cycle", [toolEntry()], { add: undefined }, ["implementation-missing"]],
    ["one that is no function", [toolEntry()], { add: 5 }, ["implementation-not-a-function"]],
    ["a class where an instance is needed", serviceTools, { Service }, ["instance-needed"]],
    [
      "a member that is not there",
      serviceTools,
      { Service: {} },
      ["implementation-not-a-function", "implementation-not-a-function"],
    ],
    [
      "an export of two modules",
      [toolEntry({ name: "a1" }), toolEntry({ name: "a2", module: "b.ts" })],
      { add },
      ["implementation-ambiguous"],
    ],
    ["names of the prototype", [toolEntry()], { add, toString: add }, ["implementation-unknown"]],
  ])("refuses %s", (_, tools, implementations, codes) => {
    expect(codesOf(() => bindTools(manifestOf(...tools), implementations))).toEqual(codes);
  });

  test("names what is wrong and what there is", () => {
    expect(() => bindTools(manifestOf(toolEntry()), { substract: add })).toThrow(
      /"substract" was given, but the manifest has no such tool; it has add[\s\S]*"add" has no implementation/,
    );
  });

  test("tells equal exports of two modules apart by tool name", async () => {
    const tools = bindTools(manifestOf(toolEntry({ name: "a1" }), toolEntry({ name: "a2", module: "b.ts" })), {
      a1: add,
      a2: () => 0,
    });
    await expect(tools.a1?.execute({ a: 1 })).resolves.toBe(11);
    await expect(tools.a2?.execute({ a: 1 })).resolves.toBe(0);
  });
});

describe("a function in place of a tool", () => {
  const question = { model: "test/auto" } as const;

  test("works once it is bound, also after the agent was made", async () => {
    const late = (a: number): number => a * 2;
    const assistant = agent("Compute.", { ...question, tools: [late] });
    bindTools(manifestOf(toolEntry({ name: "late", export: "late" })), { late });
    await expect(assistant("?")).resolves.toContain("late: 2");
  });

  test("is refused with its name and the command when it was never bound", async () => {
    const neverBound = (): void => {};
    const error = await agent("Compute.", { ...question, tools: [neverBound] })("?").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ManifestError);
    expect(error).toMatchObject({ code: "tool-not-compiled" });
    expect((error as Error).message).toMatch(/neverBound[\s\S]*npx callsignc build/);
  });

  test("is refused when it is an instance method without its instance", async () => {
    const service = new Service(1);
    bindTools(manifestOf(...serviceTools), { Service: service });
    const error = await agent("Compute.", { ...question, tools: [service.run] })("?").catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: "tool-needs-instance" });
  });

  test("wrapped by tool() twice is two tools", async () => {
    const one = tool({ name: "one" }, add);
    const two = tool(add);
    const tools = bindTools(
      manifestOf(toolEntry({ name: "one", export: "one" }), toolEntry({ name: "two", export: "two" })),
      {
        one,
        two,
      },
    );
    expect(one(1)).toBe(11);
    expect(Object.keys(tools)).toEqual(["one", "two"]);
    const answer = await agent("Compute.", { ...question, tools: [one, two] })("?");
    expect(answer).toMatch(/one: 2[\s\S]*two: 2/);
  });
});

describe("new Tool()", () => {
  test("takes a schema and a function", async () => {
    const double = new Tool<{ n: number }, number>({
      name: "double",
      parameters: objectSchema({ n: { type: "number" } }),
      execute: ({ n }) => n * 2,
    });
    await expect(double.execute({ n: 4 })).resolves.toBe(8);
    await expect(double.execute({ n: "x" as never })).rejects.toMatchObject({ code: "arguments-refused" });
  });

  test("refuses a name that a provider would refuse, and parameters that are no object", () => {
    const execute = (): void => {};
    expect(() => new Tool({ name: "a b", parameters: objectSchema({}), execute })).toThrow(/"a b"/);
    expect(() => new Tool({ name: "a", parameters: { type: "string" }, execute })).toThrow(/type "object"/);
  });

  test("says which schema Ajv cannot compile", async () => {
    const broken = new Tool({
      name: "broken",
      parameters: { type: "object", properties: { a: { $ref: "#/$defs/Gone" } } },
      execute: () => 1,
    });
    await expect(broken.execute({})).rejects.toMatchObject({ code: "schema-not-usable" });
  });
});
