import type { CompileOptions, CompileResult } from "../../src/compile-options.js";
import { compileProject } from "../../src/compile-project.js";

/** A folder that exists nowhere: the files are handed over as text. */
export const VIRTUAL_ROOT = "/callsign-virtual/project";

const COMPILER_OPTIONS = {
  target: "ES2022",
  lib: ["ES2022", "DOM"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

/** Compiles sources given as text, by path inside the project; every one of them belongs to it. */
export function compileFiles(
  files: Readonly<Record<string, string>>,
  { compilerOptions = {}, ...options }: CompileOptions & { readonly compilerOptions?: object } = {},
): CompileResult {
  const names = Object.keys(files).filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  const tsconfig = JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, ...compilerOptions }, files: names });
  const overlay = new Map(
    Object.entries({ "tsconfig.json": tsconfig, ...files }).map(([name, text]) => [`${VIRTUAL_ROOT}/${name}`, text]),
  );
  return compileProject({ cwd: VIRTUAL_ROOT, overlay, ...options });
}

/** Compiles one file of tools. */
export function compileSource(source: string, options?: Parameters<typeof compileFiles>[1]): CompileResult {
  return compileFiles({ "tools.ts": source }, options);
}
