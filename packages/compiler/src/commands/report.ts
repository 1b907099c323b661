import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Problem } from "../errors/problem.js";
import { packageVersion } from "../package-version.js";
import type { ReportFormat } from "../reports/report-format.js";
import type { BuildCounts } from "../source/up-to-date.js";
import type { Terminal } from "./terminal.js";

/** What a command has to say at its end. */
export interface Report {
  readonly format: ReportFormat;
  /** Absolute path of the folder that the places of `problems` are relative to. */
  readonly root: string;
  readonly problems: readonly Problem[];
  /** For people: after the problems, in the text form only. */
  readonly summary: string;
  /** For scripts: members of the JSON form besides `problems`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The summary is bad news, and goes where problems go. */
  readonly failed: boolean;
  /** The JSON form takes one line, as one of several. */
  readonly oneLine?: boolean;
}

/** Prints a report. The forms for machines go to the standard output whole; people get problems on the other stream. */
export async function printReport(report: Report, terminal: Terminal): Promise<void> {
  const { format, problems, summary, fields, failed } = report;
  if (format === "text") {
    if (problems.length > 0) {
      const { formatText } = await import("../reports/format-problems.js");
      terminal.error(`${formatText(problems, { color: terminal.color.error })}\n`);
    }
    (failed ? terminal.error : terminal.out)(summary);
    return;
  }
  if (format === "json") {
    const { formatJson } = await import("../reports/format-problems.js");
    terminal.out(formatJson(problems, { fields, oneLine: report.oneLine === true }));
    return;
  }
  const { formatProblems } = await import("../reports/format-problems.js");
  const pathPrefix = prefixFromRepository(report.root);
  terminal.out(formatProblems(problems, { format, pathPrefix, version: packageVersion() }));
}

/** `3 tools, 1 schema`. */
export function describeCounts({ tools, schemas, workflows }: BuildCounts): string {
  const parts = [count(tools, "tool"), count(schemas, "schema"), count(workflows, "workflow")];
  return parts.filter((part, index) => index === 0 || !part.startsWith("0 ")).join(", ");
}

/** `2 errors, 1 warning`. */
export function describeProblems(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const parts = [count(errors, "error"), count(problems.length - errors, "warning")];
  return parts.filter((part) => !part.startsWith("0 ")).join(", ");
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** An absolute path as a report shows it: relative to the project's root, with `/` on every system. */
export function relativeTo(root: string, path: string): string {
  return relative(root, path).replaceAll("\\", "/");
}

/** Annotations count paths from the repository's root: what GitHub says it is, else the nearest folder with a `.git`. */
function prefixFromRepository(root: string): string {
  const repository = process.env.GITHUB_WORKSPACE ?? nearestRepository(root);
  if (repository === undefined) return "";
  const prefix = relativeTo(resolve(repository), root);
  return prefix === "" || prefix.startsWith("..") ? "" : `${prefix}/`;
}

function nearestRepository(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
