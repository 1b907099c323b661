import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { CompileOptions } from "../compile-options.js";
import type { Problem } from "../errors/problem.js";
import type { InspectEntry, InspectProblem } from "../inspect-file.js";
import { findTsconfig } from "../manifest/output-folder.js";
import { nearestWord } from "../nearest-word.js";
import { formatText } from "../reports/text.js";
import type { CommandInput } from "./command.js";
import { loadCompiler } from "./load-compiler.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** `callsignc inspect FILE [EXPORT…]` */
export async function runInspect({ arguments: words, options }: CommandInput, terminal: Terminal): Promise<0 | 1 | 2> {
  const { cwd } = terminal;
  const [file, ...names] = words;
  requireFile(file!, cwd);
  const project = typeof options.project === "string" ? options.project : undefined;
  if (project !== undefined) requireFile(relative(cwd, findTsconfig({ cwd, project })!), cwd);
  const targets = options.target as CompileOptions["targets"];
  const { addWireForms, inspectFile } = await loadCompiler(cwd, { compiles: "once" });
  const inspect = (exports: readonly string[]) =>
    inspectFile({ cwd, file: file!, exports, ...(project === undefined ? {} : { project }) });
  const { entries, problems } = await addWireForms(inspect(names), [...new Set(targets)]);
  if (entries === undefined) {
    terminal.error(`${formatText(problems, { color: terminal.color.error })}\n${file} could not be read\n`);
    return 2;
  }
  const lacking = names.find((name) => !Object.keys(entries).some((key) => key === name || key.startsWith(`${name}.`)));
  if (lacking !== undefined) {
    const all = Object.keys(inspect([]).entries ?? {});
    const suggestion = nearestWord(lacking, all);
    const hint = suggestion === undefined ? `it exports ${all.join(", ") || "nothing"}` : `did you mean ${suggestion}?`;
    throw new UsageError(`${file} has no export ${lacking}`, hint);
  }
  terminal.out(options.json === true ? `${JSON.stringify(entries, null, 2)}\n` : formatEntries(entries, terminal));
  return 0;
}

function requireFile(path: string, cwd: string): void {
  if (statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isFile() !== true) {
    throw new UsageError(`there is no file ${path}`, "give the path of a file, from the current folder or from --cwd");
  }
}

function formatEntries(entries: Readonly<Record<string, InspectEntry>>, terminal: Terminal): string {
  const blocks = Object.entries(entries).map(([name, entry]) => formatEntry(name, { entry, terminal }));
  return blocks.length === 0 ? "the file exports nothing\n" : blocks.join("\n");
}

function formatEntry(name: string, { entry, terminal }: { entry: InspectEntry; terminal: Terminal }): string {
  const warnings = formatProblems(entry.warnings, { severity: "warning", terminal });
  const more = warnings === "" ? "" : `\n${warnings}`;
  if ("errors" in entry) {
    return `${name}: not possible\n\n${formatProblems(entry.errors, { severity: "error", terminal })}${more}`;
  }
  const renamed = entry.name === name ? "" : ` ${entry.name}`;
  const lines = [`${name}: ${entry.kind}${renamed}`];
  if (entry.description !== "") lines.push("", ...entry.description.split("\n").map((line) => `  ${line}`.trimEnd()));
  lines.push("", entry.kind === "tool" ? "parameters" : "schema", indent(entry.schema));
  if (entry.returns !== null) lines.push("", "returns", indent(entry.returns));
  for (const [target, wire] of Object.entries(entry.wire ?? {})) lines.push("", `${target} gets`, indent(wire));
  return `${lines.join("\n")}\n${more}`;
}

function formatProblems(
  problems: readonly InspectProblem[],
  { severity, terminal }: { severity: Problem["severity"]; terminal: Terminal },
): string {
  return formatText(
    problems.map((problem) => toProblem(problem, severity)),
    { color: terminal.color.out },
  );
}

function toProblem(
  { code, message, hint, file, line, column, typePath }: InspectProblem,
  severity: Problem["severity"],
): Problem {
  const isPlaced = file !== null && line !== null && column !== null;
  return {
    severity,
    code,
    message,
    hint,
    ...(isPlaced ? { location: { file, line, column, length: 1 } } : {}),
    ...(typePath === null ? {} : { typePath }),
  };
}

function indent(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^/gm, "  ");
}
