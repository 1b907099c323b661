import fc from "fast-check";
import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";

/** Neutral schemas of every construct that callsign emits, with a value that each accepts. */
export interface SchemaAndValue {
  readonly schema: JsonSchema;
  readonly value: Json;
}

const KEYS = ["a", "b", "kind", "constructor", "__proto__", "", "a/b", "a~1b", "0", "value", "key", "größe"];
const DEFINITIONS = ["Node", "Tree", "A/b"];

const text = (description: string) => ({ description });
const annotations = fc.record(
  {
    description: fc.constantFrom("Says what.", "Two\nlines."),
    title: fc.constant("lat"),
    deprecated: fc.constant(true),
  },
  { requiredKeys: [] },
);

const primitive: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constant<JsonSchema>({ type: "string" }),
  fc.constant<JsonSchema>({ type: "string", format: "date-time", "x-codec": "date" }),
  fc.constant<JsonSchema>({ type: "string", format: "uri" }),
  fc.constant<JsonSchema>({ type: "string", pattern: "^-?\\d+$", "x-codec": "bigint" }),
  fc.constant<JsonSchema>({ type: "string", minLength: 1, maxLength: 3, default: "x", examples: ["x", "yy"] }),
  fc.constant<JsonSchema>({ type: "number", exclusiveMinimum: 0, multipleOf: 0.5 }),
  fc.constant<JsonSchema>({ type: "integer", minimum: -3, maximum: 9 }),
  fc.constant<JsonSchema>({ type: "number", default: 1.5 }),
  fc.constant<JsonSchema>({ type: "boolean" }),
  fc.constant<JsonSchema>({ type: ["string", "null"], maxLength: 4 }),
  fc.constant<JsonSchema>({ type: ["string", "number"] }),
  fc.constant<JsonSchema>({ type: "null" }),
  fc.constant<JsonSchema>({ const: "on" }),
  fc.constant<JsonSchema>({ const: 42 }),
  fc.constant<JsonSchema>({ const: true }),
  fc.constant<JsonSchema>({ enum: ["red", "green"], type: "string" }),
  fc.constant<JsonSchema>({ enum: [0, 1, 10], type: "number" }),
  fc.constant<JsonSchema>({ enum: [1, "two", true, null] }),
  fc.constant<JsonSchema>({ enum: ["a", null] }),
);

function schemaOf(depth: number): fc.Arbitrary<JsonSchema> {
  const leaf = fc.oneof({ arbitrary: primitive, weight: 8 }, { arbitrary: fc.constant<JsonSchema>({}), weight: 1 });
  if (depth === 0) return leaf;
  const inner = fc.constant(depth - 1).chain(schemaOf);
  const reference = fc
    .constantFrom(...DEFINITIONS)
    .map((name): JsonSchema => ({ $ref: `#/$defs/${name.replaceAll("/", "~1")}` }));
  const objects = fc
    .uniqueArray(
      fc.tuple(fc.constantFrom(...KEYS), fc.oneof({ arbitrary: inner, weight: 4 }, reference), fc.boolean()),
      {
        selector: ([key]) => key,
        maxLength: 4,
      },
    )
    .map((members): JsonSchema => {
      const required = members.filter(([, schema, optional]) => !optional && schema.$ref === undefined);
      return {
        type: "object",
        properties: Object.fromEntries(members.map(([key, schema]) => [key, schema])),
        ...(required.length === 0 ? {} : { required: required.map(([key]) => key) }),
        additionalProperties: false,
      };
    });
  const tuples = fc
    .tuple(fc.array(inner, { minLength: 1, maxLength: 3 }), fc.nat(3), fc.option(inner, { nil: undefined }))
    .map(([items, optional, rest]): JsonSchema => {
      const minItems = rest === undefined ? Math.max(0, items.length - optional) : items.length;
      return {
        type: "array",
        prefixItems: items,
        items: rest ?? false,
        minItems,
        ...(rest === undefined ? { maxItems: items.length } : {}),
      };
    });
  const records = fc.oneof(
    inner.map((schema): JsonSchema => ({ type: "object", additionalProperties: schema })),
    inner.map(
      (schema): JsonSchema => ({ type: "object", additionalProperties: schema, propertyNames: { pattern: "^k" } }),
    ),
    inner.map(
      (schema): JsonSchema => ({
        type: "object",
        patternProperties: { "^k": schema },
        additionalProperties: false,
      }),
    ),
    fc.constant<JsonSchema>({ type: "object" }),
  );
  const discriminated = fc.tuple(inner, inner).map(
    ([left, right]): JsonSchema => ({
      anyOf: [
        {
          type: "object",
          properties: { x: left, kind: { const: "l" } },
          required: ["kind"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: { y: right, kind: { const: "r" } },
          required: ["kind", "y"],
          additionalProperties: false,
        },
      ],
    }),
  );
  const composed = fc.oneof(
    { arbitrary: objects, weight: 4 },
    { arbitrary: tuples, weight: 2 },
    { arbitrary: records, weight: 2 },
    { arbitrary: discriminated, weight: 1 },
    {
      arbitrary: fc.array(inner, { minLength: 2, maxLength: 3 }).map((anyOf): JsonSchema => ({ anyOf })),
      weight: 2,
    },
    {
      arbitrary: fc.oneof(inner, reference).map((items): JsonSchema => ({ type: "array", items, uniqueItems: true })),
      weight: 2,
    },
    { arbitrary: reference.map((schema): JsonSchema => ({ anyOf: [{ type: "null" }, schema] })), weight: 1 },
    { arbitrary: leaf, weight: 2 },
  );
  return fc
    .tuple(composed, fc.option(annotations, { nil: {}, freq: 3 }))
    .map(([schema, extra]) => ({ ...schema, ...extra }));
}

const objectSchema = schemaOf(3).filter((schema) => schema.type === "object" && schema.properties !== undefined);

/** An object schema, as a tool's parameters are. */
export const parametersAndValue: fc.Arbitrary<SchemaAndValue> = withDefinitions(objectSchema);

/** Any schema, as a structured output is. */
export const outputAndValue: fc.Arbitrary<SchemaAndValue> = withDefinitions(schemaOf(3));

function withDefinitions(rootSchema: fc.Arbitrary<JsonSchema>): fc.Arbitrary<SchemaAndValue> {
  return fc
    .tuple(rootSchema, ...DEFINITIONS.map(() => schemaOf(2).filter((schema) => !isBareReference(schema))))
    .map(
      ([schema, ...definitions]): JsonSchema => ({
        ...schema,
        $defs: Object.fromEntries(
          DEFINITIONS.map((name, index) => [name, { ...definitions[index]!, ...text(`What a ${name} is.`) }]),
        ),
      }),
    )
    .chain((schema) => valueFor(schema, schema, 5).map((value) => ({ schema, value })));
}

/** A type that is nothing but itself or another one is an error in TypeScript. */
function isBareReference(schema: JsonSchema): boolean {
  return schema.$ref !== undefined || schema.anyOf?.some(isBareReference) === true;
}

/** Equal for values that differ only in the order of their keys. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, item: Json) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)))
      : item,
  );
}

const anyJson: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

function valueFor(schema: JsonSchema, root: JsonSchema, depth: number): fc.Arbitrary<Json> {
  const inner = (child: JsonSchema | boolean | undefined) =>
    typeof child === "object" ? valueFor(child, root, depth - 1) : anyJson;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice("#/$defs/".length).replaceAll("~1", "/");
    return fc.constant(null).chain(() => valueFor(root.$defs![name]!, root, depth - 1));
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) {
    const branches = depth > 0 ? schema.anyOf : schema.anyOf.slice(0, 1);
    return fc.oneof(...branches.map(inner));
  }
  if (schema.type === undefined) return anyJson;
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => valueFor({ ...schema, type } as JsonSchema, root, depth)));
  }
  switch (schema.type as string) {
    case "string":
      if (schema.format === "date-time") return fc.constant("2026-11-29T10:00:00Z");
      if (schema.format === "uri") return fc.constant("https://example.org/x");
      if (schema.pattern !== undefined) return fc.constantFrom("12", "-3");
      return fc.string({ minLength: schema.minLength ?? 0, maxLength: schema.maxLength ?? 6, unit: "grapheme-ascii" });
    case "integer":
      return fc.integer({ min: schema.minimum ?? -9, max: schema.maximum ?? 9 });
    case "number":
      return fc.integer({ min: 1, max: 9 }).map((value) => (schema.multipleOf === undefined ? value + 0.25 : value));
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return arrayValue(schema, { root, inner, depth });
    default:
      return objectValue(schema, { root, inner, depth });
  }
}

type Inner = (schema: JsonSchema | boolean | undefined) => fc.Arbitrary<Json>;

function arrayValue(
  schema: JsonSchema,
  { root, inner, depth }: { root: JsonSchema; inner: Inner; depth: number },
): fc.Arbitrary<Json> {
  const prefix = schema.prefixItems ?? [];
  const least = Math.max(schema.minItems ?? 0, prefix.findLastIndex((item) => takesNull(item, root)) + 1);
  const rest =
    schema.items === false || depth <= 0
      ? fc.constant<Json[]>([])
      : fc.uniqueArray(inner(schema.items), { maxLength: 2, selector: canonical });
  return fc.tuple(fc.tuple(...prefix.map(inner)), fc.nat(prefix.length), rest).map(([items, cut, more]) => {
    const count = Math.max(least, items.length - cut);
    return count < items.length ? items.slice(0, count) : [...items, ...more];
  });
}

function objectValue(
  schema: JsonSchema,
  { root, inner, depth }: { root: JsonSchema; inner: Inner; depth: number },
): fc.Arbitrary<Json> {
  const named = Object.entries(schema.properties ?? {});
  const members = named.map(([key, property]) => {
    const required = schema.required?.includes(key) === true;
    if (required) return inner(property).map((value) => [[key, value] as const]);
    if (depth <= 0) return takesNull(property, root) ? fc.constant([[key, null] as const]) : fc.constant([]);
    const present = inner(property).map((value) => [[key, value] as const]);
    // Absent and null are one on a strict wire where both are allowed; the test of that stands on its own.
    return takesNull(property, root) ? present : fc.oneof(fc.constant([]), present);
  });
  const further = schema.patternProperties?.["^k"] ?? schema.additionalProperties ?? true;
  const keys =
    schema.patternProperties === undefined && schema.propertyNames === undefined
      ? ["x", "", "constructor"]
      : ["k1", "k"];
  const more =
    further === false || depth <= 0
      ? fc.constant<(readonly [string, Json])[]>([])
      : fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), inner(further)), { selector: ([key]) => key, maxLength: 2 });
  return fc
    .tuple(fc.tuple(...members), more)
    .map(([own, others]) => Object.fromEntries([...own.flat(), ...others]) as Json);
}

function takesNull(schema: JsonSchema, root: JsonSchema): boolean {
  if (schema.$ref !== undefined) return takesNull(root.$defs![schema.$ref.slice(8).replaceAll("~1", "/")]!, root);
  if (schema.const !== undefined) return schema.const === null;
  if (schema.enum !== undefined) return schema.enum.includes(null);
  if (schema.anyOf !== undefined) return schema.anyOf.some((branch) => takesNull(branch, root));
  return schema.type === undefined || [schema.type].flat().includes("null");
}
