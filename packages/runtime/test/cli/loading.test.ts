import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { finish, makeProject, printed, run, start } from "./command.js";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/** Needs a loader thrice: an enum, `paths` of the tsconfig, and `.js` for a file that is `.ts`. */
const SOURCES = {
  "tsconfig.json": `{
    // Read with its comments.
    "compilerOptions": { "target": "es2023", "module": "nodenext", "paths": { "@levels/*": ["./src/levels/*"] } },
  }`,
  "src/levels/level.ts": "export enum Level { Low = 1, High = 2 }\n",
  "src/count.ts": `import { isMainThread } from "node:worker_threads";
import { Level } from "@levels/level.ts";
import { times } from "./times.js";
export function count(n: number): string { return \`\${times(n, Level.High)} \${isMainThread ? "here" : "in a thread"}\`; }
`,
  "src/times.ts": "export function times(a: number, b: number): number { return a * b; }\n",
  "src/callsign.app.ts": `import { agent, bindTools, workflow, type WorkflowContext } from "@callsign/runtime";
import { Level } from "@levels/level.ts";
import { count } from "./count.js";
const manifest = { manifestVersion: 1, schemas: [], workflows: [], tools: [{
  name: "count", module: "src/count.ts", export: "count", worker: true, call: [{ from: "property", name: "n" }],
  parameters: { type: "object", properties: { n: { const: 21 } }, required: ["n"] } }] } as const;
export const tools = bindTools(manifest as never, { count }, { workers: { from: import.meta.url, modules: { "src/count.ts": "./count.js" } } });
export const counter = agent("Count.", { model: "test/auto", tools: Object.values(tools) });
export const doubled = workflow("doubled", async (ctx: WorkflowContext<void>) => [count(1), Level[2], await counter("go")]);
`,
} as const;
const EXPECTED = ["2 here", "High", "The tools gave back:\n- count: 42 in a thread"];

describe("a module of TypeScript", () => {
  test("with enums, paths of the tsconfig and .js specifiers is loaded by commands, their threads, and serve", async () => {
    const cwd = makeProject(SOURCES);
    const { status, stdout, stderr } = await run(["workflow", "run", "doubled"], { cwd });
    expect({ status, stderr: stderr.replace(/^run .*\n/, "") }).toMatchObject({ status: 0 });
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
    expect(stderr).not.toMatch(/Warning/);

    const asked = await run(["ask", "--tools", "src/callsign.app.ts", "--model", "test/auto", "--quiet", "go"], {
      cwd,
    });
    expect(asked).toMatchObject({ status: 0, stdout: `${EXPECTED[2]}\n` });

    const server = start(["serve", "--port", "0", "--json"], { cwd });
    const ended = finish(server);
    const [url = ""] = await printed(server, /http:[^"]+/);
    const answer = await fetch(`${url}/workflows/doubled/run`, { method: "POST" });
    expect(((await answer.json()) as { result: unknown }).result).toEqual(EXPECTED);
    server.kill("SIGTERM");
    expect((await ended).status).toBe(0);
  });

  test("is loaded in a package of CommonJS too, as npm init makes one", async () => {
    const cwd = makeProject({
      "package.json": '{ "type": "commonjs" }',
      "src/two.ts": "export const two: number = 2;\n",
      "src/callsign.app.ts": `import { workflow } from "@callsign/runtime";
import { two } from "./two";
export const twice = workflow("twice", async () => two * 2);
`,
    });
    expect(await run(["workflow", "run", "twice", "--quiet"], { cwd })).toEqual({
      status: 0,
      stdout: "4\n",
      stderr: "",
    });
  });

  test("may import types as if they were values, and have decorators and const enums", async () => {
    const cwd = makeProject({
      "src/kinds.ts": "export interface Kind { readonly name: string }\nexport const enum Size { Small = 7 }\n",
      "src/callsign.app.ts": `import { workflow, WorkflowContext } from "@callsign/runtime";
import { Kind, Size } from "./kinds.js";
const loud = (_: unknown, key: string) => { names.push(key); };
const names: string[] = [];
class Sizes { @loud size(): number { return Size.Small; } }
export const sizes = workflow("sizes", async (ctx: WorkflowContext<Kind>) => [names, new Sizes().size()]);
`,
    });
    const { status, stdout } = await run(["workflow", "run", "sizes", "--quiet"], { cwd });
    expect({ status, value: JSON.parse(stdout) }).toEqual({ status: 0, value: [["size"], 7] });
  });

  test("without the loader, JavaScript still works and TypeScript names the package to install", async () => {
    const cwd = makeProject({
      ...SOURCES,
      "plain.mjs": `import { workflow } from "@callsign/runtime";
export const plain = workflow("plain", async () => "works");
`,
    });
    // A copy of the package as it is installed, beside everything that it depends on but jiti.
    const modules = join(cwd, "node_modules");
    const own = join(modules, "@callsign/runtime");
    rmSync(own);
    mkdirSync(own);
    for (const name of ["bin", "dist", "package.json"]) {
      cpSync(join(repository, "packages/runtime", name), join(own, name), { recursive: true });
    }
    for (const name of readdirSync(join(repository, "node_modules"))) {
      if (["jiti", "@callsign", ".bin"].includes(name)) continue;
      symlinkSync(join(repository, "node_modules", name), join(modules, name));
    }
    const program = join(own, "bin/callsign.js");
    const plain = await run(["workflow", "run", "plain", "--module", "plain.mjs", "--quiet"], { cwd, program });
    expect(plain).toEqual({ status: 0, stdout: "works\n", stderr: "" });
    const { status, stdout, stderr } = await run(["workflow", "run", "doubled"], { cwd, program });
    expect(stderr).toMatch(/^callsign: src\/callsign\.app\.ts cannot be loaded: .*npm install jiti/);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    // Whatever copy is started, the one of the project runs.
    expect((await run(["workflow", "run", "doubled"], { cwd })).stderr).toBe(stderr);
  });

  test.each([
    [
      "a package that is not installed",
      'import x from "left-pad"; export const y = x;',
      /bad\.ts imports "left-pad", and the package left-pad is not installed\n {2}hint {2}npm install left-pad/,
    ],
    [
      "a module that is not there",
      'import { x } from "./nowhere.js"; export const y = x;',
      /bad\.ts imports "(?:\.\/)?nowhere\.js", and a module is not there\n$/,
    ],
    [
      "an error while it is loaded",
      "export const x = 1;\nexport const y = [1].nope();\n",
      /nope is not a function \(bad\.ts:2:\d+\)\n$/,
    ],
    [
      "an error where a loader is needed",
      'enum A { B }\nconsole.log(A.B);\nthrow new TypeError("inside");\n',
      /: inside \(bad\.ts:3:\d+\)\n$/,
    ],
    ["a syntax error", "export const a = {;\n", /Unexpected token \(bad\.ts:1:\d+\)\n$/],
    ["a throw of a text", 'throw "plain text";', /cannot be loaded: plain text\n$/],
  ])("with %s exits with 2 and says where", async (_, text, message) => {
    const cwd = makeProject({ "bad.ts": text });
    const { status, stdout, stderr } = await run(["workflow", "list", "--module", "bad.ts"], { cwd });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  test.each([
    ["callsign.config.json", { "callsign.config.json": '{ "module": "lib/here.mjs" }' }],
    ["package.json", { "package.json": '{ "type": "module", "callsign": { "module": ["lib/here.mjs"] } }' }],
  ])("may be named in %s, and is found from a folder below", async (_, files) => {
    const cwd = makeProject({
      ...files,
      "lib/here.mjs":
        'import { workflow } from "@callsign/runtime";\nexport const here = workflow("here", async () => 1);\n',
    });
    const { status, stdout } = await run(["workflow", "list"], { cwd: join(cwd, "lib") });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "  here\n" });
  });

  test("of another copy of callsign is refused, with both places", async () => {
    const cwd = makeProject({
      "inner/node_modules/@callsign/runtime/package.json":
        '{ "name": "@callsign/runtime", "exports": { "./package.json": "./package.json" } }',
      "inner/app.mjs": "export {};",
    });
    const { status, stderr } = await run(["workflow", "list", "--module", "inner/app.mjs"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain("another copy of @callsign/runtime");
  });
});
