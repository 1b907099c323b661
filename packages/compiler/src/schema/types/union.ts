import type { CodecName, Json, JsonSchema, JsonTypeName } from "@callsign/runtime/manifest";
import type { Checker, Place, Type } from "../../checker/checker.js";
import * as messages from "../../errors/messages.js";
import type { MapContext, TypeMapper } from "../mapper.js";
import { nodeIdOf } from "../schema-node.js";
import { sameSite, type TypeSite } from "../type-site.js";

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
    // The JSDoc of an alias of the union is about the whole, not about each member.
    const inside = sameSite(site, bodyOf(site.written, checker));
    const branches = withoutShadowedCodecs(
      joinBooleans(members, context).map((member) => ({ type: member, schema: mapBranch(member, inside, context) })),
      site,
      context,
    );
    return joinBranches(branches.map((branch) => branch.schema));
  },
};

/** What stands behind the names of aliases. */
function bodyOf(written: Place | undefined, checker: Checker): Place | undefined {
  const alias = checker.writtenAlias(written);
  return alias === undefined ? written : bodyOf(alias.body, checker);
}

function sorted(types: readonly Type[], { checker }: MapContext): readonly Type[] {
  const brief = types.map((type) => checker.sortKey(type, "brief"));
  const tell = new Set(brief).size === brief.length;
  return types
    .map((type, index) => ({ type, key: tell ? (brief[index] ?? "") : checker.sortKey(type, "full") }))
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

/** A branch that comes to a plain literal or primitive is one, whatever its name or brand. */
function mapBranch(member: Type | typeof BOOLEAN, site: TypeSite, context: MapContext): JsonSchema {
  if (member === BOOLEAN) return { type: "boolean" };
  const schema = context.map(member, site);
  const resolved = context.resolve(schema);
  return resolved !== undefined && groupOf(resolved) !== undefined ? resolved : schema;
}

/** Literals become one `enum`, primitives one `type` list; each stands where the first of its kind stood. */
export function joinBranches(branches: readonly JsonSchema[]): JsonSchema {
  const groups: Groups = { literals: new Set(), bigints: new Set(), types: new Set() };
  for (const branch of branches) {
    const group = groupOf(branch);
    if (group === "types") groups.types.add(branch.type as JsonTypeName);
    else if (group !== undefined) groups[group].add(branch.const as Json);
  }
  const { literals, types } = groups;
  // Both booleans, each with a brand of its own.
  const bothBooleans = literals.has(true) && literals.has(false);
  const absorbed = [...literals].filter((value) => types.has(typeof value as JsonTypeName));
  for (const value of absorbed) literals.delete(value);
  // null beside literals only is one of them.
  const onlyNull = types.size === 1 && types.has("null") && literals.size > 0 && !bothBooleans;
  if (onlyNull) literals.add(null);
  const written = new Set<keyof Groups>();
  const joined: JsonSchema[] = [];
  for (const branch of branches) {
    const group = onlyNull && branch.type === "null" ? "literals" : groupOf(branch);
    if (group === undefined) joined.push(branch);
    else if (!written.has(group)) joined.push(...groupSchemas(group, groups, absorbed));
    if (group !== undefined) written.add(group);
  }
  return joined.length === 1 ? (joined[0] as JsonSchema) : { anyOf: joined };
}

interface Groups {
  readonly literals: Set<Json>;
  readonly bigints: Set<Json>;
  readonly types: Set<JsonTypeName>;
}

function groupOf(branch: JsonSchema): keyof Groups | undefined {
  const size = Object.keys(branch).length;
  if (branch.const !== undefined && size === 1) return "literals";
  if (branch.const !== undefined && size === 2 && branch["x-codec"] === "bigint") return "bigints";
  return size === 1 && typeof branch.type === "string" && branch.type !== "object" ? "types" : undefined;
}

/** The schema of one group. Literals that a primitive absorbs (`"a" | string`) stay as hints. */
function groupSchemas(
  group: keyof Groups,
  { literals, bigints, types }: Groups,
  absorbed: readonly Json[],
): JsonSchema[] {
  switch (group) {
    case "types": {
      const names = [...types];
      const hints = absorbed.filter((value) => typeof value === "string");
      const type = names.length === 1 ? (names[0] as JsonTypeName) : names;
      return [{ type, ...(hints.length > 0 ? { examples: hints } : {}) }];
    }
    case "bigints":
      return [literalSchema([...bigints], "bigint")];
    default: {
      const both = literals.has(true) && literals.has(false);
      const values = [...literals].filter((value) => !both || typeof value !== "boolean");
      return [...(both ? [{ type: "boolean" } as const] : []), ...(values.length > 0 ? [literalSchema(values)] : [])];
    }
  }
}

function literalSchema(values: readonly Json[], codec?: CodecName): JsonSchema {
  const suffix = codec === undefined ? {} : { "x-codec": codec };
  if (values.length === 1) return { const: values[0] as Json, ...suffix };
  const kinds = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  const [kind] = kinds;
  return kinds.size === 1 && (kind === "string" || kind === "number")
    ? { type: kind, enum: values, ...suffix }
    : { enum: values };
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
    return takesAny(plain.additionalProperties, encoded.additionalProperties, context);
  }
  if (encoded.type === "array")
    return plain.type === "array" && !plain.prefixItems && takesAny(plain.items, encoded.items, context);
  return plain.type === "string" && Object.keys(plain).length === 1;
}

/** Whether a plain part takes all that an encoded one has. */
function takesAny(plain: JsonSchema | boolean | undefined, encoded: unknown, context: MapContext): boolean {
  if (plain === undefined || plain === true) return true;
  const resolved = plain === false ? undefined : context.resolve(plain);
  return (resolved !== undefined && Object.keys(resolved).length === 0) || isSame([plain, encoded], context, new Set());
}

/** Whether two parts of schemas say the same, through references. */
function isSame([a, b]: readonly [unknown, unknown], context: MapContext, open: ReadonlySet<string>): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [one, other] = [context.resolve(a), context.resolve(b)];
  // What recurs is the same as long as nothing else tells the two apart.
  const pair = `${nodeIdOf(a)} ${nodeIdOf(b)}`;
  if (one === other || open.has(pair)) return true;
  if (one === undefined || other === undefined) return false;
  const inside = nodeIdOf(a) === undefined ? open : new Set([...open, pair]);
  const keys = Object.keys(one) as (keyof JsonSchema)[];
  return (
    keys.length === Object.keys(other).length && keys.every((key) => isSame([one[key], other[key]], context, inside))
  );
}
