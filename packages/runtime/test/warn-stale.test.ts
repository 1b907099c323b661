import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CallSlot } from "../src/index.js";
import { manifestOf, toolEntry } from "./manifest-fixture.js";

const property = (name: string): CallSlot => ({ from: "property", name });
const AB = [property("first"), property("second")];

/** The warnings of a process that binds a function with these slots; the text keeps what transpilers would make. */
async function warningsOf(source: string, call: CallSlot[] = AB): Promise<string[]> {
  const implementation = new Function(`return ${source}`)();
  return warningsOfValue(implementation, call);
}

async function warningsOfValue(implementation: unknown, call: CallSlot[]): Promise<string[]> {
  vi.resetModules();
  const { bindTools } = await import("../src/index.js");
  bindTools(manifestOf(toolEntry({ call })), { add: implementation });
  return emitted.mock.calls.map(([message]) => String(message));
}

const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
beforeEach(() => {
  vi.stubEnv("NODE_ENV", "development");
  vi.stubEnv("NODE_TEST_CONTEXT", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  emitted.mockClear();
});

describe("a function that the manifest does not fit is warned of", () => {
  test.each([
    ["a parameter was renamed", "function add(first, other) { return first + other }", AB],
    ["a parameter was added", "function add(first, second, third = [1, (2)]) { return first }", AB],
    ["a parameter was removed", "(first) => first", AB],
    ["two changed places", "async (second, first) => first", AB],
    ["a bare parameter of an arrow", "other => other", [property("first")]],
    ["an async bare parameter", "async other => other", [property("first")]],
    ["a generator", "async function* add(first, other) {}", AB],
    ["a method", "({ add(first, other = 'a,b)') { return other } }).add", AB],
    ["an async method", '(class { static async add(first, other = "\\",") {} }).add', AB],
    ["a context that is new", "(first, context) => first", [property("first")]],
    ["a parameter before the signal", "(first, other, signal) => first", [property("first"), { from: "signal" }]],
    ["a parameter beside the arguments object", "(options, other) => other", [{ from: "arguments" }]],
    ["parameters on lines of their own", "function add(\n  first,\n  other,\n) {}", AB],
  ] satisfies [string, string, CallSlot[]][])("%s", async (_, source, call) => {
    expect(await warningsOf(source, call)).toHaveLength(1);
  });

  test("with the tool, its file, both lists and the command, under a code of its own", async () => {
    const [message] = await warningsOf("function add(first, other) {}", [...AB, { from: "context" }]);
    expect(message).toBe(
      "the manifest is older than the tool add: in src/tools.ts add takes (first, other), " +
        "and the manifest calls it with (first, second, the context); run `npx callsignc build`",
    );
    expect(emitted.mock.calls[0]?.[1]).toEqual({ code: "CALLSIGN_STALE_MANIFEST" });
  });

  test("once a process, with the names of all that were bound together", async () => {
    vi.resetModules();
    const { bindTools } = await import("../src/index.js");
    const names = ["one", "two", "three"];
    const manifest = manifestOf(...names.map((name) => toolEntry({ name, export: name })));
    const stale = () =>
      Object.fromEntries(names.map((name) => [name, (first: number, other: number) => first + other]));
    bindTools(manifest, stale());
    bindTools(manifest, stale());
    expect(emitted.mock.calls).toHaveLength(1);
    expect(emitted.mock.calls[0]?.[0]).toContain("the tool one (and so two, three): ");
  });
});

describe("nothing is said of a function", () => {
  test.each([
    ["that fits", "function add(first, second) { return first + second }", AB],
    ["with defaults", "function add(first = ')', second = { a: [1, 2] }) { return first }", AB],
    ["with a trailing comma", "function add(first, second,) {}", AB],
    [
      "whose context and signal have any name",
      "(first, run, stop) => first",
      [property("first"), { from: "context" }, { from: "signal" }],
    ],
    ["whose arguments object has any name", "(anything) => anything", [{ from: "arguments" }]],
    ["that is a stub without parameters", "() => 3", AB],
    ["that is destructured", "({ first, other }) => first", AB],
    ["that is destructured in part", "(first, [other]) => first", AB],
    [
      "whose pattern was taken apart",
      "function add(_a, second) { var x = _a.x }",
      [{ from: "properties", names: ["x"] }, property("other")],
    ],
    ["with a rest parameter", "(...all) => all", AB],
    ["with a rest parameter after others", "(other, ...all) => all", AB],
    ["that reads arguments", "function add(a1234) { return arguments[1] }", AB],
    ["that is native", "Math.max", AB],
    ["that is bound", "(function (other) {}).bind(null)", AB],
    ["that is a proxy", "new Proxy((other) => other, {})", AB],
    ["that is minified", "function add(e,t){return e+t}", AB],
    ["that is minified, with fewer parameters", "e=>e", AB],
    ["whose names a bundler changed", "function add(first2, second$1) {}", AB],
    ["whose names were marked", "function add(_first, __second) {}", AB],
    ["with a comment among its parameters", "function add(first /* one */, other) {}", AB],
    ["with a regular expression as default", "function add(first = /,/, other) {}", AB],
    ["with a template as default", "function add(first = `,`, other) {}", AB],
    ["with a computed name", "({ ['add'](first, other) {} }).add", AB],
    ["that is bytecode", "function add(a0, a1) { '[bytecode]' }", AB],
    ["that is a class", "(class { constructor(other) {} })", AB],
    ["that is an arrow whose parameter is called async", "async => async", [property("first")]],
  ] satisfies [string, string, CallSlot[]][])("%s", async (_, source, call) => {
    expect(await warningsOf(source, call)).toEqual([]);
  });

  test.each(["production", "test"])("with NODE_ENV=%s", async (environment) => {
    vi.stubEnv("NODE_ENV", environment);
    expect(await warningsOf("function add(first, other) {}")).toEqual([]);
  });

  test("under Node's own test runner", async () => {
    vi.stubEnv("NODE_TEST_CONTEXT", "child-v8");
    expect(await warningsOf("function add(first, other) {}")).toEqual([]);
  });

  test("where a process cannot warn", async () => {
    vi.stubGlobal("process", { ...process, env: process.env, emitWarning: undefined });
    try {
      expect(await warningsOf("function add(first, other) {}")).toEqual([]);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
