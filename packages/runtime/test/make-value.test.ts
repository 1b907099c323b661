import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validateValue } from "../src/calls/validate-value.js";
import type { JsonSchema } from "../src/index.js";
import { makeValue } from "../src/providers/test/make-value.js";
import { stringsMatching } from "../src/providers/test/strings-matching.js";
import { compileSchema } from "../src/validation/compile-schema.js";
import { objectSchema } from "./manifest-fixture.js";

async function made(schema: JsonSchema): Promise<unknown> {
  return makeValue(await compileSchema(schema, "test"));
}

async function isValid(schema: JsonSchema, value: unknown): Promise<boolean> {
  const compiled = await compileSchema(schema, "test");
  return compiled.accepts(compiled.root, value) && (await validateValue(schema, value, { name: "test" })).valid;
}

const FORMATS = [
  "date-time",
  "date",
  "time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uri-reference",
  "uuid",
  "regex",
  "json-pointer",
  "byte",
];

describe("makeValue() makes a valid value", () => {
  const tree: JsonSchema = {
    $defs: {
      Node: objectSchema({ value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } }),
      List: { anyOf: [objectSchema({ head: { type: "number" }, tail: { $ref: "#/$defs/List" } }), { type: "null" }] },
      Wide: objectSchema({ left: { $ref: "#/$defs/Wide" }, right: { $ref: "#/$defs/Wide" } }, []),
    },
    ...objectSchema({ tree: { $ref: "#/$defs/Node" }, list: { $ref: "#/$defs/List" }, wide: { $ref: "#/$defs/Wide" } }),
  };

  test.each<[string, JsonSchema]>([
    ["recursive types", tree],
    ["no properties", objectSchema({})],
    [
      "hostile names",
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"number"},"":{"type":"null"}},"required":["__proto__",""],"additionalProperties":false}',
      ),
    ],
    ["a record", { type: "object", additionalProperties: { type: "integer" } }],
    [
      "a record by pattern",
      {
        type: "object",
        patternProperties: { "^data-[a-z]{3}$": { type: "boolean" } },
        additionalProperties: false,
        minProperties: 2,
      },
    ],
    [
      "a record with a rule for names",
      { type: "object", propertyNames: { pattern: "^[A-Z]{2}$" }, additionalProperties: {}, minProperties: 3 },
    ],
    [
      "a tuple with optional and rest",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: { const: true }, minItems: 4 },
    ],
    ["an empty tuple", { type: "array", items: false, maxItems: 0 }],
    ["a list without repeats", { type: "array", items: { type: "boolean" }, uniqueItems: true, minItems: 2 }],
    [
      "a list of an enum without repeats",
      { type: "array", items: { enum: ["a", "b", "c"] }, uniqueItems: true, minItems: 3 },
    ],
    [
      "a list of a pattern without repeats",
      { type: "array", items: { type: "string", pattern: "^[a-c]{2}$" }, uniqueItems: true, minItems: 4 },
    ],
    ["an open range", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ["a negative range", { type: "integer", minimum: -20, maximum: -10, multipleOf: 7 }],
    ["a far multiple", { type: "number", minimum: 100.2, multipleOf: 0.5 }],
    ["an upper bound only", { type: "integer", exclusiveMaximum: -5 }],
    ["lengths", { type: "string", minLength: 30, maxLength: 30 }],
    ["a pattern and lengths", { type: "string", pattern: "^[a-z]+$", minLength: 12, maxLength: 14 }],
    ["a wrong example", { type: "integer", examples: ["ten"], default: null as never }],
    ["anything", {}],
    ["what is not something", { type: "string", not: { enum: ["text"] } }],
    [
      "codecs",
      objectSchema({
        n: { type: "string", pattern: "^-?\\d+$", "x-codec": "bigint" },
        raw: { type: "string", contentEncoding: "base64", "x-codec": "bytes" },
      }),
    ],
    ...FORMATS.map((format): [string, JsonSchema] => [`the format ${format}`, { type: "string", format }]),
  ])("for %s", async (_, schema) => {
    const value = await made(schema);
    expect([value, await isValid(schema, value)]).toEqual([value, true]);
    expect(await made(structuredClone(schema))).toEqual(value);
  });

  test("with telling strings, examples and defaults where there are some", async () => {
    const schema = objectSchema({
      city: { type: "string" },
      sku: { type: "string", examples: ["SKU-1"] },
      limit: { type: "number", default: 7 },
    });
    expect(await made(schema)).toEqual({ city: "city", sku: "SKU-1", limit: 7 });
  });

  test("for generated schemas", async () => {
    const { schema } = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema }>((tie) => ({
      leaf: fc.oneof(
        fc.constant<JsonSchema>({ type: "boolean" }),
        fc.record({
          type: fc.constant("string" as const),
          minLength: fc.nat(5),
          maxLength: fc.integer({ min: 5, max: 9 }),
        }),
        fc.record({
          type: fc.constantFrom("number" as const, "integer" as const),
          minimum: fc.integer({ min: -50, max: 0 }),
          maximum: fc.integer({ min: 1, max: 50 }),
        }),
        fc.record({
          type: fc.constant("integer" as const),
          multipleOf: fc.integer({ min: 1, max: 9 }),
          exclusiveMinimum: fc.integer({ min: -50, max: 50 }),
        }),
        fc.record({ const: fc.constantFrom("a", 1, null, true) }),
        fc.record({ type: fc.constant("string" as const), format: fc.constantFrom(...FORMATS) }),
      ),
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        tie("leaf"),
        fc
          .dictionary(fc.string({ maxLength: 4 }), tie("schema"), { maxKeys: 3 })
          .map((properties) => objectSchema(properties)),
        fc.record({ type: fc.constant("array" as const), items: tie("schema"), minItems: fc.nat(3) }),
        fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
        fc.record({ type: fc.constant("object" as const), additionalProperties: tie("schema") }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(schema, async (generated) => {
        const value = await made(generated);
        expect([value, await isValid(generated, value)]).toEqual([value, true]);
      }),
      { numRuns: 300 },
    );
  });
});

test.each<[string, JsonSchema]>([
  ["a text longer than any", { type: "string", minLength: 2 ** 31 }],
  ["millions of elements", { type: "array", minItems: 5_000_000, items: { type: "string" } }],
  [
    "lists of lists of lists",
    [300, 300, 300].reduce<JsonSchema>((items, minItems) => ({ type: "array", minItems, items }), { type: "null" }),
  ],
])("makeValue() gives up on %s, and does not run out of memory", async (_, schema) => {
  const value = makeValue(await compileSchema(objectSchema({ x: schema }), "hostile"));
  expect(JSON.stringify(value).length).toBeLessThan(3_000_000);
});

describe("stringsMatching()", () => {
  test.each([
    "^user-[\\s\\S]*$",
    "^v-?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?$",
    "^-?(?:0|[1-9]\\d*)(?:\\.\\d*[1-9])?$",
    "^[A-Z]{3}-\\d{4}$",
    "^(?<year>\\d{4})-(?:0[1-9]|1[0-2])$",
    "^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$",
    "^\\p{Lu}\\p{Ll}+$",
    "^[\\w.-]{2,5}$",
    "^\\u0041\\x42\\u{43}[\\]\\-]$",
    "^(a|b(c|d)){2}$",
    "",
    "x",
  ])("finds several or all for /%s/u", (pattern) => {
    const found = stringsMatching(pattern);
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((text) => new RegExp(pattern, "u").test(text))).toBe(true);
  });

  test("finds none, and does not throw, for what it cannot read or what matches nothing", () => {
    for (const pattern of ["(", "(?=a)b", "^a$b", "[", "\\"]) expect(stringsMatching(pattern)).toEqual([]);
  });
});
