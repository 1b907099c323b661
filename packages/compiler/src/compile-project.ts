import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ts } from "@ts-morph/common";
import type { TargetChecker } from "./check/check-targets.js";
import { TsMorphChecker } from "./checker/ts-morph-checker.js";
import type { CompileOptions, CompileResult } from "./compile-options.js";
import { discover } from "./discover/discover.js";
import type { SignatureContext } from "./discover/read-signature.js";
import { Reporter } from "./discover/reporter.js";
import { RuntimeSymbols } from "./discover/runtime-symbols.js";
import * as messages from "./errors/messages.js";
import { buildManifest, isEntry } from "./manifest/build-manifest.js";
import { isGeneratedFile } from "./manifest/generated-files.js";
import { importExtension } from "./manifest/import-extension.js";
import type { SchemaPlaces } from "./schema/schema-places.js";
import { matchesGlobs } from "./source/match-globs.js";
import { moduleFormat } from "./source/module-format.js";
import { type OpenOptions, openProject, type Project, relativeTo, slashed } from "./source/open-project.js";

/** What a compile is told beyond its options. */
export interface CompileSteps extends Pick<OpenOptions, "keepDom"> {
  /** The check of targets, when there are any: the lowerings are not loaded otherwise. */
  readonly checkTargets?: TargetChecker;
}

/** Opens the project, finds what is marked, maps its types: the whole way from source to manifest. Writes nothing. */
export function compileProject(options: CompileOptions & CompileSteps = {}): CompileResult {
  const cwd = slashed(resolve(options.cwd ?? process.cwd()));
  const opened = openProject({ ...options, isExcluded: isGeneratedFile });
  const { project } = opened;
  if (project === undefined) {
    // Nothing is generated then, so nothing imports.
    return { ...opened, manifest: undefined, directories: [], importExtension: "", moduleFormat: "esm" };
  }

  const entries = project.files.filter((file) => isEntry(file) && matchesGlobs(file.fileName, options.entries, cwd));
  const { checkTargets } = options;
  const places = new Map<string, SchemaPlaces>();
  const context: SignatureContext = {
    ...signatureContext(project, options),
    ...(checkTargets === undefined ? {} : { places }),
  };
  const { reporter } = context;
  for (const problem of opened.problems) reporter.add(problem);
  // What stands in a file that cannot be read to its end is guesswork: its syntax errors are enough.
  const sound = entries.filter((file) => !reportSyntax(file, reporter));
  const found = discover(sound, project, (fault, node, toolName) => reporter.atNode(fault, node, toolName));
  const manifest = buildManifest(found, context);
  const size = found.tools.length + found.schemas.length + found.workflows.length;
  if (entries.length === 0 && options.entries !== undefined && options.entries.length > 0) {
    reporter.add(messages.noEntries(options.entries, relativeTo(project.root, project.configPath)));
  }
  if (size === 0 && reporter.problems.length === 0) reporter.add(messages.noTools());
  const isWhole = reporter.problems.every((problem) => problem.severity !== "error");
  const sizes = isWhole ? checkTargets?.({ manifest, places, reporter }, options) : undefined;

  const problems = reporter.sorted();
  const { root, inputs, missing, directories } = project;
  const refused = problems.some((problem) => problem.severity === "error");
  return {
    manifest: refused ? undefined : manifest,
    problems,
    root,
    inputs: [...inputs],
    missing: [...missing],
    directories,
    importExtension: importExtension(project.program.getCompilerOptions()),
    moduleFormat: moduleFormat(project.program.getCompilerOptions()),
    ...(refused || sizes === undefined ? {} : { sizes }),
  };
}

/** What the readers of signatures and types share. */
export function signatureContext(project: Project, options: CompileOptions): SignatureContext {
  const types = new TsMorphChecker(project.program, project.root);
  const textOf = (file: string) =>
    project.program.getSourceFile(slashed(join(project.root, file)))?.text ?? fromDisk(join(project.root, file));
  return {
    checker: project.checker,
    types,
    runtime: new RuntimeSymbols(project.checker),
    reporter: new Reporter(types, textOf),
    strict: options.strict === true,
    description: options.description ?? "full",
  };
}

/** Reports the syntax errors of a file, and says whether there are any. */
export function reportSyntax(file: ts.SourceFile, reporter: Reporter): boolean {
  const { parseDiagnostics = [] } = file as { parseDiagnostics?: readonly ts.DiagnosticWithLocation[] };
  for (const { messageText, start, length } of parseDiagnostics) {
    const text = typeof messageText === "string" ? messageText : messageText.messageText;
    reporter.atRange(messages.syntaxError(text), file, { start, length });
  }
  return parseDiagnostics.length > 0;
}

function fromDisk(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
