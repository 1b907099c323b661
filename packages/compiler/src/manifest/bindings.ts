import type { Manifest, ManifestTool } from "@callsign/runtime/manifest";

/** The tools that one exported function, class or object implements. */
export interface Binding {
  readonly module: string;
  /** The export: the function's own name, or that of the class or object. */
  readonly owner: string;
  readonly tools: readonly BoundTool[];
}

/** One tool, and which member of its owner it is. */
export interface BoundTool {
  readonly tool: ManifestTool;
  /** The tool's position in the manifest. */
  readonly index: number;
  /** From the owner to the function; empty when the owner is the function. */
  readonly members: readonly string[];
  readonly isInstanceMethod: boolean;
}

/** Groups a manifest's tools by what implements them, in the order of module and export. */
export function findBindings(manifest: Manifest): Binding[] {
  const groups = new Map<string, { module: string; owner: string; tools: BoundTool[] }>();
  for (const [index, tool] of manifest.tools.entries()) {
    const { owner, members, isInstanceMethod } = readExport(tool.export);
    const key = JSON.stringify([tool.module, owner]);
    const group = groups.get(key) ?? { module: tool.module, owner, tools: [] };
    group.tools.push({ tool, index, members, isInstanceMethod });
    groups.set(key, group);
  }
  return [...groups.values()].sort(
    (a, b) => compareCodePoints(a.module, b.module) || compareCodePoints(a.owner, b.owner),
  );
}

/**
 * The key by which `bind` takes each binding: the export; or the tool's name, for a function whose export is `default`
 * or occurs in several modules.
 *
 * @returns In the order of `bindings`. Undefined where neither says which one is meant; `callsign.tools.gen.ts` binds
 *   it nevertheless.
 */
export function bindingKeys(bindings: readonly Binding[]): (string | undefined)[] {
  const claims = new Map<string, number>();
  for (const binding of bindings) {
    for (const name of claimedBy(binding)) claims.set(name, (claims.get(name) ?? 0) + 1);
  }
  return bindings.map((binding) => {
    const own = claimedBy(binding);
    const isTaken = (key: string) => (claims.get(key) ?? 0) > (own.has(key) ? 1 : 0);
    const [first] = binding.tools;
    const isFunction = binding.tools.length === 1 && first?.members.length === 0;
    const candidates = isFunction ? [binding.owner, first.tool.name] : [binding.owner];
    return candidates.find((key) => key !== "default" && !isTaken(key));
  });
}

function claimedBy({ owner, tools }: Binding): ReadonlySet<string> {
  return new Set([owner, ...tools.flatMap(({ tool }) => [tool.name, tool.export])]);
}

/** `Service#run` is the instance method `run` of `Service`, `Service.run` a static one or a member of an object. */
function readExport(exported: string): Pick<BoundTool, "members" | "isInstanceMethod"> & { owner: string } {
  const match = /^([^.#]+)([.#])(.+)$/s.exec(exported);
  if (match === null) return { owner: exported, members: [], isInstanceMethod: false };
  return { owner: match[1]!, members: match[3]!.split("."), isInstanceMethod: match[2] === "#" };
}

function compareCodePoints(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
