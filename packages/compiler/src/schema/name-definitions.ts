import type { SchemaNode } from "./schema-node.js";

/**
 * Names for `$defs`, by node number: the type's own name with its type arguments, the file's stem where two types
 * share one, a number where that is not enough. They do not depend on anything outside the signature.
 */
export function nameDefinitions(nodes: readonly SchemaNode[]): ReadonlyMap<number, string> {
  const byName = new Map<string, SchemaNode[]>();
  for (const node of [...nodes].sort((a, b) => a.id - b.id)) {
    const name = baseName(node);
    byName.set(name, [...(byName.get(name) ?? []), node]);
  }
  const names = new Map<number, string>();
  const taken = new Set<string>(byName.keys());
  for (const [name, sharing] of byName) {
    for (const node of sharing) {
      const stem = sharing.length > 1 ? node.declaration?.fileStem : undefined;
      const wanted = stem === undefined ? name : clean(`${name}_${stem}`);
      names.set(node.id, sharing.length === 1 ? name : free(wanted, taken));
    }
  }
  return names;
}

function free(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
  taken.add(name);
  return name;
}

function baseName({ declaration, nameHint }: SchemaNode): string {
  if (declaration === undefined) {
    const last = /([\p{ID_Continue}$]+)[^\p{ID_Continue}$]*$/u.exec(nameHint)?.[1] ?? "Type";
    return clean(`${last[0]?.toUpperCase() ?? ""}${last.slice(1)}`);
  }
  return clean([declaration.name, ...declaration.typeArgumentNames].join("_"));
}

/** Letters, digits and `_ . -`: what a reference can hold without escapes. */
function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "") || "Type";
}
