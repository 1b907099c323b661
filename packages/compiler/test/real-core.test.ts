// The command line with the compiler's own core: what the double cannot show.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { build, check, compile, formatProblems, ToolSchemaError } from "../src/index.js";
import { makeProject, ONE_TOOL, useCommand } from "./doubles/command.js";

const { run } = useCommand({ core: "real" });
const manifestOf = (cwd: string) => readFileSync(join(cwd, "src/callsign.manifest.json"), "utf8");

describe("callsignc", () => {
  test("builds, is up to date, and notices a type that changed in another file", async () => {
    const cwd = makeProject({
      ...ONE_TOOL,
      "src/seat.ts": "export interface Seat { row: number }\n",
      "src/book.ts":
        'import type { Seat } from "./seat.js";\n/**\n * Books.\n * @tool\n */\nexport function book(seat: Seat): void {}\n',
    });
    expect(await run(["build"], { cwd })).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringMatching(/^built 2 tools; wrote/),
    });
    expect((await run(["build"], { cwd })).stdout).toBe("up to date: 2 tools in src/callsign.manifest.json\n");
    writeFileSync(join(cwd, "src/seat.ts"), "export interface Seat { row: string }\n");
    const { status, stderr } = await run(["check"], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain("type number → string");
  });
  test("gives the same bytes in any folder, and a check there is content with them", async () => {
    const cwd = makeProject(ONE_TOOL);
    await run(["build"], { cwd });
    const other = makeProject({ "package.json": "{}" });
    cpSync(cwd, join(other, "deep/er/place"), { recursive: true, filter: (path) => !path.includes("node_modules") });
    expect((await run(["check"], { cwd: join(other, "deep/er/place") })).status).toBe(0);
    expect(manifestOf(cwd)).not.toContain(cwd);
  });
  test("inspect takes the tsconfig next to the file, wherever it is asked", async () => {
    const cwd = makeProject({
      ...ONE_TOOL,
      "other/tsconfig.json": JSON.stringify({ compilerOptions: { paths: { near: ["./near.ts"] } }, files: ["a.ts"] }),
      "other/near.ts": "export interface Near { n: number }\n",
      "other/a.ts": 'import type { Near } from "near";\n/** Takes it. */\nexport function take(near: Near): void {}\n',
    });
    const { stdout } = await run(["inspect", "other/a.ts", "--json"], { cwd });
    expect(JSON.parse(stdout).take.schema.properties).toEqual({ n: { type: "number" } });
  });
  test("inspect answers for every export, as text and as JSON, and exits with 0 also where an export is impossible", async () => {
    const cwd = makeProject({
      ...ONE_TOOL,
      "src/any.ts":
        "/** Adds. */\nexport const add = (a: number) => a;\nexport function bad(f: () => void) {}\nexport interface Seat { row: number }\n",
    });
    const json = await run(["inspect", "src/any.ts", "--json"], { cwd });
    expect({ status: json.status, stderr: json.stderr }).toEqual({ status: 0, stderr: "" });
    const entries = JSON.parse(json.stdout);
    expect(Object.keys(entries).sort()).toEqual(["Seat", "add", "bad"]);
    expect(entries.add).toMatchObject({ kind: "tool", name: "add", description: "Adds." });
    expect(entries.Seat).toMatchObject({ kind: "schema" });
    expect(entries.bad.errors[0]).toMatchObject({ file: "src/any.ts", line: 3 });
    const text = await run(["inspect", "src/any.ts", "add", "bad"], { cwd });
    expect(text.status).toBe(0);
    expect(text.stdout).toMatch(/^add: tool\n\n {2}Adds\.\n\nparameters\n/m);
    expect(text.stdout).toContain("bad: not possible\n\nsrc/any.ts:3:");
    expect(await run(["inspect", "src/any.ts", "adds"], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("did you mean add?"),
    });
    expect(await run(["inspect", "src/none.ts"], { cwd })).toMatchObject({ status: 2 });
  });
  test("shows the type's error with frame and hint, and leaves what was there", async () => {
    const cwd = makeProject({
      ...ONE_TOOL,
      "src/bad.ts": "/**\n * Does.\n * @tool\n */\nexport function bad(done: () => void): void {}\n",
    });
    const { status, stderr } = await run(["build"], { cwd });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^src\/bad\.ts:5:\d+ - error [a-z-]+: /);
    expect(stderr).toContain("> 5 | export function bad(done: () => void): void {}\n");
    expect(existsSync(join(cwd, "src/callsign.manifest.json"))).toBe(false);
  });
});

describe("the API", () => {
  test("compile() writes nothing, build() writes, check() compares", async () => {
    const cwd = makeProject(ONE_TOOL);
    const { manifest, problems } = await compile({ cwd });
    expect(problems).toEqual([]);
    expect(readdirSync(join(cwd, "src"))).toEqual(["tools.ts"]);
    expect((await check({ cwd })).files.map(({ state }) => state)).toEqual(["missing", "missing", "missing"]);
    const built = await build({ cwd });
    expect(built.manifest.tools).toEqual(manifest?.tools);
    expect(built.files.every(({ written }) => written)).toBe(true);
    expect(await check({ cwd })).toMatchObject({ current: true, differences: [] });
  });
  test("build() throws a ToolSchemaError with all problems, compile() gives them", async () => {
    const cwd = makeProject({
      ...ONE_TOOL,
      "src/bad.ts": "/**\n * Does.\n * @tool\n */\nexport function bad(done: () => void, any): void {}\n",
    });
    const { manifest, problems } = await compile({ cwd });
    expect(manifest).toBeUndefined();
    const error = await build({ cwd }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolSchemaError);
    expect((error as ToolSchemaError).problems).toEqual(problems);
    expect(problems.length).toBe(2);
    expect(formatProblems(problems)).toContain("  in    bad(done)\n");
  });
  test("a compile with an overlay is never answered from, nor kept in, the record", async () => {
    const cwd = makeProject(ONE_TOOL);
    await build({ cwd });
    const overlay = new Map([
      [join(cwd, "src/tools.ts"), "/**\n * Other.\n * @tool\n */\nexport function other(): void {}\n"],
    ]);
    expect((await compile({ cwd, overlay })).manifest?.tools.map(({ name }) => name)).toEqual(["other"]);
    expect((await build({ cwd })).manifest.tools.map(({ name }) => name)).toEqual(["sendLetter"]);
  });
});

const cases = fileURLToPath(new URL("../../../../shared/cases/", import.meta.url));
if (existsSync(cases)) {
  test("the public case of line ends (RC-C01) holds for the whole command line", async () => {
    const { files } = JSON.parse(readFileSync(join(cases, "RC-C01.json"), "utf8"));
    const marked = {
      ...files,
      "src/tools.ts": files["src/tools.ts"].replace(
        " */\nexport function sendLetter",
        " * @tool\n */\nexport function sendLetter",
      ),
    };
    const cwd = makeProject(marked);
    const convert = (path: string) =>
      writeFileSync(join(cwd, path), readFileSync(join(cwd, path), "utf8").replaceAll("\n", "\r\n"));
    await run(["build"], { cwd });
    const text = manifestOf(cwd);
    convert("src/callsign.manifest.json");
    expect((await run(["check"], { cwd })).status).toBe(0);
    writeFileSync(join(cwd, "src/callsign.manifest.json"), text);
    convert("src/tools.ts");
    expect((await run(["check"], { cwd })).status).toBe(0);
    await run(["build"], { cwd });
    expect(manifestOf(cwd)).toBe(text);
    writeFileSync(join(cwd, "src/tools.ts"), marked["src/tools.ts"].replace("text: string", "text: number"));
    const { status, stderr } = await run(["check"], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain("sendLetter(text): type string → number");
  });
}
