import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";
import type { Manifest, ManifestTool } from "@callsign/runtime/manifest";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import type { CompileResult } from "../src/compile-options.js";
import { importSpecifier } from "../src/manifest/import-specifier.js";
import { writeLiteral } from "../src/manifest/write-literal.js";
import { writeModules } from "../src/manifest/write-modules.js";
import { makeProject } from "./doubles/command.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const tool = (name: string, module: string, exported: string, call: ManifestTool["call"] = []): ManifestTool => {
  const names = call.flatMap((slot) => (slot.from === "property" ? [slot.name] : []));
  const properties = Object.fromEntries(names.map((property) => [property, { type: "number" as const }]));
  return {
    name,
    module,
    export: exported,
    parameters: { type: "object", properties, required: names, additionalProperties: false },
    call,
  };
};
const x = [{ from: "property", name: "x" }] as const;
const ab = [
  { from: "property", name: "a" },
  { from: "property", name: "b" },
] as const;
const optionalB = { ...tool("", "", "", [...ab]).parameters, required: ["a"] };

const SOURCES = {
  "src/tools.ts": `export function add(a: number, b = 2): number { return a + b; }
const odd = (x: number) => x + 1;
export { odd as "odd name", odd as class };
export default function (x: number) { return x * 10; }
export class Service<T> {
  private constructor(readonly factor: number) {}
  static of(factor: number) { return new Service<string>(factor); }
  static base = 3;
  static thrice(x: number) { return x * this.base; }
  scale(x: number): Promise<number> { return Promise.resolve(x * this.factor); }
}
export const math = { half: (x: number) => x / 2, deep: { quarter(x: number) { return x / 4; } } };
export interface Forecast { day: string; high?: number }
interface Odd { a: 1 }
export type { Odd as "odd type" };
`,
  "src/2nd-set.mts":
    "export function add(x: number): number { return x; }\nexport function prototype(x: number) { return x; }\n",
  "lib/outside.ts": "export interface Shape { sides: number }\nexport default interface Main { a: string }\n",
};
const MANIFEST: Manifest = {
  $schema: "./nowhere.json",
  manifestVersion: 1,
  tools: [
    { ...tool("add", "src/tools.ts", "add", [...ab]), parameters: optionalB },
    tool("add_two", "src/2nd-set.mts", "add", [...x]),
    tool("constructor", "src/2nd-set.mts", "prototype", [...x]),
    tool("half", "src/tools.ts", "math.half", [...x]),
    tool("odd", "src/tools.ts", "odd name", [...x]),
    tool("class_tool", "src/tools.ts", "class", [...x]),
    tool("quarter", "src/tools.ts", "math.deep.quarter", [...x]),
    tool("scale", "src/tools.ts", "Service#scale", [...x]),
    tool("tenfold", "src/tools.ts", "default", [...x]),
    tool("thrice", "src/tools.ts", "Service.thrice", [...x]),
  ],
  schemas: [
    { name: "Forecast", module: "src/tools.ts", export: "Forecast", schema: { type: "object" } },
    { name: "Main", module: "lib/outside.ts", export: "default", schema: { type: "object" } },
    { name: "Odd", module: "src/tools.ts", export: "odd type", schema: { type: "object" } },
    { name: "Shape", module: "lib/outside.ts", export: "Shape", schema: { type: "object" } },
  ],
  workflows: [],
};
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  types: [],
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
};

/** The project with its generated modules and one file that uses them, ready to be checked or run. */
function generate(
  manifest: Manifest,
  files: Record<string, string>,
  importExtension: CompileResult["importExtension"],
): string {
  const cwd = makeProject({ "package.json": '{"type":"module"}', ...files });
  mkdirSync(join(cwd, "node_modules/@callsign"));
  symlinkSync(join(repository, "packages/runtime"), join(cwd, "node_modules/@callsign/runtime"));
  const modules = writeModules(manifest, {
    root: cwd,
    outDir: join(cwd, "src"),
    importExtension,
    ownAddress: "import.meta.url",
  });
  writeFileSync(join(cwd, "src/callsign.gen.ts"), modules.types);
  writeFileSync(join(cwd, "src/callsign.tools.gen.ts"), modules.tools);
  return cwd;
}

function check(cwd: string, files: string[], options: ts.CompilerOptions): string[] {
  const program = ts.createProgram(
    files.map((path) => join(cwd, path)),
    { ...STRICT, ...options, outDir: join(cwd, "dist"), rootDir: cwd },
  );
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.slice(cwd.length)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
}

describe("the generated modules", () => {
  const node = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  const bundler = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  test.each([
    ["nodenext", node, ".js"],
    [
      "nodenext with .ts imports",
      { ...node, allowImportingTsExtensions: true, rewriteRelativeImportExtensions: true },
      ".ts",
    ],
    ["a bundler", bundler, ""],
    ["a bundler, with .js imports", bundler, ".js"],
  ] as const)("type-check under every strict option with %s", (_, options, importExtension) => {
    const cwd = generate(MANIFEST, SOURCES, importExtension);
    const problems = check(cwd, ["src/callsign.gen.ts", "src/callsign.tools.gen.ts"], options);
    // `isolatedDeclarations` is asked of the generated modules only.
    expect(
      problems.filter((problem) => !problem.includes("--isolatedDeclarations") || problem.includes(".gen.ts")),
    ).toEqual([]);
  });
  test("are typed: wrong implementations, tools that do not exist and wrong arguments do not compile", () => {
    const cwd = generate(
      MANIFEST,
      {
        ...SOURCES,
        "src/use.ts": `import { bind, schemas } from "./callsign.gen.js";
import { tools } from "./callsign.tools.gen.js";
import { math, Service } from "./tools.js";
const bound = bind({ math, Service: Service.of(2) });
export const results: Promise<number>[] = [bound.half.execute({ x: 1 }), bound.scale.execute({ x: 1 }), tools.add.execute({ a: 1 })];
export const day: Promise<string> = schemas.Forecast.parse({}).then((forecast) => forecast.day);
export const scaled: Promise<number> = tools.Service(Service.of(3)).scale.execute({ x: 1 });
// @ts-expect-error: not what the module exports
bind({ math: { half: 1 } });
// @ts-expect-error: no such tool
tools.nothing;
// @ts-expect-error: a is a number
tools.add.execute({ a: "1" });
// @ts-expect-error: only math was bound
bind({ math }).scale;
`,
      },
      ".js",
    );
    expect(check(cwd, ["src/use.ts"], { ...node, isolatedDeclarations: false })).toEqual([]);
  });
  test("bind what they say, whatever the exports are called", () => {
    const cwd = generate(
      MANIFEST,
      {
        ...SOURCES,
        "src/run.ts": `import { tools } from "./callsign.tools.gen.js";
import { bind } from "./callsign.gen.js";
import * as all from "./tools.js";
const results: Record<string, unknown> = {};
for (const name of ["add_two", "class_tool", "constructor", "half", "odd", "quarter", "tenfold", "thrice"] as const)
  results[name] = await tools[name].execute({ x: 8 });
results.add = await tools.add.execute({ a: 1 , b: 5 });
results.scale = await tools.Service(all.Service.of(7)).scale.execute({ x: 8 });
results.bound = await bind({ math: all.math }).half.execute({ x: 3 });
console.log(JSON.stringify(results));
`,
      },
      ".js",
    );
    expect(run(cwd, "src/run.ts")).toEqual({
      add_two: 8,
      class_tool: 9,
      constructor: 8,
      half: 4,
      odd: 9,
      quarter: 2,
      tenfold: 80,
      thrice: 24,
      add: 6,
      scale: 56,
      bound: 1.5,
    });
  });
  test("can stand in a cycle with the module that holds tools, schema and agent, entered from either side", () => {
    const one = tool("add", "src/app.ts", "add", [
      { from: "property", name: "a" },
      { from: "property", name: "b" },
    ]);
    const schema = {
      name: "Total",
      module: "src/app.ts",
      export: "Total",
      schema: { type: "object" as const, properties: { sum: { type: "number" as const } }, required: ["sum"] },
    };
    const app = `import { agent } from "@callsign/runtime";
import { bind, schemas } from "./callsign.gen.js";
export interface Total { sum: number }
export function add(a: number, b: number): number { return a + b; }
bind({ add });
export const assistant = agent("Compute.", { model: "test/auto", tools: [add], responseFormat: schemas.Total });
`;
    const print = `const total = await assistant("What is 1 + 2?");\nconsole.log(JSON.stringify({ isTotal: typeof total.sum === "number" }));\n`;
    const cwd = generate(
      { ...MANIFEST, tools: [one], schemas: [schema] },
      {
        "src/app.ts": app,
        "src/app-first.ts": `import { assistant } from "./app.js";\nimport "./callsign.gen.js";\n${print}`,
        "src/gen-first.ts": `import "./callsign.gen.js";\nimport { assistant } from "./app.js";\n${print}`,
      },
      ".js",
    );
    for (const entry of ["src/app-first.ts", "src/gen-first.ts"]) {
      expect(check(cwd, [entry], { ...node, isolatedDeclarations: false })).toEqual([]);
      expect(run(cwd, entry)).toEqual({ isTotal: true });
    }
  });
  test("say where threads load the modules of tools marked @worker, and nothing else of it", () => {
    const place = { root: "/p", outDir: "/p/src", importExtension: ".js", ownAddress: "__filename" } as const;
    const worker = { ...tool("heavy", "lib/heavy.ts", "heavy"), worker: true };
    const { types, tools } = writeModules({ ...MANIFEST, tools: [...MANIFEST.tools, worker] }, place);
    expect(types).toMatch(/\}, \{ from: __filename, modules: \{\s*"lib\/heavy.ts": "..\/lib\/heavy.js"\s*\} \}\);/);
    expect(tools).not.toContain("__filename");
    expect(writeModules(MANIFEST, place).types).not.toContain("__filename");
  });
  test("begin with what made them and keep linters away; an unrelated module leaves their other lines alone", () => {
    const place = { root: "/p", outDir: "/p/src", importExtension: ".js", ownAddress: "import.meta.url" } as const;
    const before = writeModules(MANIFEST, place);
    for (const text of Object.values(before)) {
      expect(text).toMatch(/^\/\/ Generated by callsignc .*\n\/\* eslint-disable \*\/\n\/\/ biome-ignore-all lint/);
    }
    const more = writeModules(
      { ...MANIFEST, tools: [...MANIFEST.tools, tool("zz", "src/aaa.ts", "zz", [...x])] },
      place,
    );
    const lost = before.types.split("\n").filter((line) => !more.types.split("\n").includes(line));
    expect(lost).toEqual([]);
    expect(writeModules(MANIFEST, place)).toEqual(before);
  });
  test("a project without tools gets modules that type-check too", () => {
    const cwd = generate({ manifestVersion: 1, tools: [], schemas: [], workflows: [] }, { "src/x.ts": "" }, ".js");
    expect(check(cwd, ["src/callsign.gen.ts", "src/callsign.tools.gen.ts"], node)).toEqual([]);
  });
});

test.each([
  ["src/tools.ts", ".js", "./tools.js"],
  ["src/tools.ts", ".ts", "./tools.ts"],
  ["src/tools.ts", "", "./tools"],
  ["src/view.tsx", ".js", "./view.js"],
  ["src/view.tsx", "", "./view"],
  ["src/a.mts", "", "./a.mjs"],
  ["src/a.cts", ".js", "./a.cjs"],
  ["src/a.mts", ".ts", "./a.mts"],
  ["src/plain.js", "", "./plain"],
  ["src/plain.mjs", "", "./plain.mjs"],
  ["src/types.d.ts", ".js", "./types.js"],
  ["lib/deep/x.ts", ".js", "../lib/deep/x.js"],
] as const)("importSpecifier() of %s with %j is %s", (module, importExtension, expected) => {
  expect(importSpecifier(join("/p", module), { outDir: "/p/src", importExtension })).toBe(expected);
});

test("writeLiteral() gives back every JSON value, keys such as __proto__ included", () => {
  const value = JSON.parse('{"__proto__":{"a":[1,null,"\\u2028"]},"":{},"constructor":[],"x y":"</script>"}');
  const read = runInThisContext(`(${writeLiteral(value)})`);
  expect(JSON.stringify(read)).toBe(JSON.stringify(value));
  expect(Object.hasOwn(read, "__proto__")).toBe(true);
});

function run(cwd: string, entry: string): unknown {
  const { isolatedDeclarations: _, ...options } = STRICT;
  const program = ts.createProgram([join(cwd, entry)], {
    ...options,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    outDir: join(cwd, "dist"),
    rootDir: cwd,
  });
  program.emit();
  const main = pathToFileURL(join(cwd, "dist", entry.replace(/ts$/, "js"))).href;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", `await import(${JSON.stringify(main)})`],
    { cwd, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}
