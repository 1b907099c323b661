import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { removeLeftovers, writeAtomically } from "../src/manifest/write-atomically.js";
import { hashContent } from "../src/source/hash-content.js";
import { finish, makeProject, ONE_TOOL, useCommand } from "./doubles/command.js";

const { run, start } = useCommand();
const OUTPUTS = ["callsign.gen.ts", "callsign.manifest.json", "callsign.tools.gen.ts"];
const OLD = {
  "src/callsign.manifest.json": '{"old":1}\n',
  "src/callsign.gen.ts": "// old\n",
  "src/callsign.tools.gen.ts": "// old\n",
};
const manyTools = (count: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `/** Does the thing numbered ${index}. @tool */\nexport function thing${index}(amount: number): void {}\n`,
  ).join("");
const leftovers = (cwd: string) => readdirSync(join(cwd, "src")).filter((name) => name.endsWith(".tmp"));
const stillOld = (cwd: string) =>
  Object.entries(OLD).every(([path, text]) => readFileSync(join(cwd, path), "utf8") === text);

describe("writeAtomically()", () => {
  test("leaves a file alone whose bytes are right already, and writes the others", () => {
    const cwd = makeProject({ "a.txt": "same\n", "b.txt": "old\n" });
    const before = statSync(join(cwd, "a.txt"));
    const files = [
      { path: join(cwd, "a.txt"), text: "same\n" },
      { path: join(cwd, "b.txt"), text: "new\n" },
      { path: join(cwd, "deep/er/c.txt"), text: "new\n" },
    ];
    expect(writeAtomically(files).map(({ written }) => written)).toEqual([false, true, true]);
    expect(statSync(join(cwd, "a.txt")).ino).toBe(before.ino);
    expect(statSync(join(cwd, "a.txt")).mtimeMs).toBe(before.mtimeMs);
    expect(readFileSync(join(cwd, "deep/er/c.txt"), "utf8")).toBe("new\n");
    expect(readdirSync(cwd).sort()).toEqual(["a.txt", "b.txt", "deep", "node_modules"]);
  });
  test("keeps the mode of the file, and writes through a link", () => {
    const cwd = makeProject({ "real/a.txt": "old\n" });
    chmodSync(join(cwd, "real/a.txt"), 0o640);
    symlinkSync(join(cwd, "real/a.txt"), join(cwd, "a.txt"));
    writeAtomically([{ path: join(cwd, "a.txt"), text: "new\n" }]);
    expect(lstatSync(join(cwd, "a.txt")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, "real/a.txt"), "utf8")).toBe("new\n");
    expect(statSync(join(cwd, "real/a.txt")).mode & 0o777).toBe(0o640);
  });
  test("changes no file when one of them cannot be written, and says which and why", () => {
    const cwd = makeProject({ "a.txt": "old\n", file: "" });
    mkdirSync(join(cwd, "c.txt"));
    const attempt = (path: string) => () =>
      writeAtomically([
        { path: join(cwd, "a.txt"), text: "new\n" },
        { path: join(cwd, path), text: "new\n" },
      ]);
    expect(attempt("c.txt")).toThrow(expect.objectContaining({ code: "output-not-written", file: join(cwd, "c.txt") }));
    expect(attempt("c.txt")).toThrow(
      "a folder of that name stands in its place (EISDIR); the file on disk is unchanged",
    );
    expect(attempt("file/b.txt")).toThrow("a part of its path is a file");
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("old\n");
    expect(readdirSync(cwd).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("removeLeftovers()", () => {
  const host = hashContent(hostname()).slice(0, 8);
  test("removes those of builds that have ended, and no others", () => {
    const gone = `.callsign.gen.ts.${host}-999999999-0123abcd.tmp`;
    const running = `.callsign.gen.ts.${host}-${process.ppid}-0123abcd.tmp`;
    const own = `.callsign.manifest.json.${host}-${process.pid}-0123abcd.tmp`;
    const elsewhere = ".callsign.gen.ts.00000000-999999999-0123abcd.tmp";
    const others = [".callsign.gen.ts.tmp", ".other.ts.00000000-1-0123abcd.tmp", "callsign.gen.ts"];
    const cwd = makeProject(Object.fromEntries([gone, running, own, elsewhere, ...others].map((name) => [name, ""])));
    removeLeftovers(cwd);
    expect(readdirSync(cwd).sort()).toEqual([running, own, elsewhere, "node_modules", ...others].sort());
    removeLeftovers(cwd, { own: true });
    expect(existsSync(join(cwd, own))).toBe(false);
    removeLeftovers(join(cwd, "nowhere"));
  });
});

describe("callsignc build", () => {
  test("leaves the old files whole when they would outgrow the limit of the file size", async () => {
    const cwd = makeProject({ ...ONE_TOOL, ...OLD, "src/many.ts": manyTools(400) });
    const { status, stderr } = await run(["build"], { cwd, ulimit: "-f 16" });
    expect(stderr).toMatch(
      /^callsignc: callsign\.manifest\.json cannot be written: .*\(EFBIG\); the file on disk is unchanged\n {2}hint/,
    );
    expect(status).toBe(2);
    expect(stillOld(cwd)).toBe(true);
    expect(leftovers(cwd)).toEqual([]);
  });
  test("leaves the old files whole when it is killed while it writes, and the next build tidies up", async () => {
    const cwd = makeProject({ ...ONE_TOOL, ...OLD, "src/many.ts": manyTools(3000) });
    let killedInTheMiddle = 0;
    for (let attempt = 0; attempt < 20 && killedInTheMiddle < 2; attempt++) {
      for (const [path, text] of Object.entries(OLD)) writeFileSync(join(cwd, path), text);
      const child = start(["build"], { cwd });
      const ended = finish(child);
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      // Looked at without a pause between: the time between the first temporary file and the renames is short.
      while (!isOver && leftovers(cwd).length === 0) await new Promise((resolve) => setImmediate(resolve));
      child.kill("SIGKILL");
      await ended;
      for (const name of OUTPUTS) {
        const text = readFileSync(join(cwd, "src", name), "utf8");
        if (text === OLD[`src/${name}` as keyof typeof OLD]) continue;
        expect(text.endsWith("\n")).toBe(true);
        if (name.endsWith(".json")) expect(JSON.parse(text).tools).toHaveLength(3001);
      }
      if (leftovers(cwd).length > 0) killedInTheMiddle++;
    }
    expect(killedInTheMiddle).toBeGreaterThan(0);
    expect((await run(["build"], { cwd })).status).toBe(0);
    expect(leftovers(cwd)).toEqual([]);
    expect((await run(["check"], { cwd })).status).toBe(0);
  });
  test("two builds at once leave whole files and nothing else", async () => {
    const cwd = makeProject({ ...ONE_TOOL, "src/many.ts": manyTools(500) });
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => run(["build"], { cwd })));
    expect(outcomes.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      outcomes.map(() => ({ status: 0, stderr: "" })),
    );
    expect(readdirSync(join(cwd, "src")).sort()).toEqual([...OUTPUTS, "many.ts", "tools.ts"]);
    expect((await run(["check"], { cwd })).status).toBe(0);
  });
  test("says what to do about a folder that cannot be written", async () => {
    const cwd = makeProject({ ...ONE_TOOL, blocked: "" });
    const { status, stderr } = await run(["build", "--out-dir", "blocked/here"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toMatch(/callsign\.manifest\.json cannot be written: a part of its path is a file/);
    expect(stderr).toContain("hint  move that file away, or choose another folder with `outDir` (`--out-dir`)");
  });
  test("a read-only folder leaves the old files whole", async () => {
    const cwd = makeProject({ ...ONE_TOOL, ...OLD });
    chmodSync(join(cwd, "src"), 0o555);
    const { status, stderr } = await run(["build"], { cwd, respectsPermissions: true });
    chmodSync(join(cwd, "src"), 0o755);
    expect(status).toBe(2);
    expect(stderr).toContain("permission denied (EACCES)");
    expect(stillOld(cwd)).toBe(true);
  });
});
