import type { Json, JsonSchema, JsonTypeName } from "@callsign/runtime/manifest";
import type { DocTag } from "../checker/checker.js";
import type { Fault } from "../errors/messages.js";
import * as messages from "../errors/messages.js";
import type { MapContext } from "./mapper.js";
import { nodeIdOf } from "./schema-node.js";
import type { TypeSite } from "./type-site.js";

/** The formats that a manifest may name: those of `ajv-formats`, which checks them. */
export const FORMATS: ReadonlySet<string> = new Set([
  ...["date", "time", "date-time", "iso-time", "iso-date-time", "duration"],
  ...["uri", "uri-reference", "uri-template", "url", "email", "hostname", "ipv4", "ipv6", "regex", "uuid"],
  ...[
    "json-pointer",
    "json-pointer-uri-fragment",
    "relative-json-pointer",
    "byte",
    "int32",
    "int64",
    "float",
    "double",
  ],
  ...["password", "binary"],
]);

interface KeywordRule {
  readonly type: JsonTypeName;
  /** What the tag takes, for the message. */
  readonly wanted: string;
  readonly parse: (text: string) => Json | undefined;
}

const number = (wanted: string, accepts: (value: number) => boolean): Pick<KeywordRule, "wanted" | "parse"> => ({
  wanted,
  parse: (text) => (text.trim() !== "" && accepts(Number(text)) ? Number(text) : undefined),
});
const anyNumber = number("a number", Number.isFinite);
const count = number("a whole number from 0", (value) => Number.isSafeInteger(value) && value >= 0);
const flag: Pick<KeywordRule, "wanted" | "parse"> = {
  wanted: "true or false",
  parse: (text) => (text === "" || text === "true" ? true : text === "false" ? false : undefined),
};

/** Which keyword goes with which JSON type, and what a tag of that name takes. */
const RULES: Readonly<Record<string, KeywordRule>> = {
  minimum: { type: "number", ...anyNumber },
  maximum: { type: "number", ...anyNumber },
  exclusiveMinimum: { type: "number", ...anyNumber },
  exclusiveMaximum: { type: "number", ...anyNumber },
  multipleOf: { type: "number", ...number("a number above 0", (value) => Number.isFinite(value) && value > 0) },
  minLength: { type: "string", ...count },
  maxLength: { type: "string", ...count },
  pattern: { type: "string", wanted: "a regular expression", parse: (text) => (isPattern(text) ? text : undefined) },
  format: {
    type: "string",
    wanted: `one of ${[...FORMATS].join(", ")}`,
    parse: (text) => (FORMATS.has(text) ? text : undefined),
  },
  minItems: { type: "array", ...count },
  maxItems: { type: "array", ...count },
  uniqueItems: { type: "array", ...flag },
  minProperties: { type: "object", ...count },
  maxProperties: { type: "object", ...count },
  asType: {
    type: "number",
    wanted: "integer or number",
    parse: (text) => (["integer", "int"].includes(text) ? "integer" : text === "number" ? "number" : undefined),
  },
};

/** Whether a JSDoc tag is a constraint. */
export function isConstraintTag(name: string): boolean {
  return Object.hasOwn(RULES, name);
}

/** Applies a constraint tag to a schema, or reports why it cannot. */
export function applyTag(schema: JsonSchema, tag: DocTag, site: TypeSite, context: MapContext): JsonSchema {
  const rule = RULES[tag.name];
  if (rule === undefined) return schema;
  const text = unquoted(tag.text);
  const value = rule.parse(text);
  // The type first: a minimum on a string is wrong whatever its value.
  if (!fits(schema, rule.type, context)) {
    return refuseTag(
      schema,
      { tag, fault: messages.constraintType(tag.name, describe(schema, context)) },
      site,
      context,
    );
  }
  if (value === undefined) {
    return refuseTag(schema, { tag, fault: messages.constraintValue(tag.name, text, rule.wanted) }, site, context);
  }
  return applyKeyword(schema, { keyword: tag.name, value, tag: tag.name }, site, context);
}

/** An error where the author can mend the tag; a dependency's own slips must not keep its types from being used. */
export function refuseTag(
  schema: JsonSchema,
  { tag, fault }: { readonly tag: DocTag; readonly fault: Fault },
  site: TypeSite,
  context: MapContext,
): JsonSchema {
  if (context.checker.isEditable(tag.place)) return context.fail(fault, site);
  context.warn(messages.foreignTag(fault), site);
  return schema;
}

/** Adds one keyword to the parts of a schema that it fits. */
export function applyKeyword(
  schema: JsonSchema,
  { keyword, value, tag }: { keyword: string; value: Json; tag: string },
  site: TypeSite,
  context: MapContext,
): JsonSchema {
  const rule = RULES[keyword];
  if (rule === undefined) return { ...schema, [keyword]: value };
  if (!fits(schema, rule.type, context)) {
    return context.fail(messages.constraintType(tag, describe(schema, context)), site);
  }
  if (rule.parse(String(value)) === undefined) {
    return context.fail(messages.constraintValue(tag, String(value), rule.wanted), site);
  }
  return add(schema, { keyword, value, type: rule.type }, context);
}

function add(
  schema: JsonSchema,
  part: { keyword: string; value: Json; type: JsonTypeName },
  context: MapContext,
): JsonSchema {
  if (nodeIdOf(schema) !== undefined) {
    const { $ref, ...annotations } = schema;
    const resolved = context.resolve(schema);
    if (resolved === undefined) return { ...schema, type: part.type, [part.keyword]: part.value };
    return { ...add(resolved, part, context), ...annotations };
  }
  if (schema.anyOf !== undefined) {
    return {
      ...schema,
      anyOf: schema.anyOf.map((branch) => (fits(branch, part.type, context) ? add(branch, part, context) : branch)),
    };
  }
  if (part.keyword === "asType") return part.value === "integer" ? asInteger(schema) : schema;
  return { ...withType(schema), [part.keyword]: part.value };
}

/** Ajv's strict mode wants the type beside a keyword that is for one type only. */
function withType(schema: JsonSchema): JsonSchema {
  if (schema.type !== undefined) return schema;
  const types = [...new Set(literalsOf(schema).map(typeName))];
  return { type: types.length === 1 ? (types[0] as JsonTypeName) : types, ...schema };
}

function literalsOf(schema: JsonSchema): readonly Json[] {
  return schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
}

function typeName(value: Json): JsonTypeName {
  return value === null ? "null" : (typeof value as JsonTypeName);
}

function asInteger(schema: JsonSchema): JsonSchema {
  if (schema.type === "number") return { ...schema, type: "integer" };
  if (Array.isArray(schema.type)) {
    return { ...schema, type: schema.type.map((name: JsonTypeName) => (name === "number" ? "integer" : name)) };
  }
  return schema;
}

/** Whether some value of the schema is of that JSON type, codecs of scalars apart: their form is not the author's. */
function fits(schema: JsonSchema, type: JsonTypeName, context: MapContext): boolean {
  const resolved = context.resolve(schema);
  if (resolved === undefined) return true;
  if (resolved.anyOf !== undefined) return resolved.anyOf.some((branch) => fits(branch, type, context));
  if (resolved["x-codec"] !== undefined && type === "string") return false;
  if (resolved.type !== undefined) {
    const names: readonly JsonTypeName[] = typeof resolved.type === "string" ? [resolved.type] : resolved.type;
    return names.includes(type) || (type === "number" && names.includes("integer"));
  }
  return literalsOf(resolved).some((value) => typeName(value) === type);
}

/** The JSON types of a schema, in words. */
export function describe(schema: JsonSchema, context: MapContext): string {
  const resolved = context.resolve(schema);
  if (resolved === undefined) return "an object";
  if (resolved.anyOf !== undefined) {
    return [...new Set(resolved.anyOf.map((branch) => describe(branch, context)))].join(" or ");
  }
  if (resolved["x-codec"] !== undefined) return `a ${resolved["x-codec"]} (${resolved.type})`;
  if (resolved.type !== undefined)
    return typeof resolved.type === "string" ? resolved.type : resolved.type.join(" or ");
  const values = literalsOf(resolved);
  return values.length === 0 ? "anything" : [...new Set(values.map(typeName))].join(" or ");
}

function isPattern(text: string): boolean {
  if (text === "") return false;
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}

/** `"x"` as `x`: both are written in tags, in JSON's spelling (`"\\d"`) or as it is (`"\d"`). */
function unquoted(text: string): string {
  if (!/^(["'`])(?:(?!\1).)*\1$/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return value;
  } catch {
    // Not JSON: what stands between the quotes is meant.
  }
  return text.slice(1, -1);
}
