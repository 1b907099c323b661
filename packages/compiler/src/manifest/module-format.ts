import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ts } from "@ts-morph/common";
import type { CompileResult } from "../compile-options.js";

/** What the modules of a project become. */
export function moduleFormat({ module }: ts.CompilerOptions): CompileResult["moduleFormat"] {
  // Since TypeScript 6 the default is a form of ES modules.
  if (module === undefined || module === ts.ModuleKind.Preserve) return "esm";
  if (module >= ts.ModuleKind.Node16) return "by-package";
  return module >= ts.ModuleKind.ES2015 ? "esm" : "commonjs";
}

/** Whether a module in `folder` is a CommonJS one, so that it has no `import.meta`. */
export function isCommonJs(format: CompileResult["moduleFormat"], folder: string): boolean {
  return format === "by-package" ? packageType(folder) !== "module" : format === "commonjs";
}

function packageType(folder: string): unknown {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return (JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as { type?: unknown }).type;
    } catch {
      if (dirname(at) === at) return undefined;
    }
  }
}
