import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";

/** A kind of parameter, and arguments for it. docs/provider-matrix.md is made from them. */
export interface Construct {
  readonly name: string;
  readonly parameters: JsonSchema;
  readonly args: { readonly [name: string]: Json };
}

export function closed(properties: { [name: string]: JsonSchema }, ...optional: string[]): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

const shape: JsonSchema = {
  anyOf: [
    closed({ kind: { const: "circle" }, r: { type: "number" } }),
    closed({ kind: { const: "square" }, side: { type: "number" }, tilt: { type: "number" } }, "tilt"),
  ],
};

/** What the function gets, whatever form the provider's wire gives it. */
export const constructs: readonly Construct[] = [
  {
    name: "an optional property that is absent",
    parameters: closed({ a: { type: "string" }, b: { type: "number" } }, "b"),
    args: { a: "x" },
  },
  {
    name: "an optional property that is there",
    parameters: closed({ a: { type: "string" }, b: { type: "number" } }, "b"),
    args: { a: "x", b: 0 },
  },
  { name: "a nullable property", parameters: closed({ a: { type: ["string", "null"] } }), args: { a: null } },
  {
    name: "an optional and nullable property",
    parameters: closed({ a: { type: ["string", "null"] } }, "a"),
    args: { a: null },
  },
  {
    name: "a property with a default that is absent",
    parameters: closed({ a: { type: "string", default: "x" } }, "a"),
    args: {},
  },
  {
    name: "a tuple",
    parameters: closed({
      at: {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "string" }],
        items: false,
        minItems: 2,
        maxItems: 2,
      },
    }),
    args: { at: [1, "x"] },
  },
  {
    name: "a tuple whose last place is absent",
    parameters: closed({
      at: {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "string" }],
        items: false,
        minItems: 1,
        maxItems: 2,
      },
    }),
    args: { at: [1] },
  },
  {
    name: "a record",
    parameters: closed({ ages: { type: "object", additionalProperties: { type: "number" } } }),
    args: { ages: { ada: 36, constructor: 1 } },
  },
  {
    name: "a record of records",
    parameters: closed({
      deep: { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "number" } } },
    }),
    args: { deep: { a: { b: 1 }, c: {} } },
  },
  {
    name: "a recursive type",
    parameters: {
      ...closed({ tree: { $ref: "#/$defs/Tree" } }),
      $defs: {
        Tree: closed(
          { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
          "children",
        ),
      },
    },
    args: { tree: { name: "a", children: [{ name: "b", children: [{ name: "c" }] }] } },
  },
  { name: "a union as the whole input", parameters: closed({ shape }), args: { shape: { kind: "square", side: 2 } } },
  {
    name: "a list of a union",
    parameters: closed({ shapes: { type: "array", items: shape } }),
    args: {
      shapes: [
        { kind: "circle", r: 1 },
        { kind: "square", side: 2, tilt: 3 },
      ],
    },
  },
  {
    name: "a value of any type",
    parameters: closed({ any: {} }),
    args: { any: { deep: [1, "x", null, { a: true }] } },
  },
  { name: "no arguments", parameters: closed({}), args: {} },
];
