import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as entry from "../src/index.js";
import { Schema, Tool } from "../src/index.js";
import * as manifestEntry from "../src/manifest/index.js";
import { objectSchema } from "./manifest-fixture.js";

describe("the entry points", () => {
  test("export these names and no others", () => {
    expect(Object.keys(entry).sort()).toEqual([
      "AgentError",
      "ArgumentsError",
      "CallsignError",
      "Engine",
      "LocalCarrier",
      "ManifestError",
      "MemorySessionStore",
      "ReplayMismatchError",
      "Runner",
      "Schema",
      "SessionError",
      "StoreError",
      "TaskError",
      "TaskResultError",
      "Tool",
      "ToolExecutionError",
      "WorkflowError",
      "agent",
      "bindTools",
      "call",
      "choice",
      "closeWorkers",
      "costOf",
      "defineManifest",
      "estimateTokens",
      "lastTurns",
      "loadManifest",
      "now",
      "openEngine",
      "parallel",
      "pause",
      "pipeline",
      "progress",
      "random",
      "schedule",
      "sleep",
      "takeTurn",
      "task",
      "tool",
      "useValidators",
      "uuid",
      "withinTokens",
      "workflow",
    ]);
    expect(Object.keys(manifestEntry).sort()).toEqual(["MANIFEST_VERSION", "ManifestError", "validateManifest"]);
  });

  // Those that are about one package may load it: /dbos, /postgres; /validators is what checks by Ajv's own code.
  test.each(["index", "manifest/index", "providers/index", "standalone/index", "sqlite/index", "server/index"])(
    "load no package, neither Ajv nor an SDK nor a database, before the first call: %s",
    (name) => {
      const seen = new Set<string>();
      const visit = (file: URL): void => {
        if (seen.has(file.href)) return;
        seen.add(file.href);
        const source = readFileSync(file, "utf8");
        for (const [, specifier] of source.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from "([^"]+)";/gm)) {
          if (specifier?.startsWith(".")) visit(new URL(specifier.replace(/\.js$/, ".ts"), file));
          else if (specifier === "node:sqlite" || !specifier?.startsWith("node:")) seen.add(`package ${specifier}`);
        }
      };
      visit(new URL(`../src/${name}.ts`, import.meta.url));
      expect([...seen].filter((file) => file.startsWith("package "))).toEqual([]);
    },
  );

  test("are loaded by plain Node from the built package", () => {
    const script = "import('@callsign/runtime').then((m) => console.log(typeof m.agent))";
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(output.trim()).toBe("function");
  });
});

describe("Standard Schema", () => {
  const When = new Schema<{ at: Date }>({
    name: "When",
    schema: objectSchema({ at: { type: "string", format: "date-time", "x-codec": "date" } }),
  });

  test("validates and decodes, and reports issues with paths", async () => {
    const { validate, version, vendor } = When["~standard"];
    expect([version, vendor]).toEqual([1, "callsign"]);
    expect(await validate({ at: "2026-01-01T00:00:00Z" })).toEqual({ value: { at: new Date("2026-01-01T00:00:00Z") } });
    expect(await validate({ at: "soon" })).toEqual({
      issues: [{ path: ["at"], message: expect.stringContaining("date-time") }],
    });
  });

  test("is what a tool's arguments are, too", async () => {
    const tool = new Tool({ name: "t", parameters: objectSchema({ a: { type: "number" } }), execute: () => 1 });
    expect(await tool["~standard"].validate({ a: "1" })).toEqual({ value: { a: 1 } });
  });

  test("gives its JSON Schema for the one target that it knows", () => {
    const { input } = When["~standard"].jsonSchema;
    expect(input({ target: "draft-2020-12" })).toMatchObject({
      $schema: expect.stringContaining("2020-12"),
      type: "object",
    });
    expect(() => input({ target: "openapi-3.0" })).toThrow("draft-2020-12 only");
    expect(() => When["~standard"].jsonSchema.output({ target: "draft-2020-12" })).toThrow("no JSON Schema describes");
  });
});
