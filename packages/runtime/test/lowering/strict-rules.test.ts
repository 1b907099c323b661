import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/manifest/json-schema.js";
import type { LoweredSchema, TargetName } from "../../src/model/index.js";
import { lowerOutput, lowerTool, targets } from "../../src/providers/index.js";
import {
  geminiSchemaProblems,
  ollamaSchemaProblems,
  plainSchemaProblems,
} from "../../src/testing/rules/plain-schema.js";
import { anthropicStrictProblems, openaiStrictProblems } from "../../src/testing/rules/strict-schema.js";
import { outputAndValue, parametersAndValue } from "./arbitrary-schema.js";

const RUNS = Number(process.env.RULES ?? 250);

function problemsOf(lowered: LoweredSchema): string[] {
  const { schema, strict, target } = lowered;
  if (strict) return target.startsWith("openai") ? openaiStrictProblems(schema) : anthropicStrictProblems(schema);
  if (target === "gemini") return geminiSchemaProblems(schema);
  if (target === "ollama") return ollamaSchemaProblems(schema);
  return plainSchemaProblems(schema);
}

function toolOf(parameters: JsonSchema) {
  return { name: "t", module: "t.ts", export: "t", parameters, call: [] };
}

/** Tree leads back to itself through a definition that Gemini's wire has written out. */
const throughOther: JsonSchema = {
  type: "object",
  properties: { a: { $ref: "#/$defs/Tree" } },
  required: ["a"],
  additionalProperties: false,
  $defs: {
    Tree: {
      type: "object",
      properties: { a: { type: "array", items: { $ref: "#/$defs/A~1b" } } },
      required: ["a"],
      additionalProperties: false,
    },
    "A/b": {
      type: "array",
      prefixItems: [
        { type: "array", items: { $ref: "#/$defs/A~1b" } },
        { type: "array", items: { $ref: "#/$defs/Tree" } },
      ],
      items: false,
      minItems: 2,
    },
  },
};

describe.each(Object.keys(targets) as TargetName[])("a schema lowered to %s", (target) => {
  it("breaks none of the provider's rules as a tool", () => {
    let strict = 0;
    fc.assert(
      fc.property(parametersAndValue, ({ schema }) => {
        const lowered = lowerTool(toolOf(schema), target);
        expect(problemsOf(lowered)).toEqual([]);
        if (lowered.strict) strict += 1;
        else if (target.endsWith("-strict"))
          expect(lowered.notes.some((note) => note.startsWith("not strict:"))).toBe(true);
      }),
      { numRuns: RUNS, examples: [[{ schema: throughOther, value: { a: { a: [] } } }]] },
    );
    // The fallback must stay the exception, or the rules above have shown nothing.
    if (target.endsWith("-strict")) expect(strict).toBeGreaterThan(40);
  });

  it("breaks none of the provider's rules as an output", () => {
    fc.assert(
      fc.property(outputAndValue, ({ schema }) => {
        const lowered = lowerOutput({ name: "Out", schema }, target);
        if (target !== "ollama") expect(problemsOf(lowered)).toEqual([]);
        expect(lowered.schema.type).toBe("object");
      }),
      { numRuns: RUNS },
    );
  });
});
