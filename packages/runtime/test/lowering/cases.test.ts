import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspectFile } from "@callsign/compiler";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agent, Tool } from "../../src/index.js";
import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";
import type { ManifestTool } from "../../src/manifest/manifest.js";
import type { LoweredTool, TargetName } from "../../src/model/index.js";
import { lowerTool, targets } from "../../src/providers/index.js";
import { startFakeProvider } from "../../src/testing/index.js";
import {
  geminiSchemaProblems,
  ollamaSchemaProblems,
  plainSchemaProblems,
} from "../../src/testing/rules/plain-schema.js";
import { anthropicStrictProblems, openaiStrictProblems } from "../../src/testing/rules/strict-schema.js";

// The cases and the corpus that live beside the repository, compiled and lowered. Where they are not, nothing is left.

const shared = fileURLToPath(new URL("../../../../../shared", import.meta.url));
const isThere = existsSync(shared);
const TARGETS = Object.keys(targets) as TargetName[];

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly tool: { readonly name: string; readonly params: readonly string[] };
  readonly expect: {
    readonly roundTrip?: readonly {
      readonly provider: string;
      readonly args: { readonly [name: string]: Json };
      readonly toolReceives?: { readonly [name: string]: Json };
      readonly isError?: boolean;
      readonly mentions?: readonly string[];
      readonly onlyIf?: string;
    }[];
  };
}

function toolOf(id: string): { found: Case; tool: ManifestTool } {
  const found = JSON.parse(readFileSync(join(shared, "cases", `${id}.json`), "utf8")) as Case;
  const folder = mkdtempSync(join(tmpdir(), "callsign-lowering-"));
  try {
    for (const [name, text] of Object.entries(found.files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const entry = inspectFile({ cwd: folder, file: "src/tools.ts" }).entries?.[found.tool.name];
    if (entry === undefined || !("schema" in entry)) throw new Error(`${id} does not compile`);
    return { found, tool: manifestTool(found.tool.name, entry.schema) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function manifestTool(name: string, parameters: JsonSchema): ManifestTool {
  return {
    name,
    module: "src/tools.ts",
    export: name,
    description: "Does it.",
    parameters,
    call: [{ from: "arguments" }],
  };
}

function problemsOf({ schema, strict, target }: LoweredTool): string[] {
  if (strict) return target.startsWith("openai") ? openaiStrictProblems(schema) : anthropicStrictProblems(schema);
  if (target === "gemini") return geminiSchemaProblems(schema);
  return target === "ollama" ? ollamaSchemaProblems(schema) : plainSchemaProblems(schema);
}

/** A case names arguments by parameter; a lone object parameter is the arguments object itself. */
function flattened(args: { readonly [name: string]: Json }, { found, tool }: { found: Case; tool: ManifestTool }) {
  const [only] = found.tool.params;
  const isFlat = found.tool.params.length === 1 && tool.parameters.properties?.[only!] === undefined;
  return (isFlat ? args[only!] : args) as { readonly [name: string]: Json };
}

describe("cases of public bug reports, compiled and lowered", () => {
  it("are there as a whole or not at all", () => {
    expect(existsSync(join(shared, "cases"))).toBe(isThere);
  });

  const models: Record<string, string> = {
    openai: "openai/gpt-6-luna",
    anthropic: "anthropic/claude-sonnet-5",
    gemini: "google/gemini-3.8-flash",
  };
  let fake: Awaited<ReturnType<typeof startFakeProvider>>;
  beforeAll(async () => {
    fake = await startFakeProvider();
  });
  afterAll(() => fake.close());

  it.each(isThere ? ["RC-A10", "RC-A11", "RC-A12"] : [])("%s: the function gets what the case says", async (id) => {
    const compiled = toolOf(id);
    for (const trip of compiled.found.expect.roundTrip ?? []) {
      // Gemini takes lists of numbers in the form that we send.
      if (trip.onlyIf !== undefined) continue;
      const received: Json[] = [];
      const tool = new Tool(
        { ...compiled.tool, description: "Does it.", execute: (args) => void received.push(args as Json) },
        compiled.tool,
      );
      fake.script(
        { toolCalls: [{ name: compiled.tool.name, arguments: flattened(trip.args, compiled) }] },
        { text: "ok" },
      );
      const settings = {
        model: models[trip.provider]!,
        apiKey: "test",
        baseUrl: fake.url,
        tools: [tool as Tool<object>],
      };
      await agent("Be brief.", settings)("go");
      expect(fake.refusals).toEqual([]);
      if (trip.isError === true) {
        expect(received).toEqual([]);
        for (const word of trip.mentions ?? [])
          expect(JSON.stringify(fake.requests.at(-1)!.body.messages ?? fake.requests.at(-1)!.body)).toContain(word);
        continue;
      }
      const wanted = Object.entries(flattened(trip.toolReceives!, compiled)).filter(
        ([, value]) => value !== "__absent__",
      );
      const { room, ...others } = Object.fromEntries(wanted);
      // A default of the function is the function's own: it is not in the arguments.
      expect(received).toEqual([room === "single" ? others : Object.fromEntries(wanted)]);
    }
  });

  it.each(isThere ? ["RC-A06", "RC-A09", "RC-A10", "RC-A11", "RC-A12"] : [])(
    "%s breaks no rule of any target",
    (id) => {
      const { tool } = toolOf(id);
      for (const target of TARGETS)
        expect({ target, problems: problemsOf(lowerTool(tool, target)) }).toEqual({ target, problems: [] });
    },
  );

  it("and every construct of the corpus as the compiler writes it break no rule of any target", () => {
    if (!isThere) return;
    const { entries = {} } = inspectFile({ cwd: join(shared, "corpus"), file: "constructs.ts" });
    const schemas = Object.entries(entries).flatMap(([name, entry]) =>
      "schema" in entry ? [[name, entry] as const] : [],
    );
    expect(schemas.length).toBeGreaterThan(60);
    for (const [name, { schema, kind }] of schemas) {
      const { $defs, ...bare } = schema;
      const wrapped: JsonSchema = {
        type: "object",
        properties: { it: bare },
        required: ["it"],
        additionalProperties: false,
      };
      const parameters = kind === "tool" ? schema : { ...wrapped, ...($defs === undefined ? {} : { $defs }) };
      for (const target of TARGETS) {
        const problems = problemsOf(lowerTool(manifestTool("t", parameters), target));
        expect({ name, target, problems }).toEqual({ name, target, problems: [] });
      }
    }
  });
});
