// `--target` on the command line, with the compiler's own core.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TARGET_NAMES } from "../src/config/target-names.js";
import { makeProject, ONE_TOOL, useCommand } from "./doubles/command.js";

const { run } = useCommand({ core: "real" });

const SOURCE = `/** Adds. @tool */
export function add(/** @minLength 2 */ text: string, pair: [number, number]): void {}

interface Node { next?: Node }
/** Walks. @tool */
export function walk(node: Node, n: number): void {}

/** A seat. @schema */
export interface Seat { row: number }
`;
const project = (more: Readonly<Record<string, string>> = {}) =>
  makeProject({ ...ONE_TOOL, "src/tools.ts": SOURCE, ...more });

describe("callsignc build --target", () => {
  test("prints what is lost, and what all tools take of a request, and so does a build with nothing to do", async () => {
    const cwd = project();
    const first = await run(["build", "--target", "openai-strict", "--target", "gemini"], { cwd });
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(
      /\nopenai-strict: about \d+ tokens in a request with all tools, 2 strict; largest \w+, \d+ bytes\ngemini: about/,
    );
    expect(first.stderr).toContain(
      "src/tools.ts:2:47 - warning target-keyword: not enforced while the model writes: minLength 2 (openai-strict, gemini)",
    );
    expect(first.stderr).toContain("  in    add(text)\n");
    const again = await run(["build", "--target", "openai-strict", "--target", "gemini"], { cwd });
    expect(again.stdout).toMatch(/^up to date/);
    expect(again.stderr).toBe(first.stderr);
    const json = await run(["build", "--target", "openai-strict", "--target", "gemini", "--json"], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({
      upToDate: true,
      sizes: [
        { tool: "add", target: "openai-strict", strict: true },
        { tool: "add", target: "gemini" },
        { tool: "walk", target: "openai-strict" },
        { tool: "walk", target: "gemini" },
      ],
    });
  });
  test("is asked anew for other targets, and forgets them without", async () => {
    const cwd = project();
    await run(["build", "--target", "gemini"], { cwd });
    const other = await run(["build", "--target", "anthropic-strict"], { cwd });
    expect(other.stdout).not.toMatch(/^up to date/);
    expect(other.stderr).toContain("target-not-strict");
    expect(await run(["build"], { cwd })).toMatchObject({ status: 0, stderr: "" });
  });
  test("stands in the configuration, which the command line replaces", async () => {
    const cwd = project({ "callsign.config.json": '{ "targets": ["anthropic-strict"], "maxToolBytes": 100 }' });
    const configured = await run(["check"], { cwd });
    expect(configured.stderr).toContain("target-not-strict");
    expect(configured.stderr).toContain("the limit is 100 bytes");
    expect((await run(["check", "--target", "openai"], { cwd })).stderr).not.toContain("target-not-strict");
  });
  test("exits with 1 and writes nothing when a provider would refuse the requests", async () => {
    const cwd = project({ "src/bad.ts": '/** Bad. @tool */\nexport function bad(a: { "x y": string }): void {}\n' });
    const { status, stderr } = await run(["build", "--target", "anthropic"], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain("src/bad.ts:2:33 - error target-property-name");
    expect(() => readFileSync(join(cwd, "src/callsign.manifest.json"))).toThrow("ENOENT");
  });
});

describe.each(["build", "check", "watch", "inspect", "show"])("callsignc %s", (command) => {
  test("exits with 2 for an unknown target, lists those that there are, and explains the option", async () => {
    const cwd = project();
    const words = command === "inspect" ? ["src/tools.ts"] : command === "show" ? ["add"] : [];
    const { status, stdout, stderr } = await run([command, ...words, "--target", "openai-strickt"], { cwd });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain('--target does not take "openai-strickt"');
    expect(stderr).toContain(`did you mean openai-strict? allowed are ${TARGET_NAMES.join(", ")}`);
    const help = (await run([command, "--help"], { cwd })).stdout;
    expect(help).toMatch(/--target TARGET +\S/);
    expect(help).toContain(`Targets: ${TARGET_NAMES.join(", ")}.`);
  });
});

describe("callsignc inspect --target", () => {
  test("adds the whole tool as it is sent, and of a type the structured-output form, for each target", async () => {
    const cwd = project();
    const words = ["inspect", "src/tools.ts", "--target", "openai-strict", "--target", "anthropic", "--json"];
    const { status, stdout, stderr } = await run(words, { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const { add, Seat } = JSON.parse(stdout);
    expect(Object.keys(add)).toEqual(["kind", "name", "description", "schema", "returns", "warnings", "wire"]);
    expect(add.wire).toMatchObject({
      "openai-strict": {
        type: "function",
        name: "add",
        description: "Adds.",
        strict: true,
        parameters: { properties: { text: { description: "(at least 2 characters)" }, pair: { type: "object" } } },
      },
      anthropic: { name: "add", input_schema: { properties: { text: { minLength: 2 } } } },
    });
    expect(Seat.wire["openai-strict"]).toEqual({
      type: "json_schema",
      name: "Seat",
      description: "A seat.",
      strict: true,
      schema: { ...Seat.schema },
    });
    expect(Seat.wire.anthropic).toEqual({ type: "json_schema", schema: Seat.schema });
  });
  test("leaves wire out without a target, and where an export is impossible", async () => {
    const cwd = project({ "src/bad.ts": "export function bad(f: () => void) {}\n" });
    expect(JSON.parse((await run(["inspect", "src/tools.ts", "--json"], { cwd })).stdout).add).not.toHaveProperty(
      "wire",
    );
    const { status, stdout } = await run(["inspect", "src/bad.ts", "--target", "gemini", "--json"], { cwd });
    expect(status).toBe(0);
    expect(Object.keys(JSON.parse(stdout).bad)).toEqual(["errors", "warnings"]);
  });
  test("prints it for people", async () => {
    const { stdout } = await run(["inspect", "src/tools.ts", "add", "--target", "gemini"], { cwd: project() });
    expect(stdout).toContain('\n\ngemini gets\n  {\n    "name": "add",');
  });
});

describe("callsignc show --target", () => {
  test("prints the wire tool, whether it is strict and why not, its size, and what is only described", async () => {
    const cwd = project();
    await run(["build"], { cwd });
    const words = ["show", "add", "--target", "openai-strict", "--target", "openai"];
    const { status, stdout } = await run(words, { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^tool add\n {2}from src\/tools\.ts, export add\n\n {2}Adds\.\n\nopenai-strict gets \(strict; \d+ bytes, about \d+ tokens\)\n {2}\{\n {4}"type": "function",/,
    );
    expect(stdout).toContain(
      "\nnotes\n  the tuple at /properties/pair is sent as an object with the positions as keys\n",
    );
    expect(stdout).toContain(
      "\nsaid in the description only, and checked by the runtime\n  /properties/text minLength 2\n\nopenai gets (not strict; ",
    );
    const walk = (await run(["show", "walk", "--target", "anthropic-strict"], { cwd })).stdout;
    expect(walk).toContain("anthropic-strict gets (not strict: sent as anthropic; ");
    expect(walk).toContain("  not strict: the type Node contains itself\n");
  });
  test("--json adds wire and lowering to the entry; a schema is shown as the format that is sent", async () => {
    const cwd = project();
    await run(["build"], { cwd });
    const tool = JSON.parse((await run(["show", "add", "--target", "openai-strict", "--json"], { cwd })).stdout);
    expect(tool).toMatchObject({
      kind: "tool",
      parameters: { type: "object" },
      wire: { "openai-strict": { type: "function", strict: true } },
      lowering: {
        "openai-strict": {
          target: "openai-strict",
          strict: true,
          dropped: [{ pointer: "/properties/text", keyword: "minLength", value: 2 }],
        },
      },
    });
    const seat = JSON.parse((await run(["show", "Seat", "--target", "ollama", "--json"], { cwd })).stdout);
    expect(seat.wire.ollama).toMatchObject({ type: "object", properties: { row: { type: "number" } } });
  });
  test("needs a name", async () => {
    const cwd = project();
    await run(["build"], { cwd });
    const { status, stderr } = await run(["show", "--target", "gemini"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain("--target needs a NAME");
  });
});
