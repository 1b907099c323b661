import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeProject, useCommand } from "./doubles/command.js";

const { run } = useCommand({ core: "real" });

const tool = (parameter: string, head = "") => `${head}
/**
 * Takes it.
 * @tool
 */
export function take(it: ${parameter}, n: number): void {}
`;
const config = (options: object, more: object = {}) =>
  JSON.stringify({
    compilerOptions: { strict: true, types: [], module: "nodenext", target: "es2022", ...options },
    ...more,
  });

function manifestIn(folder: string) {
  return JSON.parse(readFileSync(join(folder, "callsign.manifest.json"), "utf8"));
}

describe("rootDirs of the tsconfig", () => {
  test("join folders, so that an import finds its file in another of them", async () => {
    const cwd = makeProject({
      "tsconfig.json": config({ rootDirs: ["src", "generated"] }, { include: ["src", "generated"] }),
      "src/tools.ts": tool("Shape", 'import type { Shape } from "./shape.js";\n'),
      "generated/shape.ts": 'export interface Shape { kind: "a" | "b" }\n',
    });
    expect(await run(["build"], { cwd })).toMatchObject({ status: 0, stderr: "" });
    expect(manifestIn(join(cwd, "src")).tools[0].parameters.properties.it.properties.kind.enum).toEqual(["a", "b"]);
    expect((await run(["check"], { cwd })).status).toBe(0);
  });

  test("a file that is not in any of them is an import in vain", async () => {
    const cwd = makeProject({
      "tsconfig.json": config({ rootDirs: ["src"] }, { include: ["src", "generated"] }),
      "src/tools.ts": tool("Shape", 'import type { Shape } from "./shape.js";\n'),
      "generated/shape.ts": "export interface Shape { kind: string }\n",
    });
    const { status, stderr, stdout } = await run(["build"], { cwd });
    expect(status).toBe(1);
    expect(`${stdout}${stderr}`).toContain('unresolved-import: Shape comes from "./shape.js"');
  });
});

describe("a list of tsconfigs in `extends`", () => {
  const files = {
    "tsconfig.json": JSON.stringify({
      extends: ["./base.json", "./paths.json"],
      compilerOptions: { types: [] },
      include: ["src"],
    }),
    "base.json": config({ exactOptionalPropertyTypes: false, paths: { "#shape": ["./nowhere.ts"] } }),
    "paths.json": JSON.stringify({ compilerOptions: { paths: { "#shape": ["./shapes/one.ts"] } } }),
    "src/tools.ts": tool("Shape", 'import type { Shape } from "#shape";\n'),
    "shapes/one.ts": "export interface Shape { one: string }\n",
    "shapes/two.ts": "export interface Shape { two: string }\n",
  };

  test("counts as a whole, the later ones before the earlier", async () => {
    const cwd = makeProject(files);
    expect(await run(["build"], { cwd })).toMatchObject({ status: 0, stderr: "" });
    expect(Object.keys(manifestIn(join(cwd, "src")).tools[0].parameters.properties.it.properties)).toEqual(["one"]);
  });

  test("is an input: a change of one of them is seen by the next build", async () => {
    const cwd = makeProject(files);
    await run(["build"], { cwd });
    writeFileSync(join(cwd, "paths.json"), files["paths.json"].replace("one", "two"));
    expect((await run(["build"], { cwd })).status).toBe(0);
    expect(Object.keys(manifestIn(join(cwd, "src")).tools[0].parameters.properties.it.properties)).toEqual(["two"]);
  });

  test("names the one that is missing", async () => {
    const { "paths.json": _, ...rest } = files;
    const cwd = makeProject(rest);
    const { status, stderr, stdout } = await run(["build"], { cwd });
    expect(status).toBe(1);
    expect(`${stdout}${stderr}`).toMatch(/tsconfig\.json.*\n?.*paths\.json/);
  });
});

test("two cold builds of one project at once both end right, and leave a whole manifest", async () => {
  const tools = Array.from({ length: 60 }, (_, index) =>
    tool(`{ a${index}: string }`).replace("take", `take${index}`),
  ).join("\n");
  const cwd = makeProject({ "tsconfig.json": config({}, { include: ["src"] }), "src/tools.ts": tools });
  const outcomes = await Promise.all([run(["build"], { cwd }), run(["build"], { cwd })]);
  expect(outcomes.map(({ status, stderr }) => ({ status, stderr }))).toEqual([
    { status: 0, stderr: "" },
    { status: 0, stderr: "" },
  ]);
  expect(manifestIn(join(cwd, "src")).tools).toHaveLength(60);
  expect(readdirSync(join(cwd, "src")).filter((name) => !name.startsWith("callsign."))).toEqual(["tools.ts"]);
  expect((await run(["check"], { cwd })).status).toBe(0);
});

test("entries that match nothing leave the manifest as it was", async () => {
  const cwd = makeProject({
    "tsconfig.json": config({}, { include: ["src"] }),
    "src/tools.ts": tool("string"),
  });
  expect((await run(["build"], { cwd })).status).toBe(0);
  const before = readFileSync(join(cwd, "src/callsign.manifest.json"), "utf8");
  writeFileSync(join(cwd, "callsign.config.json"), '{ "entries": ["lib/**/*.ts"] }\n');
  const { status, stdout, stderr } = await run(["build"], { cwd });
  expect(status).toBe(1);
  expect(`${stdout}${stderr}`).toContain("no source file of tsconfig.json is meant by entries (lib/**/*.ts)");
  expect(readFileSync(join(cwd, "src/callsign.manifest.json"), "utf8")).toBe(before);
});
