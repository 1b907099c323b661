import type { JsonSchema } from "@callsign/runtime/manifest";
import { nameDefinitions } from "./name-definitions.js";
import { nodeIdOf, type SchemaNode } from "./schema-node.js";

/**
 * A named type that is used more than once goes to `$defs` when its text is longer than this; one without a name
 * only when copies would cost much.
 */
const SMALL = { named: 160, unnamed: 2_000 };

/**
 * Writes a mapped schema out: nodes that recur, or that are used often and are not small, once under `$defs`, all
 * others in place. The root is always written in place, since providers want an object at the top.
 */
export function emitSchema(root: JsonSchema, nodes: readonly SchemaNode[]): JsonSchema {
  const usage = countUses(root, nodes);
  const shared = chooseShared(usage, nodes);
  const names = nameDefinitions([...shared].map((id) => nodes[id] as SchemaNode));
  const write = (schema: JsonSchema, at: "root" | "inside"): JsonSchema => {
    const id = nodeIdOf(schema);
    if (id === undefined) return mapParts(schema, (part) => write(part, "inside"));
    // The description and title of the place win over those of the type.
    const { $ref: _, ...annotations } = schema;
    const name = names.get(id);
    if (name !== undefined && at === "inside") return { $ref: `#/$defs/${name}`, ...annotations };
    return writeNode(id, { at, annotations });
  };
  const writeNode = (id: number, { at, annotations }: { at: "root" | "inside"; annotations: JsonSchema }): JsonSchema =>
    withMembers(nodes[id] as SchemaNode, { ...write(nodes[id]?.schema ?? {}, at), ...annotations });
  const written = write(root, "root");
  const definitions = [...names]
    .filter(([id]) => usage.reached.has(id))
    .map(([id, name]): [string, JsonSchema] => [name, writeNode(id, { at: "inside", annotations: {} })])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (definitions.length === 0) return written;
  const used = referenced(written, definitions);
  const kept = definitions.filter(([name]) => used.has(name));
  return kept.length === 0 ? written : { ...written, $defs: Object.fromEntries(kept) };
}

interface Usage {
  readonly uses: Map<number, number>;
  readonly recursive: Set<number>;
  readonly reached: Set<number>;
}

function countUses(root: JsonSchema, nodes: readonly SchemaNode[]): Usage {
  const usage: Usage = { uses: new Map(), recursive: new Set(), reached: new Set() };
  const open = new Set<number>();
  const visit = (schema: JsonSchema): void => {
    const id = nodeIdOf(schema);
    if (id === undefined) {
      for (const part of partsOf(schema)) visit(part);
      return;
    }
    usage.uses.set(id, (usage.uses.get(id) ?? 0) + 1);
    if (open.has(id)) usage.recursive.add(id);
    if (usage.reached.has(id)) return;
    usage.reached.add(id);
    open.add(id);
    visit(nodes[id]?.schema ?? {});
    open.delete(id);
  };
  visit(root);
  return usage;
}

function chooseShared({ uses, recursive, reached }: Usage, nodes: readonly SchemaNode[]): ReadonlySet<number> {
  const shared = new Set<number>();
  if (recursive.size === 0 && [...uses.values()].every((count) => count === 1)) return shared;
  const sizes = new Map<number, number>();
  const sizeOf = (schema: JsonSchema): number => {
    const id = nodeIdOf(schema);
    if (id === undefined) {
      return partsOf(schema).reduce((sum, part) => sum + sizeOf(part), ownSize(schema));
    }
    if (recursive.has(id) || shared.has(id)) return 30;
    let size = sizes.get(id);
    if (size === undefined) {
      size = sizeOf(nodes[id]?.schema ?? {});
      sizes.set(id, size);
      const named = nameOf(nodes[id]) !== undefined;
      // A node is reached once however often its only user is written, so users are settled after what they use.
      if ((uses.get(id) ?? 0) > 1 && size > (named ? SMALL.named : SMALL.unnamed)) {
        shared.add(id);
        return 30;
      }
    }
    return size;
  };
  for (const id of reached) if (recursive.has(id)) shared.add(id);
  for (const id of reached) {
    const schema = nodes[id]?.schema;
    if (schema === undefined) continue;
    if (recursive.has(id)) for (const part of partsOf(schema)) sizeOf(part);
    else sizeOf({ $ref: `node:${id}` });
  }
  return shared;
}

function nameOf(node: SchemaNode | undefined): string | undefined {
  return node?.declaration?.name;
}

function ownSize(schema: JsonSchema): number {
  let size = 20;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties" || keyword === "patternProperties")
      size += Object.keys(value as object).join("").length;
    else if (typeof value !== "object") size += keyword.length + String(value).length;
    else if (keyword === "enum" || keyword === "required") size += JSON.stringify(value).length;
  }
  return size;
}

/** What an enum's members mean is said whatever the description of the place. */
function withMembers({ members }: SchemaNode, schema: JsonSchema): JsonSchema {
  if (members === "") return schema;
  const { description } = schema;
  return { ...schema, description: description === undefined ? members : `${description}\n\n${members}` };
}

/** Schemas directly inside a schema. */
export function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { properties, patternProperties, anyOf, prefixItems } = schema;
  const parts: JsonSchema[] = [];
  for (const members of [properties, patternProperties])
    if (members !== undefined) parts.push(...Object.values(members));
  for (const list of [anyOf, prefixItems]) if (list !== undefined) parts.push(...list);
  for (const part of [schema.items, schema.additionalProperties, schema.propertyNames, schema.not]) {
    if (typeof part === "object") parts.push(part);
  }
  return parts;
}

/** The schema with each schema directly inside it replaced; the same object where there is none. */
function mapParts(schema: JsonSchema, replace: (part: JsonSchema) => JsonSchema): JsonSchema {
  if (partsOf(schema).length === 0) return schema;
  const copy = { ...schema };
  const members = (from: { readonly [name: string]: JsonSchema }) =>
    Object.fromEntries(Object.entries(from).map(([name, part]) => [name, replace(part)]));
  if (copy.properties !== undefined) copy.properties = members(copy.properties);
  if (copy.patternProperties !== undefined) copy.patternProperties = members(copy.patternProperties);
  if (copy.anyOf !== undefined) copy.anyOf = copy.anyOf.map(replace);
  if (copy.prefixItems !== undefined) copy.prefixItems = copy.prefixItems.map(replace);
  for (const keyword of ["items", "additionalProperties", "propertyNames", "not"] as const) {
    const part = copy[keyword];
    if (typeof part === "object") copy[keyword] = replace(part);
  }
  return copy;
}

/** The definitions that the root needs, directly or through others. */
function referenced(root: JsonSchema, definitions: readonly (readonly [string, JsonSchema])[]): ReadonlySet<string> {
  const byName = new Map(definitions);
  const used = new Set<string>();
  const visit = (schema: JsonSchema): void => {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.slice("#/$defs/".length);
      if (!used.has(name)) {
        used.add(name);
        visit(byName.get(name) ?? {});
      }
    }
    for (const part of partsOf(schema)) visit(part);
  };
  visit(root);
  return used;
}
