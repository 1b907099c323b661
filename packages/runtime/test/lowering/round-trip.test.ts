import { deepStrictEqual } from "node:assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";
import type { ManifestTool } from "../../src/manifest/manifest.js";
import type { LoweredTool, TargetName } from "../../src/model/index.js";
import { lowerOutput, lowerTool, targets } from "../../src/providers/index.js";
import { schemaFits } from "../../src/providers/lowering/schema-fits.js";
import { outputAndValue, parametersAndValue } from "./arbitrary-schema.js";

const TARGETS = Object.keys(targets) as TargetName[];
// PROPERTY_RUNS=4000 for a long search.
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 100) };

function accepts(schema: JsonSchema, value: Json): boolean {
  // Ajv takes a property named __proto__ for one that is not declared.
  if (JSON.stringify(schema).includes("__proto__")) return schemaFits(schema, value, schema);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
  return ajv.compile(schema)(value) as boolean;
}

function toolOf(parameters: JsonSchema): ManifestTool {
  return { name: "t", module: "t.ts", export: "t", description: "Does it.", parameters, call: [{ from: "arguments" }] };
}

/** A strict wire cannot tell an optional and nullable property that is absent from one that is null. */
function withoutAddedNulls(restored: Json, original: Json, target: TargetName): Json {
  if (target !== "openai-strict" || typeof original !== "object" || original === null) return restored;
  if (Array.isArray(restored) && Array.isArray(original)) {
    const length = restored.slice(original.length).every((item) => item === null) ? original.length : restored.length;
    return restored.slice(0, length).map((item, index) => withoutAddedNulls(item, original[index] ?? null, target));
  }
  if (typeof restored !== "object" || restored === null || Array.isArray(restored)) return restored;
  const before = original as { [key: string]: Json };
  return Object.fromEntries(
    Object.entries(restored)
      .filter(([key, item]) => item !== null || Object.hasOwn(before, key))
      .map(([key, item]) => [key, Object.hasOwn(before, key) ? withoutAddedNulls(item, before[key]!, target) : item]),
  );
}

describe.each(TARGETS)("lowering to %s", (target) => {
  it("lets every value of a tool's schema through the wire and back unchanged", () => {
    fc.assert(
      fc.property(parametersAndValue, ({ schema, value }) => {
        const lowered = lowerTool(toolOf(schema), target);
        const sent = JSON.parse(JSON.stringify(lowered.encode(value))) as Json;
        deepStrictEqual(withoutAddedNulls(lowered.restore(sent), value, target), value);
        expect(accepts(lowered.schema as JsonSchema, sent)).toBe(true);
      }),
      RUNS,
    );
  });

  it("lets every value of an output schema through the wire and back unchanged", () => {
    fc.assert(
      fc.property(outputAndValue, ({ schema, value }) => {
        const lowered = lowerOutput({ name: "Out", schema }, target);
        const sent = JSON.parse(JSON.stringify(lowered.encode(value))) as Json;
        deepStrictEqual(withoutAddedNulls(lowered.restore(sent), value, target), value);
        expect(accepts(lowered.schema as JsonSchema, sent)).toBe(true);
      }),
      RUNS,
    );
  });

  it("gives the same bytes for the same tool", () => {
    fc.assert(
      fc.property(parametersAndValue, ({ schema }) => {
        const again = JSON.parse(JSON.stringify(schema)) as JsonSchema;
        expect(JSON.stringify(lowerTool(toolOf(schema), target).wire)).toBe(
          JSON.stringify(lowerTool(toolOf(again), target).wire),
        );
      }),
      { numRuns: 50 },
    );
  });

  it("never throws on arguments that do not have the wire's shape, and never changes them in place", () => {
    fc.assert(
      fc.property(parametersAndValue, fc.jsonValue({ maxDepth: 3 }), ({ schema }, anything) => {
        const given = JSON.parse(JSON.stringify(anything)) as Json;
        const before = JSON.stringify(given);
        lowerTool(toolOf(schema), target).restore(given);
        expect(JSON.stringify(given)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  it("names in `dropped` every keyword that the wire does not have, and never sends x-codec", () => {
    fc.assert(
      fc.property(parametersAndValue, ({ schema }) => {
        const lowered = lowerTool(toolOf(schema), target);
        const sent = keywordsOf(lowered.schema as JsonSchema);
        expect(sent.has("x-codec")).toBe(false);
        // Rewritten without a loss: a constant as a list of one, a tuple or a record in another form, a reference inlined.
        const rewritten = ["x-codec", "const", "enum", "$defs", "$ref", "anyOf", "type", "description", "required"];
        const reshapes = target.endsWith("-strict") || target === "gemini";
        const reshaped = [
          "prefixItems",
          "items",
          "minItems",
          "maxItems",
          "additionalProperties",
          "patternProperties",
          "propertyNames",
        ];
        const skip = (pointer: string, keyword: string) => isDropped(lowered, pointer, keyword);
        const lost = [...keywordsOf(reached(schema, skip), skip)].filter(
          (keyword) => !sent.has(keyword) && !rewritten.includes(keyword) && !(reshapes && reshaped.includes(keyword)),
        );
        expect(lost).toEqual([]);
      }),
      RUNS,
    );
  });
});

/** Without the definitions that nothing refers to but what `skip` names. */
function reached(schema: JsonSchema, skip: (pointer: string, keyword: string) => boolean): JsonSchema {
  const found = new Map<string, JsonSchema>();
  const { $defs = {}, ...root } = schema;
  const visit = (part: JsonSchema, at: string): void => {
    keywordsOf(
      part,
      (pointer, keyword) => skip(`${at}${pointer}`, keyword),
      "",
      new Set(),
      (reference) => {
        const name = reference.slice("#/$defs/".length).replaceAll("~1", "/");
        if (found.has(name)) return;
        found.set(name, $defs[name]!);
        visit($defs[name]!, `/$defs/${name.replaceAll("/", "~1")}`);
      },
    );
  };
  visit(root, "");
  return { ...root, ...(found.size === 0 ? {} : { $defs: Object.fromEntries(found) }) };
}

function isDropped(lowered: LoweredTool, pointer: string, keyword: string): boolean {
  return lowered.dropped.some((dropped) => dropped.pointer === pointer && dropped.keyword === keyword);
}

/** The keywords of a schema; what is inside one that `skip` names does not count. */
function keywordsOf(
  schema: JsonSchema | boolean | undefined,
  skip: (pointer: string, keyword: string) => boolean = () => false,
  pointer = "",
  found = new Set<string>(),
  onReference: (reference: string) => void = () => {},
): Set<string> {
  if (typeof schema !== "object") return found;
  if (schema.$ref !== undefined) onReference(schema.$ref);
  const visit = (child: JsonSchema | boolean | undefined, path: string) =>
    keywordsOf(child, skip, `${pointer}/${path}`, found, onReference);
  for (const keyword of Object.keys(schema) as (keyof JsonSchema)[]) {
    if (skip(pointer, keyword)) continue;
    found.add(keyword);
    const value = schema[keyword];
    if (keyword === "properties" || keyword === "patternProperties" || keyword === "$defs") {
      for (const [name, child] of Object.entries(schema[keyword] ?? {})) {
        visit(child, `${keyword}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
      }
    } else if (keyword === "anyOf" || keyword === "prefixItems") {
      for (const [index, child] of (schema[keyword] ?? []).entries()) visit(child, `${keyword}/${index}`);
    } else if (["items", "additionalProperties", "propertyNames", "not"].includes(keyword)) {
      visit(value as JsonSchema | boolean, keyword);
    }
  }
  return found;
}
