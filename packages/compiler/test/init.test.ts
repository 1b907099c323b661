import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeProject, useCommand } from "./doubles/command.js";

const { run } = useCommand();
const read = (cwd: string, path: string) => readFileSync(join(cwd, path), "utf8");

test("init makes a project in an empty folder that builds, and says what comes next", async () => {
  const cwd = makeProject({});
  const { status, stdout, stderr } = await run(["init"], { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const path of ["package.json", "tsconfig.json", "src/tools.ts", "callsign.config.json", ".gitignore"]) {
    expect(stdout).toContain(`created   ${path}\n`);
  }
  expect(stdout).toContain("Commit the generated files");
  expect(stdout).toContain("npm install\n");
  expect(stdout).not.toMatch(/npx callsign\b/);
  const manifest = JSON.parse(read(cwd, "package.json"));
  expect(manifest.scripts).toEqual({
    callsign: "callsignc build",
    "callsign:check": "callsignc check",
    prebuild: "callsignc build",
    predev: "callsignc build",
    pretest: "callsignc build",
  });
  expect(Object.keys(manifest.dependencies)).toEqual(["@callsign/runtime"]);
  expect(Object.keys(manifest.devDependencies)).toEqual(["@callsign/compiler"]);
  expect(await run(["build"], { cwd })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("built 1 tool; wrote src/"),
  });
  expect(await run(["check"], { cwd })).toMatchObject({ status: 0 });
});

test("init overwrites nothing, adds only what is lacking, keeps the manner of package.json, and may be run again", async () => {
  const files = {
    "package.json":
      '{\r\n\t"name": "mine",\r\n\t"scripts": {\r\n\t\t"build": "tsc",\r\n\t\t"pretest": "mine",\r\n\t\t"test": "vitest"\r\n\t},\r\n\t"dependencies": {\r\n\t\t"@callsign/runtime": "*"\r\n\t}\r\n}',
    "tsconfig.json": '{ "include": ["src"] }',
    "src/tools.ts": "// mine\n",
    "callsign.config.json": "{}",
    "pnpm-lock.yaml": "",
    ".gitignore": "dist",
  };
  const cwd = makeProject(files);
  const { stdout } = await run(["init", "--ignore"], { cwd });
  for (const path of ["tsconfig.json", "src/tools.ts", "callsign.config.json"] as const) {
    expect(read(cwd, path)).toBe(files[path]);
    expect(stdout).toContain(`kept      ${path}\n`);
  }
  expect(stdout).toContain(
    "added     script callsign, script callsign:check, script prebuild, @callsign/compiler to package.json",
  );
  expect(stdout).toContain("pnpm install\n");
  const text = read(cwd, "package.json");
  expect(text).toMatch(/^\{\r\n\t"name": "mine",\r\n/);
  expect(text.endsWith("}")).toBe(true);
  expect(JSON.parse(text).scripts).toMatchObject({
    build: "tsc",
    prebuild: "callsignc build",
    pretest: "mine",
    test: "vitest",
  });
  expect(read(cwd, ".gitignore")).toBe("dist\ncallsign.manifest.json\ncallsign.gen.ts\ncallsign.tools.gen.ts\n");
  const again = await run(["init", "--ignore"], { cwd });
  expect(again.stdout).toContain("kept      package.json\n");
  expect(read(cwd, "package.json")).toBe(text);
  expect(read(cwd, ".gitignore").match(/callsign\.gen\.ts/g)).toHaveLength(1);
});

test("init in a folder where packages have just been installed makes modules and hooks, as in an empty one", async () => {
  const cwd = makeProject({ "package.json": '{\n  "dependencies": { "@callsign/runtime": "^0.1.0" }\n}\n' });
  const { stdout } = await run(["init"], { cwd });
  expect(stdout).toContain("added     type module, script callsign");
  expect(JSON.parse(read(cwd, "package.json"))).toMatchObject({
    type: "module",
    scripts: { prebuild: "callsignc build" },
    dependencies: { "@callsign/runtime": "^0.1.0" },
  });
  const chosen = makeProject({ "package.json": '{ "name": "mine", "main": "index.js" }' });
  await run(["init"], { cwd: chosen });
  expect(JSON.parse(read(chosen, "package.json")).type).toBeUndefined();
});

test("init makes a project that knows what tools name most: URL, AbortSignal, fetch, console", async () => {
  const cwd = makeProject({});
  await run(["init"], { cwd });
  writeFileSync(
    join(cwd, "src/more.ts"),
    "/**\n * Loads.\n * @tool\n */\nexport async function load(from: URL, signal: AbortSignal): Promise<void> {\n  console.log(await fetch(from, { signal }));\n}\n",
  );
  expect(await run(["build"], { cwd })).toMatchObject({ status: 0, stderr: "" });
});

test("init uses the tsconfig of a folder above, and a configuration in package.json", async () => {
  const cwd = makeProject({ "tsconfig.json": "{}", "inner/package.json": '{"callsign":{"outDir":"gen"}}' });
  await run(["init", "--cwd", "inner"], { cwd });
  expect(existsSync(join(cwd, "inner/tsconfig.json"))).toBe(false);
  expect(existsSync(join(cwd, "inner/callsign.config.json"))).toBe(false);
});

test("a package.json that cannot be read ends init with 2 before anything is written", async () => {
  const cwd = makeProject({ "package.json": "{ broken" });
  const { status, stderr } = await run(["init"], { cwd });
  expect(status).toBe(2);
  expect(stderr).toContain("package.json is not JSON");
  expect(existsSync(join(cwd, "src"))).toBe(false);
});
