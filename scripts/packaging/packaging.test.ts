// The packages as they would be published: packed, installed into an empty project, compiled against and run there.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, describe, expect, test } from "vitest";
import { makeProject } from "./consumer.js";
import { importedPackages, reachableDeclarations } from "./imports.js";
import { NAMES, type PackageName, packPackages, repository } from "./pack-packages.js";

/** Subpaths that are about an optional peer. */
const ABOUT_A_PEER = ["@callsign/runtime/postgres", "@callsign/runtime/dbos", "@callsign/compiler/vitest"];

const STALE = ["dist/stale.js", "dist/chunk-STALE.js", "dist/index.js.map", "dist/.tsbuildinfo"];
const { folder, workspace, packed } = packPackages({ stale: STALE });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = (name: PackageName, path: string): string => readFileSync(join(packed[name].folder, path), "utf8");
/** What can be imported as code, as one writes it. */
const subpaths = (name: PackageName): string[] =>
  Object.entries(packed[name].manifest.exports)
    .filter(([path]) => !path.endsWith(".json"))
    .map(([path]) => path.replace(/^\./, packed[name].manifest.name));
const every = NAMES.flatMap(subpaths);

// Of @types/node alone: the declarations name Node's own types.
const consumer = makeProject(join(folder, "consumer"), [
  ...NAMES.map((name) => packed[name].archive),
  "@types/node@24",
]);
const compilers = makeProject(join(folder, "compilers"), [
  "typescript-5@npm:typescript@~5.9",
  "typescript-6@npm:typescript@6",
  "typescript-7@npm:typescript@7",
]);

describe.each(NAMES)("the package %s", (name) => {
  const { files, manifest } = packed[name];

  test("holds what was built for it, and nothing that was left over", () => {
    const outside = files.filter((path) => !path.startsWith("dist/") && !path.startsWith("bin/"));
    const schema = name === "runtime" ? "manifest.schema.json" : "config.schema.json";
    expect(outside).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json", schema].sort());
    expect(files.filter((path) => STALE.includes(path) || /\.(?:map|tsbuildinfo)$|(?<!\.d)\.tsx?$/.test(path))).toEqual(
      [],
    );
    // `dist/providers/test` is the provider of that name.
    const tests = /\.(?:test|spec)\.|^(?!dist\/providers\/test\/)(?:.*\/)?(?:tests?|fixtures|__\w+__)\//;
    expect(files.filter((path) => tests.test(path))).toEqual([]);
    expect(manifest.scripts.prepack).toBe("node ../../scripts/build.mjs --clean");
  });

  test("names no source map and no path of the machine that built it", () => {
    const machine = [repository.replace(/\/$/, ""), workspace, folder, homedir()].filter(
      (path) => path !== "/root" && path !== "/",
    );
    for (const path of files) {
      const content = text(name, path);
      expect(content, path).not.toMatch(/^\/\/[#@] sourceMappingURL=/m);
      for (const part of machine) expect(content.includes(part), `${part} in ${path}`).toBe(false);
    }
  });

  test("has commands that can be executed", () => {
    for (const path of Object.values(manifest.bin)) {
      expect(statSync(join(packed[name].folder, path)).mode & 0o111, path).toBe(0o111);
      expect(text(name, path)).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  test("imports only what it declares", () => {
    const declared = new Set([
      manifest.name,
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    ]);
    for (const path of files.filter((each) => /\.c?js$/.test(each) && !each.endsWith("typescript.cjs"))) {
      expect(
        importedPackages(packed[name].folder, path).filter((each) => !declared.has(each)),
        path,
      ).toEqual([]);
    }
    const entries = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "object" && entry.types ? [entry.types] : [],
    );
    for (const path of reachableDeclarations(packed[name].folder, entries)) {
      expect(
        importedPackages(packed[name].folder, path).filter((each) => !declared.has(each)),
        path,
      ).toEqual([]);
    }
  });

  test("is as large as its README says", () => {
    const [sizeKb, unpackedMb] = [packed[name].sizeBytes / 1e3, packed[name].unpackedSizeBytes / 1e6];
    console.log(
      `${manifest.name}: packed ${sizeKb.toFixed(0)} kB, unpacked ${unpackedMb.toFixed(1)} MB, ${files.length} files`,
    );
    const [, statedKb, statedMb] = /\bpacked (\d+) kB, unpacked ([\d.]+) MB/i.exec(text(name, "README.md")) ?? [];
    expect(Math.abs(Number(statedKb) / sizeKb - 1), `packed ${sizeKb.toFixed(0)} kB`).toBeLessThan(0.1);
    expect(Math.abs(Number(statedMb) / unpackedMb - 1), `unpacked ${unpackedMb.toFixed(2)} MB`).toBeLessThan(0.1);
  });

  test("passes publint", async () => {
    const archive = readFileSync(packed[name].archive);
    const { messages, pkg } = await publint({
      strict: true,
      pack: { tarball: archive.buffer.slice(archive.byteOffset, archive.byteOffset + archive.byteLength) },
    });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test("has types that say what is there, for everybody who imports it as a module", async () => {
    const result = await checkPackage(createPackageFromTarballData(readFileSync(packed[name].archive)));
    const problems = result.types === false ? ["no types"] : result.problems;
    // A package of modules: by require() and in the resolution of before 2022 there is nothing to find.
    const isOutOfScope = (problem: (typeof problems)[number]): boolean =>
      typeof problem === "object" &&
      "resolutionKind" in problem &&
      ["node10", "node16-cjs"].includes(problem.resolutionKind);
    expect(problems.filter((problem) => !isOutOfScope(problem))).toEqual([]);
  });
});

describe("types", () => {
  const withPeers = join(folder, "with-peers");

  // The peers that the repository develops with stand in for an installation of all of them.
  function installPeers(): void {
    mkdirSync(join(withPeers, "node_modules"), { recursive: true });
    for (const source of [join(consumer.folder, "node_modules"), join(repository, "node_modules")]) {
      for (const name of packagesIn(source)) {
        const target = join(withPeers, "node_modules", name);
        if (name.startsWith("@callsign/") && source.startsWith(repository)) continue;
        mkdirSync(join(target, ".."), { recursive: true });
        if (statSync(target, { throwIfNoEntry: false }) === undefined) symlinkSync(join(source, name), target);
      }
    }
  }
  installPeers();

  const cases = ["typescript-5", "typescript-6", "typescript-7"].flatMap((compiler) =>
    ["nodenext", "bundler"].map((resolution) => [compiler, resolution] as const),
  );
  test.each(cases)("of every subpath pass every check of %s under %s", (compiler, resolution) => {
    const source = (paths: readonly string[]): string =>
      paths.map((path, index) => `import * as n${index} from "${path}";\nexport { n${index} };\n`).join("");
    const use = `import { agent, tool, type RunEvent } from "@callsign/runtime";
export const add = tool({ name: "add" }, (a: number, b: number): number => a + b);
const assistant = agent("Add.", { model: "test/auto", tools: [add] });
export const answer: Promise<string> = assistant("1 + 2?");
export const events: AsyncIterable<RunEvent> = assistant.stream("1 + 2?");
// @ts-expect-error there is no such option
agent("Add.", { model: "test/auto", tool: add });
`;
    const options = {
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        target: "es2023",
        module: resolution === "bundler" ? "esnext" : "nodenext",
        moduleResolution: resolution,
        types: ["node"],
      },
    };
    const without = every.filter((path) => !ABOUT_A_PEER.includes(path));
    consumer.write({
      "types/all.ts": source(without),
      "types/use.ts": use,
      "types/tsconfig.json": JSON.stringify(options),
    });
    const tsc = join(compilers.folder, "node_modules", compiler, "bin/tsc");
    expect(consumer.node(tsc, "-p", "types")).toEqual({ status: 0, stdout: "", stderr: "" });
    // With everything installed, whose own declarations are not ours to check.
    const all = { compilerOptions: { ...options.compilerOptions, skipLibCheck: true } };
    const inPeers = (path: string): string => join("../with-peers", path);
    consumer.write({ [inPeers("all.ts")]: source(every), [inPeers("tsconfig.json")]: JSON.stringify(all) });
    expect(consumer.node(tsc, "-p", withPeers)).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});

describe("in an empty project", () => {
  test("a first tool is compiled and called", () => {
    const init = consumer.bin("callsignc", "init");
    expect(init).toMatchObject({ status: 0, stderr: "" });
    expect(consumer.bin("callsignc", "build")).toMatchObject({ status: 0, stderr: "" });
    expect(consumer.bin("callsignc", "check")).toMatchObject({ status: 0 });
    const { tools } = JSON.parse(readFileSync(join(consumer.folder, "src/callsign.manifest.json"), "utf8"));
    expect(tools).toHaveLength(1);

    const asked = consumer.bin(
      "callsign",
      "ask",
      "--tools",
      "src/callsign.tools.gen.ts",
      "--model",
      "test/auto",
      "--json",
      "Go.",
    );
    const events = asked.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toContain("tool_done");
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "end", toolCallsExecuted: 1 });
    expect(asked).toMatchObject({ status: 0, stderr: "" });

    consumer.write({
      "src/app.ts": `import { agent } from "@callsign/runtime";
import { tools } from "./callsign.tools.gen.js";
const assistant = agent("Use the tools.", { model: "test/auto", tools: Object.values(tools) });
console.log(await assistant("Go."));
`,
    });
    const tsc = join(compilers.folder, "node_modules/typescript-6/bin/tsc");
    expect(consumer.node(tsc, "-p", ".", "--noEmit", "false", "--rootDir", "src", "--outDir", "out")).toMatchObject({
      status: 0,
      stdout: "",
    });
    const run = consumer.node("out/app.js");
    expect(run).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining("The tools gave back:") });
  });

  test("the commands are found through links that Node is told to keep", () => {
    for (const name of ["callsign", "callsignc"]) {
      const link = `node_modules/.bin/${name}`;
      const { status, stderr } = consumer.node("--preserve-symlinks", "--preserve-symlinks-main", link, "--version");
      expect({ status, stderr }, name).toEqual({ status: 0, stderr: "" });
    }
  });

  test.each(every)("%s is imported, and taken by require(), without any optional peer", (path) => {
    for (const [type, script] of [
      ["module", `await import("${path}")`],
      ["commonjs", `require("${path}")`],
    ] as const) {
      const { status, stderr } = consumer.node(`--input-type=${type}`, "-e", script);
      expect({ status, stderr: stderr.replace(/^.*ExperimentalWarning: .*\n.*\n/m, "") }).toEqual({
        status: 0,
        stderr: "",
      });
    }
  });

  const needs: [what: string, install: string, script: string][] = [
    ...(
      [
        ["anthropic/claude-sonnet-5-5", "@anthropic-ai/sdk"],
        ["openai/gpt-6-luna", "openai"],
        ["openai-chat/gpt-6-luna", "openai"],
        ["google/gemini-3.8-flash", "@google/genai"],
        ["ollama/qwen3:8b", "ollama"],
      ] as const
    ).map(([model, install]): [string, string, string] => [
      `the model ${model}`,
      install,
      `const { agent } = await import("@callsign/runtime");
         await agent("x", { model: "${model}", apiKey: "none", baseUrl: "http://127.0.0.1:9" })("?")`,
    ]),
    [
      "telemetry",
      "@opentelemetry/api",
      'const { agent } = await import("@callsign/runtime"); await agent("x", { model: "test/auto", telemetry: true })("?")',
    ],
    ["PostgresStore", "pg", 'await (await import("@callsign/runtime/postgres")).PostgresStore.open()'],
    [
      "DbosCarrier",
      "@dbos-inc/dbos-sdk",
      `const { openEngine, workflow } = await import("@callsign/runtime");
       const { DbosCarrier } = await import("@callsign/runtime/dbos");
       const { SqliteStore } = await import("@callsign/runtime/sqlite");
       const flow = workflow("flow", async () => {});
       const store = await SqliteStore.open("runs.db");
       await openEngine({ store, workflows: [flow], carrier: new DbosCarrier({ url: "postgres://127.0.0.1:9/none" }) })`,
    ],
    ["expectManifest()", "vitest", 'await (await import("@callsign/compiler/vitest")).expectManifest()'],
  ];
  test.each(needs)("%s says to install %s", (_, install, script) => {
    const { stderr, status } = consumer.node(
      "--input-type=module",
      "-e",
      `try { ${script} } catch (error) { console.error(error.message); process.exitCode = 3; }`,
    );
    expect(stderr).toMatch(new RegExp(`run npm install (?:--save-dev )?${install.replace(/[/]/g, "\\/")}(?![\\w/-])`));
    expect(status).toBe(3);
  });
});

function packagesIn(modules: string): string[] {
  return readdirSync(modules).flatMap((name) =>
    name.startsWith("@")
      ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`)
      : name.startsWith(".")
        ? []
        : [name],
  );
}
