import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { CompileOptions } from "../compile-options.js";
import { readConfig } from "../config/read-config.js";
import type { Problem } from "../errors/problem.js";
import { findTsconfig } from "../manifest/output-folder.js";
import type { ReportFormat } from "../reports/report-format.js";
import type { CommandInput } from "./command.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** What the command line and the configuration together ask for. */
export interface CompileInput {
  readonly options: CompileOptions;
  readonly format: ReportFormat;
  /** What is wrong with the configuration; then `options` must not be used. */
  readonly configProblems: readonly Problem[];
  /** Absolute; what the paths of `configProblems` are relative to. */
  readonly configFolder: string;
}

/**
 * Merges the command line over the configuration.
 *
 * @throws {UsageError} when there is no tsconfig, or when formats contradict each other.
 */
export function readCompileInput({ options: given }: CommandInput, { cwd }: Terminal): CompileInput {
  const format = readFormat(given);
  const { config, folder, problems } = readConfig(cwd);
  if (problems.length > 0) return { options: {}, format, configProblems: problems, configFolder: folder };
  const fromHere = (path: unknown) => (typeof path === "string" ? resolve(cwd, path) : undefined);
  const project = fromHere(given.project) ?? config.project;
  const outDir = fromHere(given["out-dir"]) ?? config.outDir;
  const entries = Array.isArray(given.entry) ? rebase(given.entry, { from: cwd, to: folder }) : config.entries;
  const strict = given.strict === true || config.strict;
  const targets = (given.target as CompileOptions["targets"]) ?? config.targets;
  const { maxToolBytes } = config;
  const validators = given.validators === true || config.validators;
  const description = (given.description as CompileOptions["description"]) ?? config.description;
  const options: CompileOptions = {
    cwd: folder,
    ...(project === undefined ? {} : { project }),
    ...(entries === undefined ? {} : { entries }),
    ...(outDir === undefined ? {} : { outDir }),
    ...(strict === undefined ? {} : { strict }),
    ...(description === undefined ? {} : { description }),
    ...(targets === undefined ? {} : { targets }),
    ...(maxToolBytes === undefined ? {} : { maxToolBytes }),
    ...(validators === undefined ? {} : { validators }),
  };
  requireTsconfig(options, cwd);
  return { options, format, configProblems: [], configFolder: folder };
}

function readFormat(given: CommandInput["options"]): ReportFormat {
  if (given.json !== true) return (given.format as ReportFormat | undefined) ?? "text";
  if (given.format !== undefined && given.format !== "json") {
    throw new UsageError(`--json and --format ${String(given.format)} contradict each other`, "leave one of them out");
  }
  return "json";
}

/** Globs count from the configuration's folder, those of the command line from the current one. */
function rebase(globs: readonly string[], { from, to }: { from: string; to: string }): string[] {
  const prefix = relative(to, from).replaceAll("\\", "/");
  if (prefix === "") return [...globs];
  return globs.map((glob) => (glob.startsWith("!") ? `!${prefix}/${glob.slice(1)}` : `${prefix}/${glob}`));
}

function requireTsconfig(options: CompileOptions, cwd: string): void {
  const tsconfig = findTsconfig(options);
  const hint = "give the path with --project, or run `npx @callsign/compiler init` to set one up";
  if (tsconfig === undefined) {
    throw new UsageError(`there is no tsconfig.json in ${cwd} or any folder above`, hint);
  }
  if (!existsSync(tsconfig)) {
    throw new UsageError(`there is no file ${relative(cwd, tsconfig).replaceAll("\\", "/")}`, hint);
  }
}
