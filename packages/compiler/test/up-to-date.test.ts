import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeProject, ONE_TOOL, type RunOptions, until, useCommand } from "./doubles/command.js";

const { folder, run } = useCommand();
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Builds and gives the summary, once the files have come to rest: what changes under a build is never recorded. */
async function build(options: RunOptions, words: readonly string[] = []): Promise<string> {
  await settled();
  const { status, stdout, stderr } = await run(["build", ...words], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test("a build with nothing to do loads neither the core nor TypeScript, and touches no file", async () => {
  const cwd = makeProject(ONE_TOOL);
  expect(await build({ cwd })).toMatch(/^built 1 tool; wrote/);
  const before = statSync(join(cwd, "src/callsign.manifest.json"));
  const env = { CALLSIGN_DOUBLE_FAILS: "1" };
  expect(await build({ cwd, env })).toBe("up to date: 1 tool in src/callsign.manifest.json\n");
  const after = statSync(join(cwd, "src/callsign.manifest.json"));
  expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
  expect((await run(["check"], { cwd, env })).stdout).toBe("current: 1 tool in src/callsign.manifest.json\n");
});

test("warnings of the last build are printed again", async () => {
  const cwd = makeProject({ ...ONE_TOOL, "src/bare.ts": "/** @tool */\nexport function bare(): void {}\n" });
  await settled();
  const first = await run(["build"], { cwd });
  const second = await run(["build"], { cwd });
  expect(second.stdout).toMatch(/^up to date/);
  expect(second.stderr).toBe(first.stderr);
  expect(second.stderr).toContain("warning missing-description");
});

const changes: [what: string, change: (cwd: string) => void][] = [
  ["a source changes", (cwd) => writeFileSync(join(cwd, "src/tools.ts"), `${ONE_TOOL["src/tools.ts"]}// more\n`)],
  [
    "a source changes with its old size and time stamp",
    (cwd) => {
      const path = join(cwd, "src/tools.ts");
      writeFileSync(path, ONE_TOOL["src/tools.ts"].replace("Sends", "Mails"));
    },
  ],
  ["a source comes in", (cwd) => writeFileSync(join(cwd, "src/new.ts"), "export {};\n")],
  [
    "a source comes in, in a new folder",
    (cwd) => {
      mkdirSync(join(cwd, "src/deep/er"), { recursive: true });
      writeFileSync(join(cwd, "src/deep/er/new.ts"), "export {};\n");
    },
  ],
  ["a source goes", (cwd) => rmSync(join(cwd, "src/other.ts"))],
  [
    "the tsconfig changes",
    (cwd) => writeFileSync(join(cwd, "tsconfig.json"), ONE_TOOL["tsconfig.json"].replace("true", "false")),
  ],
  ["the manifest goes", (cwd) => rmSync(join(cwd, "src/callsign.manifest.json"))],
  ["a generated module is edited", (cwd) => writeFileSync(join(cwd, "src/callsign.gen.ts"), "")],
  [
    "the manifest gets CR LF",
    (cwd) => {
      const path = join(cwd, "src/callsign.manifest.json");
      writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"));
    },
  ],
  [
    "the record is torn",
    (cwd) => {
      const folder = join(cwd, "node_modules/.cache/callsign");
      for (const name of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
        writeFileSync(join(folder, name), readFileSync(join(folder, name), "utf8").slice(0, 80));
      }
    },
  ],
  ["the compiler is another build", () => writeFileSync(join(folder, "dist/build-id.txt"), "another\n")],
  ["the cache is removed", (cwd) => rmSync(join(cwd, "node_modules/.cache"), { recursive: true })],
];
test.each(changes)("the work is done again when %s", async (_, change) => {
  const cwd = makeProject({ ...ONE_TOOL, "src/other.ts": "export {};\n" });
  await build({ cwd });
  expect(await build({ cwd })).toMatch(/^up to date/);
  change(cwd);
  expect(await build({ cwd })).toMatch(/^built/);
  expect(await build({ cwd })).toMatch(/^up to date/);
});

test("each set of options has its own record", async () => {
  const cwd = makeProject(ONE_TOOL);
  await build({ cwd });
  expect(await build({ cwd }, ["--out-dir", "gen"])).toMatch(/^built/);
  expect(await build({ cwd }, ["--out-dir", "gen"])).toMatch(/^up to date/);
  expect(await build({ cwd })).toMatch(/^up to date/);
  expect(await build({ cwd }, ["--strict"])).toMatch(/^built/);
});

test("without node_modules the record is kept in the user's cache folder", async () => {
  const cwd = makeProject(ONE_TOOL);
  rmSync(join(cwd, "node_modules"), { recursive: true });
  await build({ cwd });
  expect(await build({ cwd })).toMatch(/^up to date/);
  expect(existsSync(join(cwd, "node_modules"))).toBe(false);
  expect(readdirSync(join(cwd, ".user-cache/callsign")).some((name) => name.endsWith(".json"))).toBe(true);
});

test("a cache that cannot be written costs time and nothing else", async () => {
  const cwd = makeProject(ONE_TOOL);
  // A file where the folder should be: this stops root as well, whom permissions do not.
  writeFileSync(join(cwd, "node_modules/.cache"), "");
  chmodSync(join(cwd, "node_modules/.cache"), 0o400);
  expect(await build({ cwd })).toMatch(/^built 1 tool; wrote/);
  expect(await build({ cwd })).toMatch(/^built 1 tool; 3 files unchanged/);
});

test("a file that changes under the build is looked at again by the next one", async () => {
  const cwd = makeProject(ONE_TOOL);
  await settled();
  const running = run(["build"], { cwd, env: { CALLSIGN_DOUBLE_SLOW_MS: "1500" } });
  await until(() => existsSync(join(cwd, ".compiling")));
  writeFileSync(join(cwd, "src/late.ts"), "export {};\n");
  expect((await running).status).toBe(0);
  expect(await build({ cwd })).toMatch(/^built/);
  expect(await build({ cwd })).toMatch(/^up to date/);
});
