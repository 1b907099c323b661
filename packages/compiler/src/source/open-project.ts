import { accessSync, constants } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { ts } from "@ts-morph/common";
import type { CompileOptions, SourceDirectory } from "../compile-options.js";
import * as messages from "../errors/messages.js";
import type { Problem } from "../errors/problem.js";
import { isLibFile, LIB_FOLDER, libSourceFile, libText } from "./lib-files.js";
import { withoutDom } from "./lib-selection.js";

/** An opened project: a program that was bound but not checked. */
export interface Project {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  /** Absolute path of the folder of the tsconfig, with `/`. */
  readonly root: string;
  /** Absolute path of the tsconfig, with `/`. */
  readonly configPath: string;
  /** The project's own files: those that the tsconfig names, sorted by path. */
  readonly files: readonly ts.SourceFile[];
  readonly inputs: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  /** Folders in which a new file would become part of the project. */
  readonly directories: readonly SourceDirectory[];
}

/** Opens the project, or says why it cannot be opened. */
export interface OpenResult {
  readonly project: Project | undefined;
  readonly problems: readonly Problem[];
  readonly root: string;
  readonly inputs: readonly string[];
  readonly missing: readonly string[];
}

/** What is opened besides `CompileOptions`. */
export interface OpenOptions extends CompileOptions {
  /** Absolute paths of files to open even when the tsconfig does not name them. */
  readonly extraFiles?: readonly string[];
  /** Tells paths that are never read as source: what callsign itself writes. */
  readonly isExcluded?: (path: string) => boolean;
  /** Loads the DOM library whenever the tsconfig asks for it, also where the outcome cannot depend on it. */
  readonly keepDom?: boolean;
}

/** Reads the tsconfig chain and every source file, and binds them. Never runs the type check. */
export function openProject(options: OpenOptions): OpenResult {
  const cwd = slashed(resolve(options.cwd ?? process.cwd()));
  const system = new RecordingSystem(options.overlay);
  const config = findConfig(cwd, options.project, system);
  const failed = (problems: readonly Problem[], root = cwd): OpenResult => ({
    project: undefined,
    problems,
    root,
    inputs: [...system.inputs],
    missing: [...system.missing],
  });
  if (config.path === undefined) return failed([config.problem]);
  const root = slashed(dirname(config.path));
  if (system.readFile(config.path) === undefined) return failed([unreadable(config.path, root)], root);
  const { parsed, problems } = readConfig(config.path, root, system);
  if (parsed === undefined) return failed(problems, root);

  const compilerOptions: ts.CompilerOptions = {
    ...parsed.options,
    strictNullChecks: true,
    noEmit: true,
    skipLibCheck: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    noLib: false,
  };
  delete compilerOptions.tsBuildInfoFile;
  delete compilerOptions.out;
  delete compilerOptions.outFile;
  const isExcluded = options.isExcluded ?? (() => false);
  const rootNames = [...new Set([...parsed.fileNames.map(slashed), ...(options.extraFiles ?? []).map(slashed)])]
    .filter((path) => !isExcluded(path))
    .sort();
  if (rootNames.length === 0) {
    return failed([...problems, messages.noSourceFiles(relativeTo(root, config.path), referencesOf(parsed))], root);
  }
  const host = compilerHost(compilerOptions, { root, system });
  const create = (using: ts.CompilerOptions) => ts.createProgram({ rootNames, options: using, host });
  const program = options.keepDom === true ? create(compilerOptions) : withoutDom(compilerOptions, create);
  const files = rootNames
    .map((path) => program.getSourceFile(path))
    .filter((file): file is ts.SourceFile => file !== undefined);
  // What TypeScript passes over as if it were empty would take its tools along.
  const lost = new Set([...rootNames.filter((path) => program.getSourceFile(path) === undefined), ...system.refused]);
  for (const path of [...lost].sort()) problems.push(unreadable(path, root));
  if (lost.size > 0) return failed(problems, root);
  const directories = Object.entries(parsed.wildcardDirectories ?? {}).map(([path, flags]) => ({
    path: slashed(path),
    recursive: flags === ts.WatchDirectoryFlags.Recursive,
  }));
  return {
    project: {
      program,
      checker: program.getTypeChecker(),
      root,
      configPath: config.path,
      files,
      inputs: system.inputs,
      missing: system.missing,
      directories,
    },
    problems,
    root,
    inputs: [...system.inputs],
    missing: [...system.missing],
  };
}

/** `path` with `/` only. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** `path` relative to `root`, both absolute with `/`; the result has `/` on every system. */
export function relativeTo(root: string, path: string): string {
  return posix.relative(root, path);
}

/** File access that notes what was read and what was looked for in vain, since both decide the outcome. */
class RecordingSystem {
  readonly inputs = new Set<string>();
  readonly missing = new Set<string>();
  /** Files that are there and cannot be read. */
  readonly refused = new Set<string>();
  readonly #existence = new Map<string, boolean>();
  readonly #overlay: ReadonlyMap<string, string>;
  readonly #overlayFolders = new Set<string>();

  constructor(overlay: ReadonlyMap<string, string> = new Map()) {
    this.#overlay = new Map([...overlay].map(([path, text]) => [slashed(path), text]));
    for (const path of this.#overlay.keys()) {
      for (let folder = posix.dirname(path); !this.#overlayFolders.has(folder); folder = posix.dirname(folder)) {
        this.#overlayFolders.add(folder);
      }
    }
  }

  readFile = (path: string): string | undefined => {
    const overlaid = this.#overlay.get(path);
    if (overlaid !== undefined) return overlaid;
    const text = ts.sys.readFile(path);
    (text === undefined ? this.missing : this.inputs).add(path);
    if (text === undefined && ts.sys.fileExists(path)) this.refused.add(path);
    return text;
  };

  fileExists = (path: string): boolean => {
    if (this.#overlay.has(path)) return true;
    let exists = this.#existence.get(path);
    if (exists === undefined) {
      exists = ts.sys.fileExists(path);
      this.#existence.set(path, exists);
      if (!exists) this.missing.add(path);
    }
    return exists;
  };

  directoryExists = (path: string): boolean => {
    if (this.#overlayFolders.has(path.replace(/(.)\/$/, "$1"))) return true;
    const key = `${path}/`;
    let exists = this.#existence.get(key);
    if (exists === undefined) {
      exists = ts.sys.directoryExists(path);
      this.#existence.set(key, exists);
      if (!exists) this.missing.add(path);
    }
    return exists;
  };
}

function unreadable(path: string, root: string): Problem {
  let reason = "TypeScript does not take it for source";
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    reason = code === "ENOENT" ? "there is no such file" : code === "EACCES" ? "permission denied" : code;
  }
  return messages.fileUnreadable(relativeTo(root, path), reason);
}

type FoundConfig = { path: string } | { path: undefined; problem: Problem };

function findConfig(cwd: string, project: string | undefined, system: RecordingSystem): FoundConfig {
  if (project === undefined) {
    const found = ts.findConfigFile(cwd, system.fileExists, "tsconfig.json");
    return found === undefined
      ? { path: undefined, problem: messages.tsconfigMissing("tsconfig.json") }
      : { path: slashed(found) };
  }
  const given = slashed(resolve(cwd, project));
  const path = ts.sys.directoryExists(given) ? slashed(join(given, "tsconfig.json")) : given;
  return system.fileExists(path) ? { path } : { path: undefined, problem: messages.tsconfigMissing(project) };
}

function readConfig(path: string, root: string, system: RecordingSystem) {
  const problems: Problem[] = [];
  const source = ts.readJsonConfigFile(path, system.readFile);
  const host: ts.ParseConfigFileHost = {
    useCaseSensitiveFileNames: ts.sys.useCaseSensitiveFileNames,
    readDirectory: (...parameters) => ts.sys.readDirectory(...parameters),
    fileExists: system.fileExists,
    readFile: system.readFile,
    getCurrentDirectory: () => root,
    onUnRecoverableConfigFileDiagnostic: () => {},
  };
  const parsed = ts.parseJsonSourceFileConfigFileContent(source, host, root, undefined, path);
  for (const diagnostic of [
    ...((source as { parseDiagnostics?: ts.Diagnostic[] }).parseDiagnostics ?? []),
    ...parsed.errors,
  ]) {
    if (isAboutInputs(diagnostic)) continue;
    const file = diagnostic.file ?? source;
    const start = diagnostic.start ?? 0;
    const { line, character } = ts.getLineAndCharacterOfPosition(file, start);
    problems.push(
      messages.tsconfigProblem(
        // Reports are the same wherever the project lies.
        ts.flattenDiagnosticMessageText(diagnostic.messageText, " ").replaceAll(`${root}/`, ""),
        {
          fatal: isFatal(diagnostic),
          location: {
            file: relativeTo(root, slashed(file.fileName)),
            line: line + 1,
            column: character + 1,
            length: Math.max(1, diagnostic.length ?? 1),
          },
        },
      ),
    );
  }
  const fatal = problems.some((problem) => problem.severity === "error");
  return { parsed: fatal ? undefined : parsed, problems };
}

// 18002 and 18003: "files" is empty, or no inputs were found. Said by `noSourceFiles` with the way out.
function isAboutInputs(diagnostic: ts.Diagnostic): boolean {
  return diagnostic.code === 18002 || diagnostic.code === 18003;
}

// Below 2000 are syntax errors; 5083, 6053, 6096 and 18000: a file of the `extends` chain is missing or circular.
// Everything else (an option of a newer TypeScript, say) does not change what types mean.
function isFatal(diagnostic: ts.Diagnostic): boolean {
  return diagnostic.code < 2000 || [5083, 6053, 6096, 18000, 18001].includes(diagnostic.code);
}

/** In JavaScript the types stand in the JSDoc; elsewhere it is read where it is asked for. */
function jsDocModeOf(path: string): ts.JSDocParsingMode {
  return /\.[cm]?jsx?$/.test(path) ? ts.JSDocParsingMode.ParseAll : ts.JSDocParsingMode.ParseNone;
}

function referencesOf(parsed: ts.ParsedCommandLine): readonly string[] {
  return (parsed.projectReferences ?? []).map(({ originalPath, path }) => originalPath ?? path);
}

function compilerHost(
  options: ts.CompilerOptions,
  { root, system }: { root: string; system: RecordingSystem },
): ts.CompilerHost {
  const parsed = new Map<string, ts.SourceFile>();
  return {
    fileExists: (path) => isLibFile(path) || (!path.startsWith(`${LIB_FOLDER}/`) && system.fileExists(path)),
    readFile: (path) => libText(path) ?? system.readFile(path),
    directoryExists: (path) => system.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
    getCurrentDirectory: () => root,
    getDefaultLibLocation: () => LIB_FOLDER,
    getDefaultLibFileName: (using) => `${LIB_FOLDER}/${ts.getDefaultLibFileName(using)}`,
    getCanonicalFileName: (path) => (ts.sys.useCaseSensitiveFileNames ? path : path.toLowerCase()),
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getNewLine: () => "\n",
    writeFile: () => {},
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
    getSourceFile: (path, languageVersionOrOptions) => {
      const parseOptions =
        typeof languageVersionOrOptions === "object"
          ? languageVersionOrOptions
          : { languageVersion: languageVersionOrOptions };
      const lib = libSourceFile(path, parseOptions);
      if (lib !== undefined) return lib;
      // The program may be made twice, with another library.
      const known = parsed.get(path);
      if (known !== undefined) return known;
      const text = system.readFile(path);
      if (text === undefined) return undefined;
      const file = ts.createSourceFile(path, text, { ...parseOptions, jsDocParsingMode: jsDocModeOf(path) }, false);
      parsed.set(path, file);
      return file;
    },
    ...(options.traceResolution === true ? { trace: () => {} } : {}),
  };
}
