import { ts } from "@ts-morph/common";
import type { CompileResult } from "../compile-options.js";

/** How a module imports a TypeScript file beside it, under these options. */
export function importExtension(options: ts.CompilerOptions): CompileResult["importExtension"] {
  if (options.allowImportingTsExtensions === true || options.rewriteRelativeImportExtensions === true) return ".ts";
  // Only a bundler and the older ways of resolution find a file without its extension; Node's own does not.
  const { module = ts.ModuleKind.None, moduleResolution } = options;
  const isNode = module >= ts.ModuleKind.Node16 && module <= ts.ModuleKind.NodeNext;
  const resolvesLikeNode =
    moduleResolution === undefined
      ? isNode
      : moduleResolution >= ts.ModuleResolutionKind.Node16 && moduleResolution <= ts.ModuleResolutionKind.NodeNext;
  return resolvesLikeNode ? ".js" : "";
}
