// `--validators` from build to call, in a process that may not evaluate strings.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { finish, makeProject, ONE_TOOL, useCommand } from "./doubles/command.js";

const { run } = useCommand({ core: "real" });
const repository = fileURLToPath(new URL("../../..", import.meta.url));

const SOURCE = `import { tool, type Format, type MinLength } from "@callsign/runtime";

interface Node { value: string & MinLength<2>; children: Node[] }

/** Books. @tool */
export function book(when: Date, mail: string & Format<"email">, seats: Set<number>, node?: Node): Date[] {
  return [when];
}

/** A trip. @schema */
export type Trip = { kind: "rail"; stops: string[] } | { kind: "air"; code: string };
`;

const APP = `import { createRequire } from "node:module";
import { manifest, schemas, bind } from "./src/callsign.gen.ts";
import { useValidators } from "@callsign/runtime";
if (process.argv[2] === "with") useValidators(manifest, (await import("./src/callsign.validators.gen.js")).validators);
const { book } = bind({ book: (when, mail, seats) => [when, new Date(seats.size)] });
const results = [];
const attempt = async (act) => {
  try {
    results.push(await act());
  } catch (error) {
    results.push(error.code + ": " + error.message);
  }
};
await attempt(() => book.execute({ when: "2026-01-01T00:00:00Z", mail: "a@example.com", seats: [1, 2] }));
await attempt(() => book.execute({ when: "soon", mail: "a", seats: ["1"], node: { value: "x", children: [{}] }, __proto: 1 }));
await attempt(() => schemas.Trip.parse({ kind: "rail", stops: ["a"] }));
await attempt(() => schemas.Trip.parse({ kind: "sea", stops: 1 }));
const loaded = Object.keys(createRequire(import.meta.url).cache).some((path) => /ajv.dist.(?:core|2020|compile)/.test(path));
console.log(JSON.stringify({ results, loaded }));
`;

function makeApplication(): string {
  const cwd = makeProject({ ...ONE_TOOL, "src/tools.ts": SOURCE, "app.mjs": APP });
  mkdirSync(join(cwd, "node_modules/@callsign"), { recursive: true });
  symlinkSync(join(repository, "packages/runtime"), join(cwd, "node_modules/@callsign/runtime"));
  return cwd;
}

async function start(cwd: string, words: readonly string[]) {
  const { status, stdout, stderr } = await finish(spawn(process.execPath, words, { cwd }));
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { results: unknown[]; loaded: boolean };
}

describe("callsignc build --validators", () => {
  test("writes validators that work where eval is forbidden, with the answers that Ajv gives elsewhere", async () => {
    const cwd = makeApplication();
    const built = await run(["build", "--validators"], { cwd });
    expect(built).toMatchObject({ status: 0, stderr: "" });
    expect(built.stdout).toContain("src/callsign.validators.gen.js, src/callsign.validators.gen.d.ts");
    const forbidden = await start(cwd, ["--disallow-code-generation-from-strings", "app.mjs", "with"]);
    const lazy = await start(cwd, ["app.mjs"]);
    expect(forbidden.results).toEqual(lazy.results);
    expect([forbidden.loaded, lazy.loaded]).toEqual([false, true]);
    expect(forbidden.results[0]).toEqual(["2026-01-01T00:00:00.000Z", "1970-01-01T00:00:00.002Z"]);
    expect(forbidden.results[1]).toContain("- when: must be a string in the format date-time");
    expect(forbidden.results[1]).toContain("- mail: must be a string in the format email");
    expect(forbidden.results[1]).toContain("- node.children[0].value: is required");
    const without = await start(cwd, ["--disallow-code-generation-from-strings", "app.mjs"]);
    expect(without.results[0]).toMatch(/Code generation from strings disallowed/);
  });
  test("gives the same bytes each time, is up to date, and is checked", async () => {
    const cwd = makeApplication();
    await run(["build", "--validators"], { cwd });
    const path = join(cwd, "src/callsign.validators.gen.js");
    const text = readFileSync(path, "utf8");
    expect((await run(["build", "--validators"], { cwd })).stdout).toMatch(/^up to date/);
    rmSync(join(cwd, "node_modules/.cache"), { recursive: true });
    expect((await run(["build", "--validators"], { cwd })).stdout).toContain("5 files unchanged");
    writeFileSync(path, `${text}// edited\n`);
    const { status, stderr } = await run(["check", "--validators"], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain("src/callsign.validators.gen.js is stale");
    expect((await run(["check"], { cwd })).status).toBe(0);
  });
  test("stands in the configuration", async () => {
    const cwd = makeApplication();
    writeFileSync(join(cwd, "callsign.config.json"), '{ "validators": true }');
    expect((await run(["build"], { cwd })).stdout).toContain("callsign.validators.gen.js");
  });
  test("its files are no input, also where a source imports them", async () => {
    const cwd = makeApplication();
    const source = `import { validators } from "./callsign.validators.gen.js";\nvoid validators;\n${SOURCE}`;
    writeFileSync(join(cwd, "src/tools.ts"), source);
    expect((await run(["build", "--validators"], { cwd })).status).toBe(0);
    expect((await run(["build", "--validators"], { cwd })).stdout).toMatch(/^up to date/);
  });
});
