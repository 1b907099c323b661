import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Manifest, validateManifest } from "@callsign/runtime/manifest";
import { compareManifests } from "../check/compare-manifests.js";
import { formatDifferences } from "../check/describe-differences.js";
import { compile } from "../compile.js";
import type { CompileOptions } from "../compile-options.js";
import { ToolSchemaError } from "../errors/tool-schema-error.js";
import { writeManifest } from "../manifest/write-manifest.js";
import { formatProblems } from "../reports/format-problems.js";

/** What `expectManifest` compiles and where it keeps the snapshot. */
export interface ExpectManifestOptions extends CompileOptions {
  /** The snapshot's file, relative to the test file. Default: `__snapshots__/TESTFILE.manifest.json`. */
  readonly file?: string;
}

/**
 * Compiles the project and compares the manifest with the snapshot beside the test, so that a change of what models
 * see fails a test until it is reviewed and accepted (`vitest -u`). Writes no generated file.
 *
 * @returns The manifest, for further expectations.
 * @throws {ToolSchemaError} when the source holds errors.
 * @throws {Error} when the optional peer `vitest` is not installed.
 *
 * @example
 * import { expectManifest } from "@callsign/compiler/vitest"
 * import { test } from "vitest"
 *
 * test("models see these tools", async () => {
 *   await expectManifest({ project: "tsconfig.json" })
 * })
 */
export async function expectManifest({ file, ...options }: ExpectManifestOptions = {}): Promise<Manifest> {
  const { expect } = await loadVitest();
  const { manifest, problems } = await compile(options);
  if (manifest === undefined) {
    const error = new ToolSchemaError(problems);
    error.message = `the tools cannot be compiled\n\n${formatProblems(problems)}`;
    throw error;
  }
  const { testPath } = expect.getState();
  if (testPath === undefined) throw new Error("expectManifest() needs vitest's current test; call it inside of one");
  const path = join(dirname(testPath), file ?? join("__snapshots__", `${basename(testPath)}.manifest.json`));
  const before = readManifest(path);
  try {
    await expect(writeManifest(manifest)).toMatchFileSnapshot(path);
  } catch (error) {
    // vitest shows the lines that differ; which tool they belong to, and whether callers break, it cannot know.
    const differences = before === undefined ? [] : compareManifests(before, manifest);
    if (error instanceof Error && differences.length > 0) {
      error.message = `the manifest differs from its snapshot\n\n${formatDifferences(differences)}\n${error.message}`;
    }
    throw error;
  }
  return manifest;
}

/** Not at the top: whoever only imports this file gets a word about what is missing when it is called. */
async function loadVitest(): Promise<typeof import("vitest")> {
  try {
    return await import("vitest");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error("expectManifest() needs the package vitest; run npm install --save-dev vitest", { cause });
  }
}

function readManifest(path: string): Manifest | undefined {
  try {
    return validateManifest(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // There is none yet, or one that cannot be compared: vitest says what is to be said then.
    return undefined;
  }
}
