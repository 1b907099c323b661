import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finish, makeProject, ONE_TOOL, type Outcome, until, useCommand } from "./doubles/command.js";

const { start } = useCommand();
const running = new Set<{ child: ReturnType<typeof start>; ended: Promise<Outcome> }>();

afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill("SIGKILL");
    await ended;
  }
  running.clear();
});

/** A watch whose builds can be counted: with `--json` each is one line. */
function watch(cwd: string, env: Record<string, string> = {}) {
  const child = start(["watch", "--json"], { cwd, env });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  const ended = finish(child);
  running.add({ child, ended });
  const builds = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { child, ended, builds, built: (count: number) => until(() => builds().length >= count) };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const manifestOf = (cwd: string) => join(cwd, "src/callsign.manifest.json");
const edit = (path: string, from: string, to: string) =>
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));

test("watch builds once at its start, not for its own output, not for a save without change, and once for a change", async () => {
  const cwd = makeProject(ONE_TOOL);
  const tools = join(cwd, "src/tools.ts");
  const { child, ended, builds, built } = watch(cwd);
  await built(1);
  await pause(1000);
  expect(builds()).toHaveLength(1);
  const before = statSync(manifestOf(cwd));
  writeFileSync(tools, readFileSync(tools));
  await pause(700);
  expect(builds()).toHaveLength(1);
  expect(statSync(manifestOf(cwd)).mtimeMs).toBe(before.mtimeMs);
  edit(tools, "text: string", "text: number");
  await built(2);
  await pause(700);
  expect(builds()).toHaveLength(2);
  expect(builds()[1].files[0]).toEqual({ path: "src/callsign.manifest.json", written: true });
  expect(JSON.parse(readFileSync(manifestOf(cwd), "utf8")).tools[0].parameters.properties.text.type).toBe("number");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ status: 0, signal: null, stderr: "" });
});

test("watch sees new files in new folders, and removed ones", async () => {
  const cwd = makeProject(ONE_TOOL);
  const { builds, built } = watch(cwd);
  await built(1);
  mkdirSync(join(cwd, "src/deep/er"), { recursive: true });
  writeFileSync(join(cwd, "src/deep/er/more.ts"), "/** Waits. @tool */\nexport function wait(ms: number): void {}\n");
  await until(() => builds().at(-1).tools === 2);
  const count = builds().length;
  edit(join(cwd, "src/deep/er/more.ts"), "ms: number", "ms: string");
  await built(count + 1);
  rmSync(join(cwd, "src/deep"), { recursive: true });
  await until(() => builds().at(-1).tools === 1);
});

test("errors keep watch alive, and a missing file that appears is seen", async () => {
  const cwd = makeProject({
    ...ONE_TOOL,
    "src/ship.ts": 'import type { Parcel } from "../lib/parcel.js";\nexport type P = Parcel;\n',
  });
  const { builds, built } = watch(cwd);
  await built(1);
  expect(builds()[0]).toMatchObject({ ok: false, problems: [{ code: "unresolved-import" }] });
  mkdirSync(join(cwd, "lib"));
  writeFileSync(join(cwd, "lib/parcel.ts"), "export interface Parcel {}\n");
  await until(() => builds().at(-1).ok === true);
});

test("watch lives through a tsconfig that is gone for a while, as when a branch is switched", async () => {
  const cwd = makeProject(ONE_TOOL);
  const { child, ended, built } = watch(cwd);
  await built(1);
  renameSync(join(cwd, "tsconfig.json"), join(cwd, "elsewhere.json"));
  await pause(700);
  edit(join(cwd, "src/tools.ts"), "text: string", "text: number");
  renameSync(join(cwd, "elsewhere.json"), join(cwd, "tsconfig.json"));
  await built(2);
  expect(JSON.parse(readFileSync(manifestOf(cwd), "utf8")).tools[0].parameters.properties.text.type).toBe("number");
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ status: 0, stderr: expect.stringMatching(/^callsignc: there is no tsconfig/) });
});

test("watch writes anew what someone removed or edited", async () => {
  const cwd = makeProject(ONE_TOOL);
  const { built } = watch(cwd);
  await built(1);
  const text = readFileSync(manifestOf(cwd), "utf8");
  rmSync(manifestOf(cwd));
  await built(2);
  expect(readFileSync(manifestOf(cwd), "utf8")).toBe(text);
  writeFileSync(join(cwd, "src/callsign.gen.ts"), "// edited\n");
  await built(3);
  expect(readFileSync(join(cwd, "src/callsign.gen.ts"), "utf8")).not.toBe("// edited\n");
});

test("watch follows its configuration, and lives through a broken one", async () => {
  const cwd = makeProject({ ...ONE_TOOL, "callsign.config.json": "{}" });
  const { builds, built } = watch(cwd);
  await built(1);
  writeFileSync(join(cwd, "callsign.config.json"), '{"outDr":"gen"}');
  await built(2);
  expect(builds()[1]).toMatchObject({ ok: false, problems: [{ code: "config-unknown-key" }] });
  writeFileSync(join(cwd, "callsign.config.json"), '{"outDir":"gen"}');
  await built(3);
  expect(statSync(join(cwd, "gen/callsign.manifest.json")).isFile()).toBe(true);
});

test("watch ends at once on SIGTERM while it compiles, and leaves no half-written file", async () => {
  const cwd = makeProject(ONE_TOOL);
  const { child, ended } = watch(cwd, { CALLSIGN_DOUBLE_SLOW_MS: "50000" });
  await until(() => existsSync(join(cwd, ".compiling")));
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ status: 0, signal: null });
  expect(() => statSync(manifestOf(cwd))).toThrow("ENOENT");
});

test("the text form is one line a build", async () => {
  const cwd = makeProject(ONE_TOOL);
  const child = start(["watch"], { cwd });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  running.add({ child, ended: finish(child) });
  await until(() => output.includes("\n"));
  expect(output).toMatch(/^built 1 tool \(\d+ ms\); wrote src\/callsign\.manifest\.json, .*\n$/);
});
