import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CompileResult } from "../compile-options.js";

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
