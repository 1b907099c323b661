import type { JsonSchema, Manifest, ManifestTool } from "../src/index.js";

/** A tool entry; by default a function `add(a, b?)`. */
export function toolEntry(changes: Partial<ManifestTool> = {}): ManifestTool {
  return {
    name: "add",
    module: "src/tools.ts",
    export: "add",
    description: "Adds two numbers.",
    parameters: objectSchema({ a: { type: "number" }, b: { type: "number" } }, ["a"]),
    call: [
      { from: "property", name: "a" },
      { from: "property", name: "b" },
    ],
    ...changes,
  };
}

/** A closed object schema. */
export function objectSchema(properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

export function manifestOf(...tools: ManifestTool[]): Manifest {
  return { manifestVersion: 1, tools, schemas: [], workflows: [] };
}
