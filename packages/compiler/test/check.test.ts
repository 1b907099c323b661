import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeProject, ONE_TOOL, useCommand } from "./doubles/command.js";

const { run } = useCommand();
const manifestOf = (cwd: string) => join(cwd, "src/callsign.manifest.json");
const toCrlf = (path: string) => writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"));

test("check takes CR LF on disk for current and leaves it, for manifest and sources alike", async () => {
  const cwd = makeProject(ONE_TOOL);
  await run(["build"], { cwd });
  const first = readFileSync(manifestOf(cwd));
  toCrlf(manifestOf(cwd));
  const before = statSync(manifestOf(cwd));
  expect(await run(["check"], { cwd })).toMatchObject({ status: 0, stderr: "" });
  rmSync(join(cwd, "node_modules/.cache"), { recursive: true });
  expect(await run(["check"], { cwd })).toMatchObject({ status: 0, stderr: "" });
  expect(statSync(manifestOf(cwd)).mtimeMs).toBe(before.mtimeMs);
  expect(readFileSync(manifestOf(cwd), "utf8")).toContain("\r\n");
  writeFileSync(manifestOf(cwd), first);
  toCrlf(join(cwd, "src/tools.ts"));
  toCrlf(join(cwd, "tsconfig.json"));
  expect((await run(["check"], { cwd })).status).toBe(0);
  await run(["build"], { cwd });
  expect(readFileSync(manifestOf(cwd)).equals(first)).toBe(true);
});

test("check names the tool, the property, what was and what would be, and whether callers break", async () => {
  const cwd = makeProject(ONE_TOOL);
  await run(["build"], { cwd });
  const path = join(cwd, "src/tools.ts");
  writeFileSync(path, readFileSync(path, "utf8").replace("text: string", "text: number,\n  copies?: number"));
  const before = readFileSync(manifestOf(cwd));
  const { status, stdout, stderr } = await run(["check"], { cwd });
  expect(status).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^src\/callsign\.manifest\.json is stale\nsrc\/callsign\.gen\.ts is stale\n/);
  expect(stderr).toContain("\n\ntool sendLetter\n");
  expect(stderr).toContain("  breaking  sendLetter(text): type string → number\n");
  expect(stderr).toContain("            sendLetter(copies): property added: optional number\n");
  expect(stderr).toMatch(/\n3 changed, 1 breaking; run `callsignc build` and commit what it writes\n$/);
  expect(readFileSync(manifestOf(cwd)).equals(before)).toBe(true);
});

test("check --json gives the differences as data, and --format github and sarif point at the tool's line", async () => {
  const cwd = makeProject(ONE_TOOL);
  await run(["build"], { cwd });
  const path = join(cwd, "src/tools.ts");
  writeFileSync(path, readFileSync(path, "utf8").replace("text: string", "text: number"));
  const json = await run(["check", "--json"], { cwd });
  expect(json.status).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    command: "check",
    current: false,
    files: [{ path: "src/callsign.manifest.json", state: "stale" }, {}, {}],
    differences: [
      { kind: "tool", name: "sendLetter", path: "sendLetter(text)", before: "string", after: "number", breaking: true },
    ],
  });
  const github = await run(["check", "--format", "github"], { cwd });
  expect(github.stdout).toMatch(/^::error file=src\/callsign\.manifest\.json,line=5,endLine=5,col=15,endColumn=27,/m);
  const sarif = JSON.parse((await run(["check", "--format", "sarif"], { cwd })).stdout);
  expect(sarif.runs[0].results[0].ruleId).toBe("manifest-stale-breaking");
});

test.each([
  ["missing", (path: string) => rmSync(path), "src/callsign.manifest.json does not exist"],
  ["cut off", (path: string) => writeFileSync(path, '{"manifestVersion":'), "is stale: it is not JSON"],
  [
    "in conflict",
    (path: string) => writeFileSync(path, "<<<<<<< ours\n"),
    "is stale: it holds the marks of a merge conflict",
  ],
  [
    "of another kind",
    (path: string) => writeFileSync(path, '{"note":1}'),
    "is stale: it is not a manifest of this version",
  ],
])("a manifest that is %s makes check exit with 1, and never blocks a build", async (_, damage, message) => {
  const cwd = makeProject(ONE_TOOL);
  await run(["build"], { cwd });
  const before = readFileSync(manifestOf(cwd));
  damage(manifestOf(cwd));
  const checked = await run(["check"], { cwd });
  expect(checked.status).toBe(1);
  expect(checked.stderr).toContain(message);
  expect(await run(["build"], { cwd })).toMatchObject({
    status: 0,
    stdout: "built 1 tool; wrote src/callsign.manifest.json\n",
  });
  expect(readFileSync(manifestOf(cwd)).equals(before)).toBe(true);
});

test("a generated module that was edited is stale too", async () => {
  const cwd = makeProject(ONE_TOOL);
  await run(["build"], { cwd });
  writeFileSync(join(cwd, "src/callsign.gen.ts"), "// edited\n");
  const { status, stderr } = await run(["check"], { cwd });
  expect(status).toBe(1);
  expect(stderr).toContain("src/callsign.gen.ts is stale\n");
});

test("with errors in the source check reports them, compares nothing and exits with 1", async () => {
  const cwd = makeProject({ ...ONE_TOOL, "src/more.ts": "/** Runs. @tool */\nexport function go(fast) {}\n" });
  const { status, stderr } = await run(["check"], { cwd });
  expect(status).toBe(1);
  expect(stderr).toContain("error implicit-any");
  expect(stderr).toMatch(/1 error; nothing could be compared\n$/);
});

test("a manifest that was there before a failed build keeps its bytes and time stamp", async () => {
  const cwd = makeProject({
    ...ONE_TOOL,
    "src/ship.ts":
      'import type { Parcel } from "./gen/parcel.js";\n/** Ships. @tool */\nexport function ship(parcel: Parcel): void {}\n',
    "src/callsign.manifest.json": '{"note":"the manifest as it was before this run"}\n',
  });
  const before = statSync(manifestOf(cwd));
  const { status, stderr } = await run(["build"], { cwd });
  expect(status).toBe(1);
  expect(stderr).toContain("./gen/parcel.js");
  expect(readFileSync(manifestOf(cwd), "utf8")).toBe('{"note":"the manifest as it was before this run"}\n');
  expect(statSync(manifestOf(cwd)).mtimeMs).toBe(before.mtimeMs);
});
