import { relative } from "node:path";
import type { CompileResult } from "../compile-options.js";

/**
 * How a generated module imports a source file.
 *
 * @param path Absolute path of the file.
 * @param options.outDir Absolute path of the generated module's folder.
 */
export function importSpecifier(
  path: string,
  options: { readonly outDir: string; readonly importExtension: CompileResult["importExtension"] },
): string {
  const there = relative(options.outDir, path).replaceAll("\\", "/");
  const specifier = there.startsWith("../") ? there : `./${there}`;
  if (/\.d\.[cm]?ts$/.test(specifier)) return specifier.replace(/\.d\.([cm]?)ts$/, ".$1js");
  if (options.importExtension === ".ts") return specifier;
  // `.mts` and `.cts` are found by their own extension only, whatever the resolution.
  if (/\.[cm][jt]s$/.test(specifier)) return specifier.replace(/ts$/, "js");
  if (options.importExtension === "") return specifier.replace(/\.[jt]sx?$/, "");
  return specifier.replace(/\.tsx?$/, ".js");
}
