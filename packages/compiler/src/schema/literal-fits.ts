import type { Json, JsonSchema } from "@callsign/runtime/manifest";
import type { MapContext } from "./mapper.js";

/**
 * Why a value written in the source does not fit a schema, or undefined when it does. Formats are left to the
 * runtime, but for those of codecs. Ajv would need the finished schema, which does not exist yet where a default is read.
 */
export function misfit(value: Json, schema: JsonSchema | boolean, context: MapContext): string | undefined {
  if (schema === true) return undefined;
  if (schema === false) return "nothing is allowed here";
  const resolved = context.resolve(schema);
  if (resolved === undefined) return undefined;
  const { anyOf } = resolved;
  if (anyOf?.every((branch) => misfit(value, branch, context) !== undefined) === true) {
    return "it fits none of the alternatives";
  }
  if (resolved.const !== undefined && !same(value, resolved.const))
    return `only ${JSON.stringify(resolved.const)} is allowed`;
  if (resolved.enum !== undefined && !resolved.enum.some((member) => same(value, member))) {
    return `only ${resolved.enum.map((member) => JSON.stringify(member)).join(", ")} are allowed`;
  }
  if (resolved.type !== undefined) {
    const names: readonly string[] = typeof resolved.type === "string" ? [resolved.type] : resolved.type;
    const kind = kindOf(value);
    const integer = names.includes("integer") && Number.isInteger(value);
    if (!names.includes(kind) && !integer) return `${names.join(" or ")} is wanted, not ${kind}`;
  }
  if (typeof value === "number") return misfitNumber(value, resolved);
  if (typeof value === "string") return misfitString(value, resolved);
  if (Array.isArray(value)) return misfitArray(value, resolved, context);
  return value !== null && typeof value === "object"
    ? misfitObject(value as { [key: string]: Json }, resolved, context)
    : undefined;
}

function misfitNumber(value: number, schema: JsonSchema): string | undefined {
  if (schema.minimum !== undefined && value < schema.minimum) return `it is below the minimum ${schema.minimum}`;
  if (schema.maximum !== undefined && value > schema.maximum) return `it is above the maximum ${schema.maximum}`;
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum)
    return `it is not above ${schema.exclusiveMinimum}`;
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum)
    return `it is not below ${schema.exclusiveMaximum}`;
  if (schema.multipleOf !== undefined && !Number.isInteger(value / schema.multipleOf))
    return `it is no multiple of ${schema.multipleOf}`;
  return undefined;
}

function misfitString(value: string, schema: JsonSchema): string | undefined {
  const length = [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength) return `it is shorter than ${schema.minLength}`;
  if (schema.maxLength !== undefined && length > schema.maxLength) return `it is longer than ${schema.maxLength}`;
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value))
    return `it does not match ${schema.pattern}`;
  // `@default new Date()` is prose, not a time.
  if (schema["x-codec"] === "date" && !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value))
    return "a time is written as 2026-01-31T12:00:00Z";
  if (schema["x-codec"] === "url" && !URL.canParse(value)) return "it is no URL";
  return undefined;
}

function misfitArray(value: readonly Json[], schema: JsonSchema, context: MapContext): string | undefined {
  if (schema.minItems !== undefined && value.length < schema.minItems)
    return `it has fewer than ${schema.minItems} elements`;
  if (schema.maxItems !== undefined && value.length > schema.maxItems)
    return `it has more than ${schema.maxItems} elements`;
  const prefix = schema.prefixItems ?? [];
  for (const [index, element] of value.entries()) {
    const why = misfit(element, prefix[index] ?? schema.items ?? true, context);
    if (why !== undefined) return `[${index}]: ${why}`;
  }
  return undefined;
}

function misfitObject(
  value: { readonly [key: string]: Json },
  schema: JsonSchema,
  context: MapContext,
): string | undefined {
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${missing} is missing`;
  const properties = schema.properties ?? {};
  const patterns = Object.entries(schema.patternProperties ?? {});
  for (const [name, member] of Object.entries(value)) {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const matching = patterns.filter(([pattern]) => new RegExp(pattern, "u").test(name)).map(([, inner]) => inner);
    const rest = declared === undefined && matching.length === 0 ? [schema.additionalProperties ?? true] : [];
    for (const inner of [...(declared === undefined ? [] : [declared]), ...matching, ...rest]) {
      const why = misfit(member, inner, context);
      if (why !== undefined) return `${name}: ${why}`;
    }
  }
  return undefined;
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
