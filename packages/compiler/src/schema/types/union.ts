import type { Json, JsonSchema, JsonTypeName } from "@callsign/runtime/manifest";
import type { Type } from "../../checker/checker.js";
import * as messages from "../../errors/messages.js";
import type { MapContext, TypeMapper } from "../mapper.js";
import type { TypeSite } from "../type-site.js";

interface Branch {
  readonly type: Type | typeof BOOLEAN;
  readonly schema: JsonSchema;
}

/**
 * Unions: `anyOf` in general, `enum` for literals and a list of types for primitives. Not `oneOf`: few providers take
 * it, and a value that fits two branches is no mistake.
 */
export const unionMapper: TypeMapper = {
  name: "union",
  accepts: ({ shape }) => shape.kind === "union",
  toSchema: ({ type, checker }, site, context) => {
    const { types, ordered } = checker.unionMembers(type, site.written);
    const members = ordered ? types : sorted(types, context);
    const branches = withoutShadowedCodecs(
      joinBooleans(members, context).map((member) => ({ type: member, schema: mapBranch(member, site, context) })),
      site,
      context,
    );
    return joinBranches(branches.map((branch) => branch.schema));
  },
};

function sorted(types: readonly Type[], { checker }: MapContext): readonly Type[] {
  return types
    .map((type) => ({ type, key: checker.sortKey(type) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ type }) => type);
}

const BOOLEAN: unique symbol = Symbol("boolean");

/** true and false together are `boolean`, at the place of the first. */
function joinBooleans(members: readonly Type[], { checker }: MapContext): readonly (Type | typeof BOOLEAN)[] {
  const isBoolean = (type: Type) => {
    const shape = checker.shape(type);
    return shape.kind === "literal" && typeof shape.value === "boolean";
  };
  const booleans = members.filter(isBoolean);
  if (booleans.length < 2) return members;
  return members.flatMap((type): readonly (Type | typeof BOOLEAN)[] =>
    !isBoolean(type) ? [type] : type === booleans[0] ? [BOOLEAN] : [],
  );
}

function mapBranch(member: Type | typeof BOOLEAN, site: TypeSite, context: MapContext): JsonSchema {
  return member === BOOLEAN ? { type: "boolean" } : context.map(member, site);
}

/** Literals become one `enum`, primitives one `type` list; both stand where the first of them stood. */
export function joinBranches(branches: readonly JsonSchema[]): JsonSchema {
  const literals: Json[] = [];
  const bigints: Json[] = [];
  const types: JsonTypeName[] = [];
  const joined: JsonSchema[] = [];
  let literalAt = -1;
  let bigintAt = -1;
  let typeAt = -1;
  for (const branch of branches) {
    const keys = Object.keys(branch);
    if (keys.length === 1 && branch.const !== undefined) {
      if (literalAt < 0) literalAt = joined.push({}) - 1;
      literals.push(branch.const);
    } else if (keys.length === 2 && branch.const !== undefined && branch["x-codec"] === "bigint") {
      if (bigintAt < 0) bigintAt = joined.push({}) - 1;
      bigints.push(branch.const);
    } else if (keys.length === 1 && typeof branch.type === "string" && branch.type !== "object") {
      if (typeAt < 0) typeAt = joined.push({}) - 1;
      types.push(branch.type);
    } else joined.push(branch);
  }
  // null beside literals only is one of them.
  if (typeAt >= 0 && literalAt >= 0 && types.length === 1 && types[0] === "null") {
    const nullFirst = typeAt < literalAt;
    if (nullFirst) literals.unshift(null);
    else literals.push(null);
    joined.splice(typeAt, 1);
    if (typeAt < literalAt) literalAt--;
    if (bigintAt > typeAt) bigintAt--;
    typeAt = -1;
  }
  if (typeAt >= 0) joined[typeAt] = { type: types.length === 1 ? (types[0] as JsonTypeName) : types };
  if (literalAt >= 0) joined[literalAt] = literalSchema(literals);
  if (bigintAt >= 0) {
    joined[bigintAt] =
      bigints.length === 1
        ? { const: bigints[0] as Json, "x-codec": "bigint" }
        : { type: "string", enum: bigints, "x-codec": "bigint" };
  }
  return joined.length === 1 ? (joined[0] as JsonSchema) : { anyOf: joined };
}

function literalSchema(values: readonly Json[]): JsonSchema {
  if (values.length === 1) return { const: values[0] as Json };
  const kinds = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  const [kind] = kinds;
  return kinds.size === 1 && (kind === "string" || kind === "number") ? { type: kind, enum: values } : { enum: values };
}

/** Drops a codec whose JSON form a plain branch takes as well: nobody could tell the two apart. */
function withoutShadowedCodecs(branches: readonly Branch[], site: TypeSite, context: MapContext): readonly Branch[] {
  return branches.filter((branch) => {
    const schema = context.resolve(branch.schema);
    if (schema?.["x-codec"] === undefined || branch.type === BOOLEAN) return true;
    const plain = branches.find(
      (other) => other !== branch && takesAllOf(context.resolve(other.schema), schema, context),
    );
    if (plain === undefined || plain.type === BOOLEAN) return true;
    context.warn(messages.codecShadowed(context.checker.print(branch.type), context.checker.print(plain.type)), site);
    return false;
  });
}

function takesAllOf(plain: JsonSchema | undefined, encoded: JsonSchema, context: MapContext): boolean {
  if (plain === undefined || plain["x-codec"] !== undefined) return false;
  if (encoded["x-codec"] === "map" && encoded.type === "object") {
    if (plain.type !== "object" || plain.properties !== undefined || plain.patternProperties !== undefined)
      return false;
    return sameSchema(plain.additionalProperties, encoded.additionalProperties, context);
  }
  if (encoded.type === "array")
    return plain.type === "array" && !plain.prefixItems && sameSchema(plain.items, encoded.items, context);
  return plain.type === "string" && Object.keys(plain).length === 1;
}

function sameSchema(
  plain: JsonSchema | boolean | undefined,
  encoded: JsonSchema | boolean | undefined,
  context: MapContext,
): boolean {
  if (plain === undefined || plain === true) return true;
  if (typeof plain !== "object" || typeof encoded !== "object") return plain === encoded;
  const resolved = context.resolve(plain);
  return (
    (resolved !== undefined && Object.keys(resolved).length === 0) || JSON.stringify(plain) === JSON.stringify(encoded)
  );
}
