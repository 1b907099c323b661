import type { CompileOptions, CompileResult } from "./compile-options.js";
import { compileProject } from "./compile-project.js";

/**
 * Compiles a project and writes nothing.
 *
 * @returns With errors among `problems`, `manifest` is undefined.
 *
 * @example
 * import { compile } from "@callsign/compiler"
 *
 * const { manifest, problems } = await compile({ project: "tsconfig.json" })
 */
export async function compile(options: CompileOptions = {}): Promise<CompileResult> {
  if (options.targets === undefined || options.targets.length === 0) return compileProject(options);
  const { checkTargets } = await import("./check/check-targets.js");
  return compileProject({ ...options, checkTargets });
}
