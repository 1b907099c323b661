import { isRecord } from "../manifest/is-record.js";
import type { JsonSchema } from "../manifest/json-schema.js";

const NAMES_TO_SCHEMAS = new Set(["properties", "patternProperties", "$defs"]);
const NO_SCHEMAS = new Set(["const", "enum", "default", "examples", "required"]);

/**
 * A copy that Ajv reads rightly and quickly:
 * - Ajv passes over a property named `__proto__`, so that it would neither be allowed nor checked: as a pattern it is.
 * - Ajv takes an absent required property named `""` for none absent: the same said by names.
 * - Properties with a fixed value are checked first (`allOf` goes before `properties`), so that a branch of a
 *   discriminated union is left at its discriminator and a recursive one does not check each child once for each branch.
 */
export function prepareSchema(schema: JsonSchema): JsonSchema {
  return prepare(schema) as JsonSchema;
}

function prepare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prepare);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [keyword, held] of Object.entries(value)) {
    if (NO_SCHEMAS.has(keyword)) copy[keyword] = held;
    else if (NAMES_TO_SCHEMAS.has(keyword) && isRecord(held)) {
      copy[keyword] = Object.fromEntries(Object.entries(held).map(([name, schema]) => [name, prepare(schema)]));
    } else copy[keyword] = prepare(held);
  }
  const first: unknown[] = [];
  if (Array.isArray(copy.required) && copy.required.includes("")) {
    first.push({ not: { type: "object", propertyNames: { minLength: 1 } } });
  }
  if (isRecord(copy.properties)) {
    const { ["__proto__"]: hidden, ...properties } = copy.properties;
    if (Object.hasOwn(copy.properties, "__proto__")) {
      copy.properties = properties;
      copy.patternProperties = { ...(copy.patternProperties as object | undefined), "^__proto__$": hidden };
    }
    const fixed = Object.entries(properties).filter(([, schema]) => isRecord(schema) && "const" in schema);
    if (fixed.length > 0) first.push({ properties: Object.fromEntries(fixed) });
  }
  if (first.length > 0) copy.allOf = [...((copy.allOf as unknown[] | undefined) ?? []), ...first];
  return copy;
}

/** Whether a codec occurs anywhere in a schema. */
export function mentionsCodec(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsCodec);
  if (!isRecord(value)) return false;
  return Object.entries(value).some(([keyword, held]) =>
    keyword === "x-codec" ? typeof held === "string" : !NO_SCHEMAS.has(keyword) && mentionsCodec(held),
  );
}
