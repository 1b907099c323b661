import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { CompileOptions, LoweredSize } from "../compile-options.js";
import type { Problem } from "../errors/problem.js";
import { findTsconfig, outputFolder } from "../manifest/output-folder.js";
import type { OutputFile } from "../manifest/write-atomically.js";
import { cacheFolder } from "./cache-folder.js";
import { hashText, isUnchanged, type Snapshot } from "./snapshot.js";

/** What the last build of this project, with these options, came to; still true. */
export interface UpToDate {
  readonly root: string;
  readonly outDir: string;
  /** Absolute paths. */
  readonly outputs: readonly string[];
  /** The warnings of that build. */
  readonly problems: readonly Problem[];
  readonly counts: BuildCounts;
  /** What each tool takes of a request to each target. */
  readonly sizes?: readonly LoweredSize[];
}

/** How much a manifest holds. */
export interface BuildCounts {
  readonly tools: number;
  readonly schemas: number;
  readonly workflows: number;
}

interface BuildRecord {
  readonly recordVersion: typeof RECORD_VERSION;
  readonly compiler: string;
  readonly options: string;
  readonly root: string;
  readonly snapshot: Snapshot;
  /** Absolute path and hash of the text. */
  readonly outputs: readonly (readonly [path: string, textHash: string])[];
  readonly problems: readonly Problem[];
  readonly counts: BuildCounts;
  readonly sizes?: readonly LoweredSize[];
}

const RECORD_VERSION = 1;

/**
 * Answers a build or a check from the record of the last one, without TypeScript. Never throws: a record that is
 * missing, torn or of another version means only that the work must be done.
 *
 * @param options.lineEnds `any` when outputs that differ by CR LF alone count as current.
 */
export function readUpToDate(
  compileOptions: CompileOptions,
  options: { readonly lineEnds: "exact" | "any" },
): UpToDate | undefined {
  try {
    const place = recordPlace(compileOptions);
    if (place === undefined) return undefined;
    const record = JSON.parse(readFileSync(place.path, "utf8")) as BuildRecord;
    const fits =
      record.recordVersion === RECORD_VERSION && record.compiler === place.compiler && record.options === place.options;
    if (!fits) return undefined;
    const outDir = outputFolder(record.root, compileOptions);
    const outputsStand = record.outputs.every(([path, textHash]) => {
      const bytes = readFileSync(path);
      // Decoding is left for when line ends must be mended: a large manifest takes longer to decode than to hash.
      const isSame = hashText(bytes) === textHash;
      const isAlike = () => options.lineEnds === "any" && hashText(withLf(bytes.toString("utf8"))) === textHash;
      return dirname(path) === outDir && (isSame || isAlike());
    });
    if (!outputsStand || !isUnchanged(record.snapshot)) return undefined;
    const outputs = record.outputs.map(([path]) => path);
    const { root, problems, counts, sizes } = record;
    return { root, outDir, outputs, problems, counts, ...(sizes === undefined ? {} : { sizes }) };
  } catch {
    return undefined;
  }
}

/** Keeps what a build came to for `readUpToDate`. Never throws: without a record the next build does its work again. */
export function recordBuild(
  compileOptions: CompileOptions,
  built: {
    readonly root: string;
    readonly snapshot: Snapshot;
    readonly outputs: readonly OutputFile[];
    readonly problems: readonly Problem[];
    readonly counts: BuildCounts;
    readonly sizes?: readonly LoweredSize[] | undefined;
  },
): void {
  try {
    const place = recordPlace(compileOptions);
    if (place === undefined) return;
    const record: BuildRecord = {
      recordVersion: RECORD_VERSION,
      compiler: place.compiler,
      options: place.options,
      root: built.root,
      snapshot: built.snapshot,
      outputs: built.outputs.map(({ path, text }) => [path, hashText(text)]),
      problems: built.problems,
      counts: built.counts,
      ...(built.sizes === undefined ? {} : { sizes: built.sizes }),
    };
    mkdirSync(dirname(place.path), { recursive: true });
    const temporary = `${place.path}.${process.pid}.tmp`;
    try {
      writeFileSync(temporary, JSON.stringify(record));
      renameSync(temporary, place.path);
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch {
    // A read-only or full cache folder costs time, nothing else.
  }
}

/** `text` with LF line ends only. */
export function withLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function recordPlace(compileOptions: CompileOptions) {
  // An overlay is a state of an editor's memory: no file can tell whether it is still true.
  if (compileOptions.overlay !== undefined) return undefined;
  const tsconfig = findTsconfig(compileOptions);
  const compiler = compilerIdentity();
  if (tsconfig === undefined || compiler === undefined) return undefined;
  const { cwd = ".", entries, outDir, strict = false, description = "full" } = compileOptions;
  const { targets = [], maxToolBytes = null, validators = false } = compileOptions;
  const folder = resolve(cwd);
  const options = JSON.stringify({
    tsconfig,
    entries: entries === undefined ? null : { cwd: folder, globs: entries },
    outDir: outDir === undefined ? null : resolve(folder, outDir),
    strict,
    description,
    // Without targets the limit changes nothing.
    targets: targets.length === 0 ? null : { names: targets, maxToolBytes },
    validators,
  });
  const path = join(cacheFolder(dirname(tsconfig)), `${hashText(options).slice(0, 16)}.json`);
  return { path, options, compiler };
}

/**
 * Changes with the version, with every dependency (they are pinned exactly in package.json) and, for those who work
 * on callsign itself, with every build of it: the build writes it, so that nothing need be hashed here.
 *
 * @returns Undefined when the compiler runs from source, where nothing tells one state from another.
 */
function compilerIdentity(): string | undefined {
  try {
    return readFileSync(join(import.meta.dirname, "build-id.txt"), "utf8").trimEnd();
  } catch {
    return undefined;
  }
}
