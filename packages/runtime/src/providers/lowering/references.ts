import type { JsonSchema } from "../../manifest/json-schema.js";
import { decodePointer } from "./schema-fits.js";

/** What is known about the references of one neutral schema before it is lowered. */
export interface References {
  /** Names of definitions that can reach themselves. */
  readonly recursive: ReadonlySet<string>;
  /** Those that reach themselves without passing through a property of an object. */
  readonly endless: ReadonlySet<string>;
  /** The definitions that can reach each other, `name` among them. */
  cycleOf(name: string): ReadonlySet<string>;
}

export function findReferences(root: JsonSchema): References {
  const definitions = new Map(Object.entries(root.$defs ?? {}));
  const all = reachable(definitions, { throughProperties: true });
  const direct = reachable(definitions, { throughProperties: false });
  const selves = (reach: Map<string, Set<string>>) =>
    new Set([...reach].filter(([name, names]) => names.has(name)).map(([name]) => name));
  return {
    recursive: selves(all),
    endless: selves(direct),
    cycleOf: (name) =>
      new Set([name, ...[...(all.get(name) ?? [])].filter((other) => all.get(other)?.has(name) === true)]),
  };
}

/** `#/$defs/NAME` → `NAME`. */
export function referenceName(reference: string): string {
  return decodePointer(reference.slice("#/$defs/".length));
}

/** The names that a schema refers to, without following references. */
export function mentioned(schema: JsonSchema): ReadonlySet<string> {
  const names = new Set<string>();
  visitReferences(schema, { throughProperties: true }, (name) => names.add(name));
  return names;
}

function reachable(definitions: ReadonlyMap<string, JsonSchema>, options: { throughProperties: boolean }) {
  const direct = new Map<string, Set<string>>();
  for (const [name, schema] of definitions) {
    const names = new Set<string>();
    visitReferences(schema, options, (found) => names.add(found));
    direct.set(name, names);
  }
  const closed = new Map<string, Set<string>>();
  for (const name of definitions.keys()) {
    const seen = new Set<string>();
    const open = [...(direct.get(name) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(direct.get(next) ?? []));
    }
    closed.set(name, seen);
  }
  return closed;
}

function visitReferences(
  schema: JsonSchema | boolean | undefined,
  options: { throughProperties: boolean },
  found: (name: string) => void,
): void {
  if (schema === undefined || typeof schema === "boolean") return;
  if (schema.$ref !== undefined) found(referenceName(schema.$ref));
  const visit = (child: JsonSchema | boolean | undefined) => visitReferences(child, options, found);
  for (const branch of schema.anyOf ?? []) visit(branch);
  for (const item of schema.prefixItems ?? []) visit(item);
  visit(schema.items);
  visit(schema.additionalProperties);
  for (const item of Object.values(schema.patternProperties ?? {})) visit(item);
  if (options.throughProperties) for (const item of Object.values(schema.properties ?? {})) visit(item);
}
