import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkNode } from "../src/commands/check-node.js";
import { UsageError } from "../src/commands/usage-error.js";
import { finish, makeProject, ONE_TOOL, useCommand } from "./doubles/command.js";

const { run, start } = useCommand();
const commands = ["init", "build", "check", "watch", "inspect", "show"] as const;

describe("callsignc", () => {
  test("--help lists every command, and exits with 0", async () => {
    const { status, stdout, stderr } = await run(["--help"], { cwd: makeProject({}) });
    expect(status).toBe(0);
    expect(stderr).toBe("");
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} +\\w`, "m"));
  });
  test.each(commands)("%s --help says how it is called and names its options, as does help", async (command) => {
    const cwd = makeProject({});
    const asked = await run([command, "--help"], { cwd });
    expect(asked.status).toBe(0);
    expect(asked.stdout).toMatch(new RegExp(`^Usage: callsignc ${command} `, "m"));
    expect(asked.stdout).toContain("--cwd FOLDER");
    expect((await run(["help", command], { cwd })).stdout).toBe(asked.stdout);
  });
  test("--version prints the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
    expect(await run(["--version"], { cwd: makeProject({}) })).toMatchObject({ status: 0, stdout: `${version}\n` });
  });
  test("without a command it prints the help on the error stream and exits with 2", async () => {
    const { status, stdout, stderr } = await run([], { cwd: makeProject({}) });
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("Usage: callsignc COMMAND");
  });

  const wrong: [what: string, words: string[], message: RegExp, hint: RegExp][] = [
    ["an unknown command", ["biuld"], /has no command "biuld"/, /did you mean `callsignc build`\?/],
    ["a command far from any", ["frobnicate"], /has no command "frobnicate"/, /commands are init, build, check/],
    ["an unknown option", ["build", "--projct", "x"], /build has no option --projct/, /did you mean --project\?/],
    ["an option before the command", ["--json", "build"], /has no option --json/, /behind a command/],
    ["an option without its value", ["build", "--project"], /--project needs a value: TSCONFIG/, /build --help/],
    ["an option instead of a value", ["build", "--project", "--strict"], /--project needs a value/, /build --help/],
    ["a switch with a value", ["build", "--strict=no"], /--strict takes no value/, /build --help/],
    [
      "an option given twice",
      ["build", "--project", "a", "--project", "b"],
      /--project was given twice/,
      /build --help/,
    ],
    ["an unknown format", ["check", "--format", "sarf"], /--format does not take "sarf"/, /did you mean sarif\?/],
    ["formats that contradict", ["check", "--json", "--format", "text"], /contradict/, /leave one/],
    ["an argument too many", ["build", "src"], /build does not take the argument "src"/, /build --help/],
    ["a missing argument", ["inspect"], /inspect needs FILE/, /inspect --help/],
    ["a file that is not there", ["inspect", "src/nowhere.ts"], /there is no file src\/nowhere\.ts/, /path of a file/],
    ["a tsconfig that is not there", ["build", "--project", "other.json"], /there is no file other\.json/, /--project/],
    ["a folder that is not there", ["build", "--cwd", "nowhere"], /--cwd nowhere is not a folder/, /exists/],
    ["a manifest that is not there", ["show", "add"], /there is no src\/callsign\.manifest\.json/, /build/],
  ];
  test.each(wrong)("%s exits with 2 and says what to type instead", async (_, words, message, hint) => {
    const { status, stdout, stderr } = await run(words, { cwd: makeProject(ONE_TOOL) });
    expect(stderr).toMatch(/^callsignc: /);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });
  test("a project without a tsconfig exits with 2 and names init, never the bare name of the package", async () => {
    const { status, stderr } = await run(["build"], { cwd: makeProject({}) });
    expect(status).toBe(2);
    expect(stderr).toContain("there is no tsconfig.json in");
    expect(stderr).toContain("npx @callsign/compiler init");
    expect(stderr).not.toMatch(/npx callsign\b/);
  });
  test("a reader that closes early is no failure", async () => {
    const cwd = makeProject(ONE_TOOL);
    await run(["build"], { cwd });
    const child = start(["show", "sendLetter"], { cwd });
    child.stdout?.destroy();
    expect(await finish(child)).toMatchObject({ status: 0, stderr: "" });
  });
});

test("a Node that is too old is told so, with a way out", () => {
  expect(() => checkNode("20.20.2")).toThrow("callsign needs Node 22.13 or newer, and this is Node 20.20.2");
  expect(() => checkNode("22.9.0")).toThrow(UsageError);
  for (const version of ["22.13.0", "22.13.1", "24.0.0", "100.0.0"]) checkNode(version);
});

describe("callsignc build", () => {
  test("writes the manifest and both modules, and says so in one line", async () => {
    const cwd = makeProject(ONE_TOOL);
    expect(await run(["build"], { cwd })).toEqual({
      status: 0,
      signal: null,
      stderr: "",
      stdout: "built 1 tool; wrote src/callsign.manifest.json, src/callsign.gen.ts, src/callsign.tools.gen.ts\n",
    });
    const manifest = JSON.parse(readFileSync(join(cwd, "src/callsign.manifest.json"), "utf8"));
    expect(manifest.tools[0].name).toBe("sendLetter");
  });
  test("reports every error with frame and hint on the error stream, writes nothing and exits with 1", async () => {
    const cwd = makeProject({
      ...ONE_TOOL,
      "src/more.ts": "/** Runs. @tool */\nexport function go(fast, far) {}\n",
    });
    const { status, stdout, stderr } = await run(["build"], { cwd });
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("src/more.ts:2:20 - error implicit-any: the parameter fast has no type\n");
    expect(stderr).toContain("> 2 | export function go(fast, far) {}\n    |                    ^^^^\n");
    expect(stderr).toContain("  in    go(far)\n");
    expect(stderr).toMatch(/\n2 errors; nothing was written\n$/);
    expect(() => readFileSync(join(cwd, "src/callsign.manifest.json"))).toThrow("ENOENT");
  });
  test("--json prints one object with files and problems on the standard output, and nothing else", async () => {
    const cwd = makeProject({ ...ONE_TOOL, "src/bare.ts": "/** @tool */\nexport function bare(): void {}\n" });
    const { status, stdout, stderr } = await run(["build", "--json"], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      command: "build",
      ok: true,
      tools: 2,
      files: [{ path: "src/callsign.manifest.json", written: true }, {}, {}],
      problems: [{ severity: "warning", code: "missing-description", location: { file: "src/bare.ts", line: 2 } }],
    });
  });
  test("--strict turns a missing description into an error", async () => {
    const cwd = makeProject({ ...ONE_TOOL, "src/bare.ts": "/** @tool */\nexport function bare(): void {}\n" });
    expect((await run(["build"], { cwd })).status).toBe(0);
    expect((await run(["build", "--strict"], { cwd })).status).toBe(1);
  });
  test("--format github annotates, with paths from the repository's root", async () => {
    const cwd = makeProject({ ...ONE_TOOL, "src/more.ts": "/** Runs. @tool */\nexport function go(fast) {}\n" });
    const { stdout } = await run(["build", "--format", "github"], { cwd, env: { GITHUB_WORKSPACE: join(cwd, "..") } });
    const folder = cwd.slice(cwd.lastIndexOf("/") + 1);
    expect(stdout).toContain(`::error file=${folder}/src/more.ts,line=2,endLine=2,col=20,endColumn=24,`);
  });
  test("--description first-line, --out-dir and --cwd reach the compile", async () => {
    const cwd = makeProject(ONE_TOOL);
    const { status } = await run(["build", "--cwd", cwd, "--out-dir", "generated", "--description", "first-line"], {
      cwd: makeProject({}),
    });
    expect(status).toBe(0);
    const manifest = JSON.parse(readFileSync(join(cwd, "generated/callsign.manifest.json"), "utf8"));
    expect(manifest.tools[0].description).toBe("Sends a letter.");
  });
});

describe("configuration", () => {
  test("callsign.config.json is found from a folder below, its paths start from its own folder", async () => {
    const cwd = makeProject({ ...ONE_TOOL, "callsign.config.json": '{"outDir":"gen","description":"first-line"}' });
    expect((await run(["build"], { cwd: join(cwd, "src") })).stdout).toContain("wrote gen/callsign.manifest.json");
  });
  test("the key callsign of package.json does the same, and the command line comes first", async () => {
    const cwd = makeProject({ ...ONE_TOOL, "package.json": '{"callsign":{"outDir":"gen"}}' });
    expect((await run(["build"], { cwd })).stdout).toContain("wrote gen/callsign.manifest.json");
    expect((await run(["build", "--out-dir", "other"], { cwd })).stdout).toContain(
      "wrote other/callsign.manifest.json",
    );
  });
  test("all that is wrong is said at once, with file, pointer and what is allowed, and exits with 2", async () => {
    const cwd = makeProject({
      ...ONE_TOOL,
      "callsign.config.json": '{\n  "strct": true,\n  "entries": "src",\n  "description": "short"\n}\n',
    });
    const { status, stderr } = await run(["build"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain(
      "callsign.config.json:2:3 - error config-unknown-key: callsign.config.json#/strct is not a setting",
    );
    expect(stderr).toContain("did you mean strict?");
    expect(stderr).toContain('callsign.config.json#/entries is the string "src"');
    expect(stderr).toContain('allowed is "full" or "first-line"');
    expect(stderr).toContain("3 errors in the configuration; nothing was done");
  });
  test.each([
    ["no JSON", { "callsign.config.json": "{ strict: true }" }, /callsign\.config\.json is not JSON/],
    ["no object", { "callsign.config.json": "[]" }, /callsign\.config\.json# is an empty list/],
    [
      "two of them",
      { "callsign.config.json": "{}", "package.json": '{"callsign":{}}' },
      /both callsign\.config\.json and/,
    ],
    [
      "a wrong key in package.json",
      { "package.json": '{"callsign":{"out":1}}' },
      /package\.json#\/callsign\/out is not a setting/,
    ],
  ])("%s is an error with exit status 2", async (_, files, message) => {
    const { status, stderr } = await run(["check"], { cwd: makeProject({ ...ONE_TOOL, ...files }) });
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
  test("a package is not compiled by the settings of another one around it", async () => {
    const cwd = makeProject({ "callsign.config.json": '{"outDir":"gen"}', "package.json": "{}" });
    const inner = join(cwd, "inner");
    const { mkdirSync, writeFileSync } = await import("node:fs");
    for (const [path, text] of Object.entries(ONE_TOOL)) {
      mkdirSync(join(inner, path, ".."), { recursive: true });
      writeFileSync(join(inner, path), text);
    }
    expect((await run(["build"], { cwd: inner })).stdout).toContain("wrote src/callsign.manifest.json");
  });
});

describe("callsignc show", () => {
  test("prints one tool for people, or its entry of the manifest as JSON", async () => {
    const cwd = makeProject(ONE_TOOL);
    await run(["build"], { cwd });
    const text = (await run(["show", "sendLetter"], { cwd })).stdout;
    expect(text).toMatch(/^tool sendLetter\n {2}from src\/tools\.ts, export sendLetter\n\n {2}Sends a letter\.\n/);
    expect(text).toContain('\nparameters\n  {\n    "type": "object",');
    expect(JSON.parse((await run(["show", "sendLetter", "--json"], { cwd })).stdout)).toMatchObject({
      kind: "tool",
      name: "sendLetter",
    });
  });
  test("lists everything when no name is given", async () => {
    const cwd = makeProject(ONE_TOOL);
    await run(["build"], { cwd });
    expect((await run(["show"], { cwd })).stdout).toBe("tool      sendLetter  Sends a letter.\n");
  });
  test("suggests a name that is near", async () => {
    const cwd = makeProject(ONE_TOOL);
    await run(["build"], { cwd });
    const { status, stderr } = await run(["show", "sendleter"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain("did you mean sendLetter?");
  });
});
