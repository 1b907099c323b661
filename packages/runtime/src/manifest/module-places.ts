import { pathToFileURL } from "node:url";
import type { Manifest, ManifestTool } from "./manifest.js";

/** Where the modules of a manifest's tools are loaded from when a worker thread runs them. */
export interface ModulePlaces {
  /** `import.meta.url` (or `__filename`) of the module that the specifiers are written in. */
  readonly from: string;
  /** By `module` of the manifest: how `from` imports it. */
  readonly modules: Readonly<Record<string, string>>;
}

const places = new WeakMap<ManifestTool, URL>();

/** Remembers where the tools of a manifest are loaded from. */
export function placeModules(manifest: Manifest, { from, modules }: ModulePlaces): void {
  const base = from.includes("://") ? from : pathToFileURL(from);
  for (const tool of manifest.tools) {
    const specifier = Object.hasOwn(modules, tool.module) ? modules[tool.module] : undefined;
    if (specifier !== undefined) places.set(tool, new URL(specifier, base));
  }
}

/** The module of a tool; its extension may be missing, or be that of what TypeScript makes of it. */
export function placeOf(tool: ManifestTool): URL | undefined {
  return places.get(tool);
}
