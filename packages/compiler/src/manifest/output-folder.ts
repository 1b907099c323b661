import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { CompileOptions } from "../compile-options.js";

/**
 * The absolute path of the tsconfig that a compile reads, without reading it.
 *
 * @returns Undefined when there is none in `cwd` or above.
 */
export function findTsconfig(options: Pick<CompileOptions, "cwd" | "project">): string | undefined {
  const cwd = resolve(options.cwd ?? ".");
  if (options.project !== undefined) {
    const path = resolve(cwd, options.project);
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, "tsconfig.json") : path;
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, "tsconfig.json");
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

/**
 * Where the generated files go: `outDir`, else `src` beside the tsconfig, else beside it.
 *
 * @param root The absolute path of the tsconfig's folder.
 */
export function outputFolder(root: string, options: Pick<CompileOptions, "cwd" | "outDir">): string {
  if (options.outDir !== undefined) return resolve(options.cwd ?? ".", options.outDir);
  const source = join(root, "src");
  return statSync(source, { throwIfNoEntry: false })?.isDirectory() === true ? source : root;
}
