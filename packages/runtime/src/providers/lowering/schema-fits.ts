import type { Json, JsonSchema } from "../../manifest/json-schema.js";

/**
 * Whether a value has the shape that a schema describes; formats are not looked at. It tells the branches of a union
 * apart on the way to the wire and back. It is not the validation of arguments, which is Ajv's.
 *
 * @param root The schema that holds the `$defs` that `schema` refers to.
 */
export function schemaFits(schema: JsonSchema | boolean, value: Json, root: JsonSchema): boolean {
  if (typeof schema === "boolean") return schema;
  if (schema.$ref !== undefined) {
    const target = resolveReference(schema.$ref, root);
    if (target === undefined || !schemaFits(target, value, root)) return false;
  }
  if (schema.const !== undefined && !jsonEquals(schema.const, value)) return false;
  if (schema.enum?.some((item) => jsonEquals(item, value)) === false) return false;
  if (schema.anyOf?.some((branch) => schemaFits(branch, value, root)) === false) return false;
  if (schema.not !== undefined && schemaFits(schema.not, value, root)) return false;
  if (schema.type !== undefined && !typeNames(schema).some((type) => hasType(value, type))) return false;
  if (typeof value === "string") return stringFits(schema, value);
  if (typeof value === "number") return numberFits(schema, value);
  if (isArray(value)) return arrayFits(schema, value, root);
  if (isObject(value)) return objectFits(schema, value, root);
  return true;
}

/** The names in `type`, as a list; empty when there is none. */
export function typeNames(schema: JsonSchema): readonly string[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === "string" ? [schema.type] : schema.type;
}

export function resolveReference(reference: string, root: JsonSchema): JsonSchema | undefined {
  const name = reference.startsWith("#/$defs/") ? decodePointer(reference.slice("#/$defs/".length)) : undefined;
  return name !== undefined && root.$defs !== undefined && Object.hasOwn(root.$defs, name)
    ? root.$defs[name]
    : undefined;
}

export function decodePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function encodePointer(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equality of JSON values; the order of keys does not count. */
export function jsonEquals(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (isArray(left)) {
    return (
      isArray(right) && left.length === right.length && left.every((item, index) => jsonEquals(item, right[index]!))
    );
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key]!, right[key]!))
  );
}

function hasType(value: Json, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "array":
      return isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function stringFits(schema: JsonSchema, value: string): boolean {
  const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length;
  if (schema.minLength !== undefined && length < schema.minLength) return false;
  if (schema.maxLength !== undefined && length > schema.maxLength) return false;
  return schema.pattern === undefined || new RegExp(schema.pattern, "u").test(value);
}

function numberFits(schema: JsonSchema, value: number): boolean {
  return !(
    (schema.minimum !== undefined && value < schema.minimum) ||
    (schema.maximum !== undefined && value > schema.maximum) ||
    (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) ||
    (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum) ||
    (schema.multipleOf !== undefined && !Number.isInteger(value / schema.multipleOf))
  );
}

function arrayFits(schema: JsonSchema, value: readonly Json[], root: JsonSchema): boolean {
  if (schema.minItems !== undefined && value.length < schema.minItems) return false;
  if (schema.maxItems !== undefined && value.length > schema.maxItems) return false;
  if (schema.uniqueItems === true) {
    const repeated = value.some((item, index) => value.slice(0, index).some((earlier) => jsonEquals(earlier, item)));
    if (repeated) return false;
  }
  const first = schema.prefixItems ?? [];
  return value.every((item, index) => schemaFits(first[index] ?? schema.items ?? true, item, root));
}

function objectFits(schema: JsonSchema, value: { readonly [key: string]: Json }, root: JsonSchema): boolean {
  const keys = Object.keys(value);
  if (schema.minProperties !== undefined && keys.length < schema.minProperties) return false;
  if (schema.maxProperties !== undefined && keys.length > schema.maxProperties) return false;
  if (schema.required?.some((key) => !Object.hasOwn(value, key)) === true) return false;
  const patterns = Object.entries(schema.patternProperties ?? {});
  return keys.every((key) => {
    const item = value[key]!;
    if (schema.propertyNames !== undefined && !schemaFits(schema.propertyNames, key, root)) return false;
    const declared =
      schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? [schema.properties[key]!] : [];
    const matched = patterns.filter(([pattern]) => new RegExp(pattern, "u").test(key)).map(([, branch]) => branch);
    const branches = [...declared, ...matched];
    if (branches.length === 0) return schemaFits(schema.additionalProperties ?? true, item, root);
    return branches.every((branch) => schemaFits(branch, item, root));
  });
}
