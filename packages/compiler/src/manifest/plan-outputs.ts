import { join, relative } from "node:path";
import type { Manifest } from "@callsign/runtime/manifest";
import { validateManifest } from "@callsign/runtime/manifest";
import type { CompileOptions, CompileResult } from "../compile-options.js";
import { isCommonJs } from "./is-common-js.js";
import { OutputError } from "./output-error.js";
import { outputFolder } from "./output-folder.js";
import type { OutputFile } from "./write-atomically.js";
import { writeManifest } from "./write-manifest.js";
import { writeModules } from "./write-modules.js";
import { writeValidatorsModule } from "./write-validators-module.js";

/** What a build writes, before it is written. */
export interface OutputPlan {
  /** Absolute. */
  readonly outDir: string;
  /** As it is written. */
  readonly manifest: Manifest;
  /** The manifest first. */
  readonly files: readonly OutputFile[];
}

/**
 * The text of every generated file.
 *
 * @throws {OutputError} code `output-not-valid` when the manifest breaks its own schema: a fault of callsign, found
 *   here instead of at the first start of the application.
 */
export async function planOutputs(
  compiled: Pick<CompileResult, "root" | "importExtension" | "moduleFormat"> & { readonly manifest: Manifest },
  options: CompileOptions,
): Promise<OutputPlan> {
  const { root, importExtension, moduleFormat } = compiled;
  const outDir = outputFolder(root, options);
  const manifest = withSchemaFrom(compiled.manifest, { root, outDir });
  const manifestFile: OutputFile = { path: join(outDir, "callsign.manifest.json"), text: writeManifest(manifest) };
  try {
    validateManifest(JSON.parse(manifestFile.text));
  } catch (cause) {
    throw new OutputError(`the manifest that was built does not fit its own schema: ${(cause as Error).message}`, {
      code: "output-not-valid",
      file: manifestFile.path,
      hint: "this is a fault of callsign; nothing was written; report it with the source of the tool that is named",
      cause,
    });
  }
  const modules = writeModules(manifest, {
    root,
    outDir,
    importExtension,
    ownAddress: isCommonJs(moduleFormat, outDir) ? "__filename" : "import.meta.url",
  });
  return {
    outDir,
    manifest,
    files: [
      manifestFile,
      { path: join(outDir, "callsign.gen.ts"), text: modules.types },
      { path: join(outDir, "callsign.tools.gen.ts"), text: modules.tools },
      ...(options.validators === true ? await planValidators(manifest, outDir) : []),
    ],
  };
}

async function planValidators(manifest: Manifest, outDir: string): Promise<OutputFile[]> {
  // Ajv and its writer of code are for this alone.
  const { writeValidators } = await import("@callsign/runtime/standalone");
  const { validators, types } = writeValidatorsModule(await writeValidators(manifest));
  return [
    { path: join(outDir, "callsign.validators.gen.js"), text: validators },
    { path: join(outDir, "callsign.validators.gen.d.ts"), text: types },
  ];
}

/** Editors look for the schema from the manifest's own folder; the compile knows only the root. */
function withSchemaFrom(manifest: Manifest, { root, outDir }: { root: string; outDir: string }): Manifest {
  const { $schema } = manifest;
  if ($schema === undefined || !$schema.startsWith("./")) return manifest;
  const path = relative(outDir, join(root, $schema)).replaceAll("\\", "/");
  return { ...manifest, $schema: path.startsWith("../") ? path : `./${path}` };
}
