import { relative, resolve } from "node:path";
import { statSync } from "node:fs";
import type { Problem } from "../errors/problem.js";
import type { InspectEntry } from "../inspect-file.js";
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
  const { inspectFile } = await loadCompiler(cwd, () => import("../inspect-file.js"));
  const entries = inspectFile({
    cwd,
    file: file!,
    ...(names.length === 0 ? {} : { exports: names }),
    ...(project === undefined ? {} : { project }),
  });
  const lacking = names.find((name) => !Object.keys(entries).some((key) => key === name || key.startsWith(`${name}.`)));
  if (lacking !== undefined) {
    const all = Object.keys(inspectFile({ cwd, file: file!, ...(project === undefined ? {} : { project }) }));
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
  const color = terminal.color.out;
  if ("errors" in entry) {
    return `${name}: not possible\n\n${formatText(
      entry.errors.map((problem) => toProblem(problem, "error")),
      { color },
    )}`;
  }
  const renamed = entry.name === name ? "" : ` ${entry.name}`;
  const lines = [`${name}: ${entry.kind}${renamed}`];
  if (entry.description !== undefined)
    lines.push("", ...entry.description.split("\n").map((line) => `  ${line}`.trimEnd()));
  lines.push("", entry.kind === "tool" ? "parameters" : "schema", indent(entry.schema));
  if (entry.returns !== undefined) lines.push("", "returns", indent(entry.returns));
  for (const [target, wire] of Object.entries(entry.wire ?? {}))
    lines.push("", `wire schema for ${target}`, indent(wire));
  const warnings = entry.warnings.map((problem) => toProblem(problem, "warning"));
  const report = warnings.length === 0 ? "" : `\n${formatText(warnings, { color })}`;
  return `${lines.join("\n")}\n${report}`;
}

type InspectProblem = Extract<InspectEntry, { errors: unknown }>["errors"][number];

function toProblem(
  { code, message, hint, file, line, column, typePath }: InspectProblem,
  severity: Problem["severity"],
): Problem {
  return {
    severity,
    code,
    message,
    hint,
    location: { file, line, column, length: 1 },
    ...(typePath === undefined ? {} : { typePath }),
  };
}

function indent(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^/gm, "  ");
}
