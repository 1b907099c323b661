import type { JsonSchema } from "@callsign/runtime/manifest";
import { mappers } from "../../src/schema/mappers.js";

/** A fault that someone could make in a mapper, as a change of what it returns. */
export interface PlantedBug {
  readonly name: string;
  readonly mapper: string;
  /** The changed schema, or undefined where the fault makes no difference. */
  readonly spoil: (schema: JsonSchema) => JsonSchema | undefined;
}

const withoutKey = (schema: JsonSchema, keyword: keyof JsonSchema): JsonSchema | undefined => {
  if (schema[keyword] === undefined) return undefined;
  const { [keyword]: _, ...rest } = schema;
  return rest;
};

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "a union loses its last branch",
    mapper: "union",
    spoil: (schema) => (schema.anyOf === undefined ? undefined : { ...schema, anyOf: schema.anyOf.slice(0, -1) }),
  },
  {
    name: "an object forgets that it is closed",
    mapper: "object",
    spoil: (schema) => (schema.additionalProperties === false ? withoutKey(schema, "additionalProperties") : undefined),
  },
  { name: "an object requires nothing", mapper: "object", spoil: (schema) => withoutKey(schema, "required") },
  {
    name: "every member of an object is required",
    mapper: "object",
    spoil: (schema) =>
      schema.properties === undefined ? undefined : { ...schema, required: Object.keys(schema.properties) },
  },
  {
    name: "a tuple takes more elements than it has",
    mapper: "tuple",
    spoil: (schema) => (schema.items === false ? { ...withoutKey(schema, "items"), maxItems: 99 } : undefined),
  },
  { name: "a tuple may be shorter than it is", mapper: "tuple", spoil: (schema) => withoutKey(schema, "minItems") },
  {
    name: "the elements of an array are not described",
    mapper: "array",
    spoil: (schema) => withoutKey(schema, "items"),
  },
  {
    name: "a template literal is any string",
    mapper: "template-literal",
    spoil: (schema) => withoutKey(schema, "pattern"),
  },
  {
    name: "a template literal matches anywhere in the string",
    mapper: "template-literal",
    spoil: (schema) =>
      schema.pattern?.startsWith("^") === true ? { ...schema, pattern: schema.pattern.slice(1) } : undefined,
  },
  {
    name: "a numeric literal comes out as a string",
    mapper: "literal",
    spoil: (schema) => (typeof schema.const === "number" ? { const: String(schema.const) } : undefined),
  },
  {
    name: "null is lost from a union",
    mapper: "union",
    spoil: (schema) =>
      schema.enum?.includes(null) === true
        ? { ...schema, enum: schema.enum.filter((value) => value !== null) }
        : undefined,
  },
  {
    name: "a bigint is a JSON number",
    mapper: "bigint",
    spoil: (schema) => (schema.type === "string" ? { type: "integer", "x-codec": "bigint" } : undefined),
  },
  { name: "a type without values takes everything", mapper: "never", spoil: () => ({}) },
];

/** Plants a bug in the table of mappers; the result takes it out again. */
export function plant({ mapper: name, spoil }: PlantedBug): () => void {
  const mapper = mappers.find((each) => each.name === name);
  if (mapper === undefined) throw new Error(`no mapper is called ${name}`);
  const { toSchema } = mapper;
  mapper.toSchema = (candidate, site, context) => {
    // A mapper that forgets to refuse does not complain either.
    const schema = name === "never" ? {} : toSchema(candidate, site, context);
    return spoil(schema) ?? schema;
  };
  return () => {
    mapper.toSchema = toSchema;
  };
}
