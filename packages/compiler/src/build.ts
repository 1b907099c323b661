import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "@callsign/runtime/manifest";
import { compile } from "./compile.js";
import type { CompileOptions, CompileResult, LoweredSize } from "./compile-options.js";
import type { Problem } from "./errors/problem.js";
import { ToolSchemaError } from "./errors/tool-schema-error.js";
import { planOutputs } from "./manifest/plan-outputs.js";
import { removeLeftovers, type WrittenFile, writeAtomically } from "./manifest/write-atomically.js";
import { type Snapshot, takeSnapshot } from "./source/snapshot.js";
import { type BuildCounts, readUpToDate, recordBuild } from "./source/up-to-date.js";

/** What a build came to. */
export interface BuildResult {
  readonly manifest: Manifest;
  /** The warnings, sorted by file, line and column. */
  readonly problems: readonly Problem[];
  /** Absolute path of the folder of the tsconfig. */
  readonly root: string;
  /** The generated files: absolute path, and whether it had to be written. The manifest is the first. */
  readonly files: readonly WrittenFile[];
  /** True when nothing had changed since the last build, so that nothing was compiled. */
  readonly upToDate: boolean;
  /** What each tool takes of a request to each target; absent without targets. */
  readonly sizes?: readonly LoweredSize[];
}

/**
 * Compiles a project and writes the manifest and the generated modules, each only when its content changes.
 *
 * @throws {ToolSchemaError} with all problems of the build; nothing is written then.
 * @throws {OutputError} when a file cannot be written; those on disk are as before.
 *
 * @example
 * import { build } from "@callsign/compiler"
 *
 * const { manifest, files } = await build({ project: "tsconfig.json", strict: true })
 */
export async function build(options: CompileOptions = {}): Promise<BuildResult> {
  const current = readUpToDate(options, { lineEnds: "exact" });
  if (current !== undefined) {
    const manifest = JSON.parse(readFileSync(join(current.outDir, "callsign.manifest.json"), "utf8")) as Manifest;
    const files = current.outputs.map((path) => ({ path, written: false }));
    const { problems, root, sizes } = current;
    return { manifest, problems, root, files, upToDate: true, ...(sizes === undefined ? {} : { sizes }) };
  }
  const { compiled, manifest, files } = await compileAndWrite(options);
  if (manifest === undefined || files === undefined) throw new ToolSchemaError(compiled.problems);
  const { problems, root, sizes } = compiled;
  return { manifest, problems, root, files, upToDate: false, ...(sizes === undefined ? {} : { sizes }) };
}

/** One compile and what was written after it; `files` is absent when there were errors. */
export interface CompiledAndWritten {
  readonly compiled: CompileResult;
  readonly files?: readonly WrittenFile[];
  /** As it was written. */
  readonly manifest?: Manifest;
  /** What the outcome depended on, errors included; undefined when that changed under the compile. */
  readonly snapshot: Snapshot | undefined;
}

/**
 * The part of a build that does the work, for callers that have looked at the record already.
 *
 * @throws {OutputError} when a file cannot be written.
 */
export async function compileAndWrite(options: CompileOptions): Promise<CompiledAndWritten> {
  const startedAtMs = Date.now();
  const compiled = await compile(options);
  const snapshot = takeSnapshot(compiled, { startedAtMs });
  const { manifest, problems, root, sizes } = compiled;
  if (manifest === undefined) return { compiled, snapshot };
  const plan = await planOutputs({ ...compiled, manifest }, options);
  removeLeftovers(plan.outDir);
  const files = writeAtomically(plan.files);
  if (snapshot !== undefined) {
    recordBuild(options, { root, snapshot, outputs: plan.files, problems, counts: countsOf(manifest), sizes });
  }
  return { compiled, files, manifest: plan.manifest, snapshot };
}

/** How much a manifest holds. */
export function countsOf({ tools, schemas, workflows }: Manifest): BuildCounts {
  return { tools: tools.length, schemas: schemas.length, workflows: workflows.length };
}
