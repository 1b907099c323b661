import { ts } from "@ts-morph/common";
import type { CompileResult } from "../compile-options.js";

/** What the modules of a project become. */
export function moduleFormat({ module }: ts.CompilerOptions): CompileResult["moduleFormat"] {
  // Since TypeScript 6 the default is a form of ES modules.
  if (module === undefined || module === ts.ModuleKind.Preserve) return "esm";
  if (module >= ts.ModuleKind.Node16) return "by-package";
  return module >= ts.ModuleKind.ES2015 ? "esm" : "commonjs";
}
