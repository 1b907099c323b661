import type { Json, JsonSchema, JsonTypeName } from "../../manifest/json-schema.js";
import type { Dialect } from "./dialect.js";
import { resolveReference, typeNames } from "./schema-fits.js";

/** Whether a schema says nothing about the value. */
export function isUnknown(schema: JsonSchema): boolean {
  return (
    typeNames(schema).length === 0 &&
    schema.$ref === undefined &&
    schema.anyOf === undefined &&
    schema.const === undefined &&
    schema.enum === undefined
  );
}

/** Whether no value fits: `{ not: {} }`. */
export function isNever(schema: JsonSchema): boolean {
  return schema.not !== undefined && Object.keys(schema.not).length === 0;
}

export function admitsNull(schema: JsonSchema, root: JsonSchema, seen: ReadonlySet<string> = new Set()): boolean {
  if (schema.$ref !== undefined) {
    const target = seen.has(schema.$ref) ? undefined : resolveReference(schema.$ref, root);
    return target !== undefined && admitsNull(target, root, new Set([...seen, schema.$ref]));
  }
  if (schema.const !== undefined) return schema.const === null;
  if (schema.enum !== undefined && !schema.enum.includes(null)) return false;
  if (schema.anyOf?.some((branch) => admitsNull(branch, root, seen)) === false) return false;
  const types = typeNames(schema);
  return types.length === 0 || types.includes("null");
}

/** Lets a wire schema take null as well. The description stays outside, where the model reads it first. */
export function nullable<T extends JsonSchema>(wire: T): T {
  const types = typeNames(wire) as readonly JsonTypeName[];
  if (types.includes("null")) return wire;
  const isPlain = types.length > 0 && wire.anyOf === undefined && !types.includes("object") && !types.includes("array");
  if (isPlain && wire.const === undefined) {
    return {
      ...wire,
      type: [...types, "null"],
      ...(wire.enum === undefined ? {} : { enum: [...wire.enum, null] }),
    };
  }
  const { description, ...inner } = wire;
  const text = description === undefined ? {} : { description };
  const branches = inner.anyOf !== undefined && Object.keys(inner).length === 1 ? inner.anyOf : [inner];
  if (branches.some((branch) => branch.type === "null")) return wire;
  return { anyOf: [...branches, { type: "null" }], ...text } as unknown as T;
}

export function typeOfJson(value: Json): JsonTypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as JsonTypeName;
}

/**
 * The wire form of a fixed list of values.
 *
 * @returns undefined when the wire cannot hold the values at all; `loses` when only their type is kept.
 */
export function valueSchema(
  values: readonly Json[],
  declared: readonly JsonTypeName[],
  dialect: Pick<Dialect, "constants" | "enums">,
): { readonly schema: JsonSchema; readonly loses: boolean } | undefined {
  const types = [...new Set(values.map(typeOfJson))];
  if (types.includes("object") || types.includes("array")) return undefined;
  const typeName = (type: JsonTypeName): JsonTypeName =>
    type === "number" && declared.includes("integer") && !declared.includes("number") ? "integer" : type;
  const others = types.filter((type) => type !== "null");
  if (others.length === 0) return { schema: { type: "null" }, loses: false };
  const isTextAndNumber = dialect.enums === "text-and-number";
  if (types.length === 1) return oneType(values, typeName(others[0]!), dialect);
  if (others.length === 1 && !isTextAndNumber) {
    return { schema: { type: [typeName(others[0]!), "null"], enum: values }, loses: false };
  }
  if (dialect.enums === "mixed") return { schema: { enum: values }, loses: false };
  const parts = types.map((type) =>
    type === "null"
      ? { schema: { type: "null" } as JsonSchema, loses: false }
      : oneType(
          values.filter((value) => typeOfJson(value) === type),
          typeName(type),
          dialect,
        ),
  );
  return { schema: { anyOf: parts.map((part) => part.schema) }, loses: parts.some((part) => part.loses) };
}

function oneType(values: readonly Json[], type: JsonTypeName, dialect: Pick<Dialect, "constants" | "enums">) {
  if (type === "boolean" && dialect.enums === "text-and-number") {
    return { schema: { type }, loses: values.length === 1 };
  }
  if (values.length === 1 && dialect.constants === "const")
    return { schema: { type, const: values[0]! }, loses: false };
  return { schema: { type, enum: values }, loses: false };
}
