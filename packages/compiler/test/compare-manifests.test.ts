import type { JsonSchema, Manifest, ManifestTool } from "@callsign/runtime/manifest";
import { describe, expect, test } from "vitest";
import { compareManifests } from "../src/check/compare-manifests.js";
import { describeDifference, formatDifferences } from "../src/check/describe-differences.js";

const object = (properties: Record<string, JsonSchema>, required: string[] = Object.keys(properties)): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const tool = (fields: Partial<ManifestTool> = {}): ManifestTool => ({
  name: "search",
  module: "src/tools.ts",
  export: "search",
  parameters: object({}),
  call: [],
  ...fields,
});
const manifest = (...tools: ManifestTool[]): Manifest => ({ manifestVersion: 1, tools, schemas: [], workflows: [] });
const text: JsonSchema = { type: "string" };
const lines = (before: Manifest, after: Manifest) =>
  compareManifests(before, after).map(
    (difference) => `${difference.breaking ? "breaking " : ""}${difference.path}: ${describeDifference(difference)}`,
  );
const ofParameters = (before: JsonSchema, after: JsonSchema) =>
  lines(manifest(tool({ parameters: before })), manifest(tool({ parameters: after })));
const ofReturns = (before: JsonSchema, after: JsonSchema) =>
  lines(manifest(tool({ returns: before })), manifest(tool({ returns: after })));

describe("compareManifests()", () => {
  const parameterCases: [what: string, before: JsonSchema, after: JsonSchema, expected: string[]][] = [
    ["nothing", object({ a: text }), object({ a: text }), []],
    [
      "a required property more",
      object({}),
      object({ a: text }),
      ["breaking search(a): property added: required string"],
    ],
    ["an optional property more", object({}), object({ a: text }, []), ["search(a): property added: optional string"]],
    ["a property fewer", object({ a: text }), object({}), ["breaking search(a): property removed: required string"]],
    [
      "required from optional",
      object({ a: text }, []),
      object({ a: text }),
      ["breaking search(a): presence optional → required"],
    ],
    [
      "optional from required",
      object({ a: text }),
      object({ a: text }, []),
      ["search(a): presence required → optional"],
    ],
    [
      "another type",
      object({ a: text }),
      object({ a: { type: "number" } }),
      ["breaking search(a): type string → number"],
    ],
    [
      "number from integer",
      object({ a: { type: "integer" } }),
      object({ a: { type: "number" } }),
      ["search(a): type integer → number"],
    ],
    [
      "integer from number",
      object({ a: { type: "number" } }),
      object({ a: { type: "integer" } }),
      ["breaking search(a): type number → integer"],
    ],
    [
      "a value more",
      object({ a: { enum: ["x"] } }),
      object({ a: { enum: ["x", "y"] } }),
      ['search(a): values "x" → "x" | "y"'],
    ],
    [
      "a value fewer",
      object({ a: { enum: ["x", "y"] } }),
      object({ a: { enum: ["y"] } }),
      ['breaking search(a): values "x" | "y" → "y"'],
    ],
    ["values in another order", object({ a: { enum: ["x", "y"] } }), object({ a: { enum: ["y", "x"] } }), []],
    ["const from enum of one", object({ a: { enum: ["x"] } }), object({ a: { const: "x" } }), []],
    [
      "values from any string",
      object({ a: text }),
      object({ a: { type: "string", enum: ["x"] } }),
      ['breaking search(a): type string → "x"'],
    ],
    ["any string from values", object({ a: { enum: ["x"] } }), object({ a: text }), ['search(a): type "x" → string']],
    [
      "null as well",
      object({ a: text }),
      object({ a: { anyOf: [text, { type: "null" }] } }),
      ["search(a): type string → string | null"],
    ],
    [
      "null by type list",
      object({ a: { type: ["string", "null"] } }),
      object({ a: text }),
      ["breaking search(a): type string | null → string"],
    ],
    ["anything", object({ a: text }), object({ a: {} }), ["search(a): type string → any value"]],
    ["no longer anything", object({ a: {} }), object({ a: text }), ["breaking search(a): type any value → string"]],
    [
      "a higher minimum",
      object({ a: { type: "number", minimum: 0 } }),
      object({ a: { type: "number", minimum: 1 } }),
      ["breaking search(a): minimum 0 → 1"],
    ],
    [
      "a higher maximum",
      object({ a: { type: "number", maximum: 1 } }),
      object({ a: { type: "number", maximum: 2 } }),
      ["search(a): maximum 1 → 2"],
    ],
    [
      "no maximum",
      object({ a: { type: "number", maximum: 1 } }),
      object({ a: { type: "number" } }),
      ["search(a): maximum removed: 1"],
    ],
    [
      "a pattern",
      object({ a: text }),
      object({ a: { ...text, pattern: "^x" } }),
      ["breaking search(a): pattern added: ^x"],
    ],
    [
      "another format",
      object({ a: { ...text, format: "email" } }),
      object({ a: { ...text, format: "uri" } }),
      ["breaking search(a): format email → uri"],
    ],
    [
      "a description",
      object({ a: text }),
      object({ a: { ...text, description: "The text." } }),
      ["search(a): description added: The text."],
    ],
    [
      "a default",
      object({ a: { ...text, default: "x" } }, []),
      object({ a: { ...text, default: "y" } }, []),
      ["search(a): default x → y"],
    ],
    [
      "another codec",
      object({ a: text }),
      object({ a: { ...text, "x-codec": "url" } }),
      ["search(a): x-codec added: url"],
    ],
    [
      "elements",
      object({ a: { type: "array", items: text } }),
      object({ a: { type: "array", items: { type: "number" } } }),
      ["breaking search(a[]): type string → number"],
    ],
    [
      "a tuple's second",
      object({ a: { type: "array", prefixItems: [text, text] } }),
      object({ a: { type: "array", prefixItems: [text, {}] } }),
      ["search(a[1]): type string → any value"],
    ],
    [
      "a record's values",
      object({ a: { type: "object", additionalProperties: text } }),
      object({ a: { type: "object", additionalProperties: { type: "number" } } }),
      ["breaking search(a{}): type string → number"],
    ],
    [
      "an opened object",
      object({ a: { type: "object", additionalProperties: false } }),
      object({ a: { type: "object" } }),
      ["search(a{}): additionalProperties nothing → any value"],
    ],
    [
      "a member deep inside",
      object({ a: { type: "array", items: object({ "b-c": object({ d: text }) }) } }),
      object({ a: { type: "array", items: object({ "b-c": object({ d: {} }) }) } }),
      ['search(a[]["b-c"].d): type string → any value'],
    ],
    [
      "a union's one branch",
      object({ a: { anyOf: [object({ k: text }), { type: "null" }] } }),
      object({ a: { anyOf: [{ type: "null" }, object({ k: text, l: text })] } }),
      ["breaking search(a.l): property added: required string"],
    ],
    [
      "a property named constructor",
      object({}),
      object({ constructor: text }, []),
      ["search(constructor): property added: optional string"],
    ],
  ];
  test.each(parameterCases)("parameters: %s", (_, before, after, expected) => {
    expect(ofParameters(before, after)).toEqual(expected);
  });

  const returnCases: [what: string, before: JsonSchema, after: JsonSchema, expected: string[]][] = [
    [
      "a wider type breaks",
      text,
      { anyOf: [text, { type: "null" }] },
      ["breaking search() → result: type string → string | null"],
    ],
    [
      "a narrower type does not",
      { anyOf: [text, { type: "null" }] },
      text,
      ["search() → result: type string | null → string"],
    ],
    [
      "a property fewer breaks",
      { type: "object", properties: { a: text }, required: ["a"] },
      { type: "object", properties: {} },
      ["breaking search() → a: property removed: required string"],
    ],
    [
      "a property more does not",
      { type: "object", properties: {} },
      { type: "object", properties: { a: text }, required: ["a"] },
      ["search() → a: property added: required string"],
    ],
    [
      "optional from required breaks",
      { type: "object", properties: { a: text }, required: ["a"] },
      { type: "object", properties: { a: text } },
      ["breaking search() → a: presence required → optional"],
    ],
  ];
  test.each(returnCases)("returns: %s", (_, before, after, expected) => {
    expect(ofReturns(before, after)).toEqual(expected);
  });

  test("tells added, removed and renamed tools", () => {
    const before = manifest(tool(), tool({ name: "old", export: "old" }), tool({ name: "was", export: "same" }));
    const after = manifest(tool(), tool({ name: "new", export: "new" }), tool({ name: "will_be", export: "same" }));
    expect(lines(before, after)).toEqual([
      "new: tool added",
      "breaking old: tool removed",
      "breaking will_be: name was → will_be",
    ]);
  });
  test("a tool that moved or is described otherwise breaks nothing, one that streams from now on does", () => {
    const after = tool({ module: "src/other.ts", description: "Searches.", requiresApproval: true, streams: true });
    expect(lines(manifest(tool()), manifest(after))).toEqual([
      "search: description added: Searches.",
      "search: module src/tools.ts → src/other.ts",
      "breaking search: streams added: true",
      "search: requiresApproval added: true",
    ]);
  });
  test("schemas are outputs, workflow inputs are inputs", () => {
    const schema = (inner: JsonSchema) => ({ name: "Forecast", module: "m.ts", export: "Forecast", schema: inner });
    const workflow = (input?: JsonSchema) => ({
      name: "run",
      module: "m.ts",
      ...(input === undefined ? {} : { input }),
    });
    const before: Manifest = { ...manifest(), schemas: [schema(object({ day: text }))], workflows: [workflow()] };
    const after: Manifest = {
      ...manifest(),
      schemas: [schema(object({ day: text }, []))],
      workflows: [workflow(object({ a: text }))],
    };
    expect(lines(before, after)).toEqual([
      "breaking Forecast.day: presence required → optional",
      "breaking run(): input added",
    ]);
  });
  test("a type moved to $defs is no change, and types that recur come to an end", () => {
    const tree = (leaf: JsonSchema): JsonSchema => ({
      ...object({ root: { $ref: "#/$defs/Tree" } }),
      $defs: { Tree: object({ value: leaf, children: { type: "array", items: { $ref: "#/$defs/Tree" } } }) },
    });
    expect(ofParameters(tree(text), tree(text))).toEqual([]);
    expect(ofParameters(tree(text), tree({ type: "number" }))).toEqual([
      "breaking search(root.value): type string → number",
    ]);
    const inline = object({ a: object({ b: text }) });
    const referring = { ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: object({ b: text }) } };
    expect(ofParameters(inline, referring)).toEqual([]);
  });
  test("a diamond of fifty levels is compared in no time, changed or not", () => {
    const diamond = (leaf: JsonSchema): JsonSchema => ({
      ...object({ top: { $ref: "#/$defs/L0" } }),
      $defs: Object.fromEntries(
        Array.from({ length: 51 }, (_, level) => [
          `L${level}`,
          level === 50
            ? leaf
            : object({ left: { $ref: `#/$defs/L${level + 1}` }, right: { $ref: `#/$defs/L${level + 1}` } }),
        ]),
      ),
    });
    expect(ofParameters(diamond(text), diamond(text))).toEqual([]);
    expect(ofParameters(diamond(text), diamond({ type: "number" })).length).toBeGreaterThan(0);
  });
  test("formatDifferences() gives a block for each tool and marks what breaks", () => {
    const before = manifest(tool({ parameters: object({ a: text }) }));
    const after = manifest(
      tool({ parameters: object({ a: { type: "number" } }), description: "Searches." }),
      tool({ name: "zoom", export: "zoom" }),
    );
    expect(formatDifferences(compareManifests(before, after))).toBe(
      "tool search\n            search: description added: Searches.\n  breaking  search(a): type string → number\n\ntool zoom\n            zoom: tool added\n",
    );
  });
});
