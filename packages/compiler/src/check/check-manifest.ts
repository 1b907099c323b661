import { type Manifest, validateManifest } from "@callsign/runtime/manifest";
import { countsOf } from "../build.js";
import { compile } from "../compile.js";
import type { CompileOptions } from "../compile-options.js";
import type { Problem } from "../errors/problem.js";
import { planOutputs } from "../manifest/plan-outputs.js";
import type { OutputFile } from "../manifest/write-atomically.js";
import { readIfThere, UnreadableFileError } from "../source/read-if-there.js";
import { takeSnapshot } from "../source/snapshot.js";
import { readUpToDate, recordBuild, withLf } from "../source/up-to-date.js";
import { compareManifests, type ManifestDifference } from "./compare-manifests.js";

/** One generated file as a check found it. */
export interface CheckedFile {
  /** Absolute. */
  readonly path: string;
  readonly state: "current" | "stale" | "missing";
  /** What is wrong with a stale file beyond `differences`: that it cannot be read as what it should be. */
  readonly reason?: string;
}

/** What a check found. */
export interface CheckResult {
  /** True when a build would write nothing, line ends aside. */
  readonly current: boolean;
  readonly files: readonly CheckedFile[];
  /** Manifest on disk → manifest that a build would write. */
  readonly differences: readonly ManifestDifference[];
  /** Errors and warnings of the compile. With an error nothing could be compared, and `current` is false. */
  readonly problems: readonly Problem[];
  /** Absolute path of the folder of the tsconfig. */
  readonly root: string;
}

/**
 * Compares the generated files on disk with what a build would write, and writes none of them.
 *
 * Files that differ by CR LF alone are current: Git may rewrite line ends on checkout.
 *
 * @example
 * import { check } from "@callsign/compiler"
 *
 * const { current, differences } = await check()
 */
export async function check(options: CompileOptions = {}): Promise<CheckResult> {
  const known = readUpToDate(options, { lineEnds: "any" });
  if (known !== undefined) {
    const files = known.outputs.map((path) => ({ path, state: "current" as const }));
    return { current: true, files, differences: [], problems: known.problems, root: known.root };
  }
  const startedAtMs = Date.now();
  const compiled = await compile(options);
  const { manifest, problems, root, sizes } = compiled;
  if (manifest === undefined) return { current: false, files: [], differences: [], problems, root };
  const snapshot = takeSnapshot(compiled, { startedAtMs });
  const plan = await planOutputs({ ...compiled, manifest }, options);
  const { before, reason } = readBefore(plan.files[0]!.path);
  const files = plan.files.map((file, index) => checkFile(file, index === 0 ? reason : undefined));
  const current = files.every((file) => file.state === "current");
  if (current && snapshot !== undefined) {
    recordBuild(options, { root, snapshot, outputs: plan.files, problems, counts: countsOf(manifest), sizes });
  }
  const differences = current || before === undefined ? [] : compareManifests(before, manifest);
  return { current, files, differences, problems, root };
}

function checkFile({ path, text }: OutputFile, reason: string | undefined): CheckedFile {
  const found = readGenerated(path);
  if (typeof found === "object") return { path, state: "stale", reason: found.reason };
  if (found === undefined) return { path, state: "missing" };
  if (withLf(found) === text) return { path, state: "current" };
  return { path, state: "stale", ...(reason === undefined ? {} : { reason }) };
}

function readGenerated(path: string): string | { readonly reason: string } | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    return { reason: `it cannot be read: ${error.reason}` };
  }
}

function readBefore(path: string): { before?: Manifest; reason?: string } {
  const text = readGenerated(path);
  if (typeof text !== "string") return {};
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return { reason: /^(?:<{7}|={7}|>{7})/m.test(text) ? "it holds the marks of a merge conflict" : "it is not JSON" };
  }
  try {
    return { before: validateManifest(value) };
  } catch (error) {
    return { reason: `it is not a manifest of this version: ${(error as Error).message}` };
  }
}
