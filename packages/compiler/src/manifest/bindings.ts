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
 * The key by which `bind` takes a binding: the export; or the tool's name, for a function whose export is `default` or
 * occurs in several modules.
 *
 * @returns Undefined when neither says which one is meant; `callsign.tools.gen.ts` binds it nevertheless.
 */
export function bindingKey(binding: Binding, bindings: readonly Binding[]): string | undefined {
  const others = bindings.filter((other) => other !== binding);
  const isTaken = (key: string) =>
    others.some(
      ({ owner, tools }) => owner === key || tools.some(({ tool }) => tool.name === key || tool.export === key),
    );
  const [first] = binding.tools;
  const isFunction = binding.tools.length === 1 && first?.members.length === 0;
  const candidates = isFunction ? [binding.owner, first.tool.name] : [binding.owner];
  return candidates.find((key) => key !== "default" && !isTaken(key));
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
