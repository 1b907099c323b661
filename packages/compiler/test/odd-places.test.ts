// The command where things are not as they usually are: odd paths, links, lost permissions, closed or full outputs.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { finish, makeProject, ONE_TOOL, useCommand } from "./doubles/command.js";

const { run, start, folder } = useCommand({ core: "real" });
const bin = join(folder, "bin/callsignc.js");
const within = (name: string) =>
  Object.fromEntries(Object.entries(ONE_TOOL).map(([path, text]) => [`${name}/${path}`, text]));

describe("callsignc", () => {
  test.each(["spaces and ünïcödé 漢字 🙂", "' \" ` #%20 $x [a] (b) {c} & ; +"])(
    "works in a folder with %s in its name",
    async (name) => {
      const cwd = join(makeProject(within(name)), name);
      expect(await run(["build"], { cwd })).toMatchObject({ status: 0, stderr: "" });
      expect(await run(["build"], { cwd })).toMatchObject({ stdout: expect.stringMatching(/^up to date/) });
      expect(await run(["check", "--cwd", cwd], { cwd: folder })).toMatchObject({ status: 0 });
      const inspected = await run(["inspect", join(cwd, "src/tools.ts"), "--json"], { cwd: folder });
      expect(Object.keys(JSON.parse(inspected.stdout))).toEqual(["sendLetter"]);
    },
  );

  test.each([[["--preserve-symlinks"]], [["--preserve-symlinks", "--preserve-symlinks-main"]]])(
    "works through a link in node_modules/.bin, with %j",
    (options: readonly string[]) => {
      const cwd = makeProject(ONE_TOOL);
      mkdirSync(join(cwd, "node_modules/.bin"));
      const link = join(cwd, "node_modules/.bin/callsignc");
      symlinkSync(bin, link);
      const { status, stdout } = spawnSync(process.execPath, [...options, link, "build"], { cwd, encoding: "utf8" });
      expect(stdout).toMatch(/^built 1 tool/);
      expect(status).toBe(0);
    },
  );

  test("works where its own folder, the project and the cache can only be read", async () => {
    const cwd = makeProject(ONE_TOOL);
    await run(["build"], { cwd });
    rmSync(join(cwd, "node_modules/.cache"), { recursive: true });
    const closed = [join(folder, "dist"), join(folder, "bin"), join(cwd, "node_modules"), join(cwd, "src"), cwd];
    for (const path of closed) chmodSync(path, 0o555);
    try {
      for (const [command, said] of [
        ["check", /^current: /],
        ["build", /^built 1 tool; 3 files unchanged/],
        ["show", /^tool +sendLetter/],
      ] as const) {
        const { status, stdout, stderr } = await run([command], { cwd, respectsPermissions: true });
        expect({ status, stderr }, command).toEqual({ status: 0, stderr: "" });
        expect(stdout).toMatch(said);
      }
    } finally {
      for (const path of closed) chmodSync(path, 0o755);
    }
  });

  test("says that the current folder is gone, and does without it where it can", async () => {
    const cwd = makeProject(ONE_TOOL);
    const gone = makeProject({});
    const inGone = (...words: string[]) =>
      spawnSync(
        "sh",
        ["-c", 'cd "$1" && rm -r "$1" && shift && exec "$@"', "sh", gone, process.execPath, bin, ...words],
        {
          encoding: "utf8",
        },
      );
    const remake = () => mkdirSync(gone, { recursive: true });
    const build = inGone("build");
    expect(build.stderr).toContain("callsignc: the current folder does not exist any more\n  hint  go to a folder");
    expect(build.status).toBe(2);
    remake();
    expect(inGone("build", "--cwd", cwd)).toMatchObject({ status: 0 });
    remake();
    expect(inGone("--version")).toMatchObject({ status: 0 });
    remake();
    expect(inGone("check", "--help")).toMatchObject({ status: 0 });
  });
});

describe("what callsignc prints", () => {
  const cwd = makeProject(ONE_TOOL);
  beforeAll(() => run(["build"], { cwd }));

  test.each([["--help"], ["show"], ["inspect src/tools.ts --json"]])("may be read in part: %s", async (words) => {
    const child = start(words.split(" "), { cwd });
    child.stdout?.destroy();
    expect(await finish(child)).toMatchObject({ status: 0, stderr: "" });
  });

  test("goes nowhere on a full disk, which is exit status 2 with a reason", () => {
    const full = (redirect: string, ...words: string[]) =>
      spawnSync("sh", ["-c", `exec "$@" ${redirect}`, "sh", process.execPath, bin, ...words], {
        cwd,
        encoding: "utf8",
      });
    for (const words of [["show"], ["--help"], ["check", "--json"]]) {
      const { status, stderr } = full(">/dev/full", ...words);
      expect(stderr).toBe(
        "callsignc: the output cannot be written: ENOSPC: no space left on device, write\n  hint  give it another place, or make room there\n",
      );
      expect(status).toBe(2);
    }
    expect(full(">/dev/full 2>/dev/full", "show")).toMatchObject({ status: 2 });
  });

  test("may be long, and arrives whole through a slow pipe", async () => {
    const tools = Array.from(
      { length: 400 },
      (_, n) => `/** ${"Long. ".repeat(60)} @tool */ export const t${n} = (x: string) => x;`,
    );
    const cwd = makeProject({ ...ONE_TOOL, "src/many.ts": tools.join("\n") });
    await run(["build"], { cwd });
    const child = start(["show", "--json"], { cwd });
    child.stdout?.pause();
    setTimeout(() => child.stdout?.resume(), 500);
    const { status, stdout } = await finish(child);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(401);
  });
});

describe("a file that cannot be read", () => {
  const locked = async (path: string, words: readonly string[]) => {
    const cwd = makeProject({ ...ONE_TOOL, "callsign.config.json": '{ "strict": true }' });
    await run(["build"], { cwd });
    const before = readFileSync(join(cwd, path), "utf8");
    chmodSync(join(cwd, path), 0o000);
    const outcome = await run(words, { cwd, respectsPermissions: true });
    chmodSync(join(cwd, path), 0o644);
    expect(readFileSync(join(cwd, path), "utf8")).toBe(before);
    return outcome;
  };

  test.each([
    ["src/tools.ts", "build", "error file-unreadable: src/tools.ts cannot be read: permission denied"],
    ["tsconfig.json", "build", "error file-unreadable: tsconfig.json cannot be read: permission denied"],
    ["callsign.config.json", "build", "callsignc: callsign.config.json cannot be read: permission denied"],
    ["package.json", "init", "callsignc: package.json cannot be read: permission denied"],
    ["src/callsign.manifest.json", "show", "callsignc: callsign.manifest.json cannot be read: permission denied"],
  ])("is never taken for one that is empty or not there: %s with %s", async (path, command, said) => {
    const { status, stderr } = await locked(path, [command]);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("a fault of callsign");
    expect(status).toBe(command === "build" && !path.startsWith("callsign.") ? 1 : 2);
  });

  test("is stale where it is a generated one", async () => {
    const { status, stdout, stderr } = await locked("src/callsign.gen.ts", ["check"]);
    expect(`${stdout}${stderr}`).toContain("src/callsign.gen.ts is stale: it cannot be read: permission denied");
    expect(status).toBe(1);
  });
});

test("init says why it cannot write, and never names an option that it does not have", async () => {
  const cwd = makeProject({ src: "a file" });
  const { status, stderr } = await run(["init"], { cwd });
  expect(stderr).toContain("tools.ts cannot be written: a part of its path is a file");
  expect(stderr).not.toContain("--out-dir");
  expect(status).toBe(2);
});
