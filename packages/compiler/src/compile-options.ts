import type { Manifest } from "@callsign/runtime/manifest";
import type { TargetName } from "@callsign/runtime/providers";
import type { Problem } from "./errors/problem.js";

/** What a compile reads. Everything is optional: the default compiles the tsconfig of the current folder. */
export interface CompileOptions {
  /** The folder that relative paths start from. Default: the current folder. */
  readonly cwd?: string;
  /** The tsconfig, relative to `cwd`. Default: `tsconfig.json` in `cwd` or the nearest folder above. */
  readonly project?: string;
  /** Globs of the source files that may hold tools, relative to `cwd`. Default: every file of the tsconfig. */
  readonly entries?: readonly string[];
  /** Where the generated files go, relative to `cwd`. Default: `src` when it exists beside the tsconfig, else beside it. */
  readonly outDir?: string;
  /** A missing description is an error. Default: false, a warning. */
  readonly strict?: boolean;
  /** How much of the JSDoc text models get. Default: `full`. */
  readonly description?: "full" | "first-line";
  /** The providers whose refusals and losses are reported. Default: none. */
  readonly targets?: readonly TargetName[];
  /** The largest lowered tool that goes without a warning, in bytes of JSON. Default: 16,384, about 4,000 tokens. */
  readonly maxToolBytes?: number;
  /** Writes `callsign.validators.gen.js` as well, for places that forbid eval. Default: false. */
  readonly validators?: boolean;
  /** Text that stands for a file instead of its content on disk, by absolute path. For tests and editors. */
  readonly overlay?: ReadonlyMap<string, string>;
}

/** What a compile gives. With an error among `problems` there is no manifest. */
export interface CompileResult {
  readonly manifest: Manifest | undefined;
  /** Errors and warnings, sorted by file, line and column. */
  readonly problems: readonly Problem[];
  /** Absolute path of the folder that `module` and every `file` are relative to: the folder of the tsconfig. */
  readonly root: string;
  /**
   * Absolute paths of every file whose content the outcome depends on (sources, declarations of dependencies,
   * tsconfig chain, package.json files consulted); bundled lib files are not among them.
   */
  readonly inputs: readonly string[];
  /** Absolute paths that were looked for and not found; one that appears later may change the outcome. */
  readonly missing: readonly string[];
  /** Folders in which a new source file would become part of the project: those of the tsconfig's and the entries' globs. */
  readonly directories: readonly SourceDirectory[];
  /**
   * How a module of the project imports a TypeScript file beside it. `.ts` with `allowImportingTsExtensions` or
   * `rewriteRelativeImportExtensions`, `.js` with node16 and nodenext, none with bundler and older resolution.
   */
  readonly importExtension: ".js" | ".ts" | "";
  /** What the modules of the project become; with node16 and nodenext the nearest package.json decides. */
  readonly moduleFormat: "esm" | "commonjs" | "by-package";
  /** The size of every tool for every target; absent without targets, or with an error. */
  readonly sizes?: readonly LoweredSize[];
}

/** What one tool takes of a request to one target. */
export interface LoweredSize {
  readonly tool: string;
  readonly target: TargetName;
  /** Whether the provider is asked to enforce the schema. */
  readonly strict: boolean;
  /** Of the tool as it is sent: JSON in UTF-8. */
  readonly bytes: number;
  /** A token for each four bytes; providers count differently, and some more. */
  readonly estimatedTokens: number;
}

/** A folder that globs look into. */
export interface SourceDirectory {
  /** Absolute. */
  readonly path: string;
  readonly recursive: boolean;
}
