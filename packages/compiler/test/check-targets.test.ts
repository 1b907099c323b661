import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { check } from "../src/check/check-manifest.js";
import { compile } from "../src/compile.js";
import type { CompileOptions } from "../src/compile-options.js";
import { TARGET_NAMES } from "../src/config/target-names.js";

const ROOT = "/targets";
const TSCONFIG = JSON.stringify({ compilerOptions: { strict: true, types: [] }, files: ["tools.ts"] });

function compileText(text: string, options: Pick<CompileOptions, "targets" | "maxToolBytes">) {
  const overlay = new Map([
    [`${ROOT}/tsconfig.json`, TSCONFIG],
    [`${ROOT}/tools.ts`, text],
  ]);
  return compile({ cwd: ROOT, project: join(ROOT, "tsconfig.json"), overlay, ...options });
}

/** Each problem as `line:column code typePath message`. */
async function problemsOf(text: string, options: Pick<CompileOptions, "targets" | "maxToolBytes">) {
  const { problems } = await compileText(text, options);
  return problems.map(({ code, message, location, typePath }) =>
    [`${location?.line ?? 0}:${location?.column ?? 0}`, code, typePath ?? "-", message].join(" "),
  );
}

const tool = (parameters: string, before = "") => `${before}/** Does it. @tool */
export function act(
${parameters}
): void {}
`;

describe("compile() with targets", () => {
  test.each([
    [
      "a parameter",
      "  /** @minLength 3 */ name: string",
      "openai-strict",
      ["3:29 target-keyword act(name) minLength 3"],
    ],
    [
      "a member of a lone object, under its own path",
      "  filter: { where: { /** @pattern ^a */ x: string } }",
      "gemini",
      ['3:44 target-keyword act(filter.where.x) pattern "^a"'],
    ],
    [
      "the elements of an array and of a tuple",
      "  a: { /** @minLength 2 */ t: string }[], b: [number, { /** @minLength 2 */ u: string }]",
      "openai-strict",
      ["3:31 target-keyword act(a[].t) minLength 2", "3:80 target-keyword act(b[1].u) minLength 2"],
    ],
    [
      "the values of a record",
      "  a: Record<string, { /** @minLength 2 */ t: string }>, b: number",
      "openai-strict",
      ["3:46 target-keyword act(a{}.t) minLength 2"],
    ],
    [
      "a member whose name is no identifier",
      '  a: { /** @minLength 2 */ "x/y": string }, b: number',
      "openai-strict",
      ['3:35 target-keyword act(a["x/y"]) minLength 2'],
    ],
    ["a codec's format", "  when: Date", "gemini", ['3:9 target-keyword act(when) format "date-time"']],
  ] as const)("locates what is lost in %s", async (_, parameters, target, expected) => {
    const found = await problemsOf(tool(parameters), { targets: [target] });
    expect(found.map((each) => each.replace("not enforced while the model writes: ", ""))).toEqual(
      expected.map((each) => `${each} (${target})`),
    );
  });

  test("locates a member of a type declared in another place, at its first use and through $defs", async () => {
    const person = "interface Person {\n  /** @minLength 3 */ name: string;\n  parent?: Person;\n}\n";
    expect(await problemsOf(tool("  people: Person[], other: Person", person), { targets: ["openai-strict"] })).toEqual(
      ["2:29 target-keyword act(people[].name) not enforced while the model writes: minLength 3 (openai-strict)"],
    );
  });

  test("says one thing once for all targets that share it", async () => {
    const text = tool("  /** @minLength 3 */ name: string");
    const [only, ...more] = await problemsOf(text, { targets: ["openai-strict", "gemini", "ollama", "openai"] });
    expect(only).toContain("minLength 3 (openai-strict, gemini, ollama)");
    expect(more).toEqual([]);
  });

  test("says why a strict target is not possible, and what is sent instead", async () => {
    const recursive = "interface Node { next?: Node }\n";
    expect(await problemsOf(tool("  node: Node, n: number", recursive), { targets: ["anthropic-strict"] })).toEqual([
      "3:17 target-not-strict - anthropic-strict is not possible: the type Node contains itself; it is sent as anthropic, and checked only after the model has written it",
    ]);
    const deep = `  a: ${"{ a: ".repeat(11)}string${" }".repeat(11)}, b: number`;
    expect((await problemsOf(tool(deep), { targets: ["openai-strict"] }))[0]).toContain(
      "depth 12, the provider takes 10",
    );
    const wide = `  a: ${Array.from({ length: 1_001 }, (_, index) => `"v${index}"`).join(" | ")}, b: number`;
    expect((await problemsOf(tool(wide), { targets: ["openai-strict"] }))[0]).toContain(
      "enumValues 1001, the provider takes 1000",
    );
    const many = `  a: {${Array.from({ length: 5_001 }, (_, index) => `p${index}: 1`).join("; ")}}, b: number`;
    const [first] = await problemsOf(tool(many), { targets: ["openai-strict"], maxToolBytes: 10 ** 7 });
    expect(first).toContain("properties 5003, the provider takes 5000");
  });

  test("refuses a property name that makes the provider refuse the request, for outermost properties only", async () => {
    const text = tool('  filter: { "a[b]": string; inner: { "c d": string } }');
    const { manifest, problems, sizes } = await compileText(text, { targets: ["anthropic", "gemini"] });
    expect([manifest, sizes]).toEqual([undefined, undefined]);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "target-property-name",
        typePath: 'act(filter["a[b]"])',
        location: { line: 3, column: 21 },
      },
    ]);
    expect(await problemsOf(text, { targets: ["gemini"] })).toEqual([]);
  });

  test("says of a structured-output format that its root is wrapped, and under which name it is sent", async () => {
    const text = "/** Either. @schema */\nexport type Größe = { a: string } | { b: number };\n";
    const { problems } = await compileText(text, { targets: ["openai", "ollama"] });
    expect(problems.map(({ code, location }) => [code, location?.line, location?.column])).toEqual([
      ["target-root", 2, 13],
      ["target-schema-name", 2, 13],
    ]);
  });

  test("measures each tool for each target, and warns past maxToolBytes", async () => {
    const text = tool("  a: string");
    const { sizes, problems } = await compileText(text, { targets: ["openai-strict", "anthropic"] });
    expect(problems).toEqual([]);
    expect(sizes).toEqual([
      { tool: "act", target: "openai-strict", strict: true, bytes: 185, estimatedTokens: 47 },
      { tool: "act", target: "anthropic", strict: false, bytes: 155, estimatedTokens: 39 },
    ]);
    expect(await problemsOf(text, { targets: ["openai-strict", "anthropic"], maxToolBytes: 160 })).toEqual([
      "2:17 target-tool-size - every request with this tool carries 185 bytes, about 47 tokens (openai-strict); the limit is 160 bytes",
    ]);
    const [large] = await problemsOf(text.replace("Does it.", "x".repeat(17_000)), { targets: ["anthropic"] });
    expect(large).toContain("the limit is 16384 bytes");
  });

  test("warns of limits that a request with all tools would reach", async () => {
    const tools = (count: number) =>
      Array.from({ length: count }, (_, n) => `/** Does. @tool */\nexport function t${n}(a: number): void {}\n`).join(
        "",
      );
    expect(await problemsOf(tools(129), { targets: ["openai", "openai-chat", "gemini"] })).toEqual([
      "0:0 target-tool-count - there are 129 tools, and a request takes at most 128 (openai, openai-chat)",
    ]);
    const [first, ...more] = await problemsOf(tools(21), { targets: ["anthropic-strict"] });
    expect(first).toContain("target-request-limit");
    expect(first).toContain("anthropic-strict is not possible for t9: tools 21 in the request");
    expect(more).toEqual([]);
  });

  test("reports nothing, and keeps nothing, without targets", async () => {
    const result = await compileText(tool("  /** @minLength 3 */ name: string"), {});
    expect(result.problems).toEqual([]);
    expect(result).not.toHaveProperty("sizes");
  });

  test("names the targets when one is unknown", async () => {
    const { problems, manifest } = await compileText(tool("  a: string"), { targets: ["grok" as "openai"] });
    expect(manifest).toBeUndefined();
    expect(problems).toMatchObject([{ code: "target-unknown", hint: `the targets are ${TARGET_NAMES.join(", ")}` }]);
  });

  test("gives the same manifest as without", async () => {
    const text = tool("  /** @minLength 3 */ name: string, more: { a: string }[]");
    const { manifest } = await compileText(text, { targets: [...TARGET_NAMES] });
    expect(manifest).toEqual((await compileText(text, {})).manifest);
    expect(manifest).toBeDefined();
  });
});

test("check() reports them as well", async () => {
  const overlay = new Map([
    [`${ROOT}/tsconfig.json`, TSCONFIG],
    [`${ROOT}/tools.ts`, tool("  /** @minLength 3 */ name: string")],
  ]);
  const { problems } = await check({ cwd: ROOT, project: join(ROOT, "tsconfig.json"), overlay, targets: ["gemini"] });
  expect(problems.map(({ code }) => code)).toEqual(["target-keyword"]);
});

test("every code that target-messages.ts can give is shown here", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  const codes = [...read("../src/errors/target-messages.ts").matchAll(/"(target-[a-z-]+)",/g)].map(([, code]) => code!);
  expect(codes).toHaveLength(9);
  const shown = read("./check-targets.test.ts");
  expect(codes.filter((code) => !shown.includes(code))).toEqual([]);
});
