import { dirname, join } from "node:path";
import type { Manifest, ManifestSchema, ManifestTool, ManifestWorkflow } from "@callsign/runtime/manifest";
import type { CompileOptions } from "../compile-options.js";
import { findTsconfig, outputFolder } from "../manifest/output-folder.js";
import { nearestWord } from "../nearest-word.js";
import { readIfThere } from "../source/read-if-there.js";
import { configReport } from "./build.js";
import type { CommandInput } from "./command.js";
import { readCompileInput } from "./compile-input.js";
import { printReport, relativeTo } from "./report.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

type Entry =
  | ({ readonly kind: "tool" } & ManifestTool)
  | ({ readonly kind: "schema" } & ManifestSchema)
  | ({ readonly kind: "workflow" } & ManifestWorkflow);

/** `callsignc show [NAME]` */
export async function runShow(input: CommandInput, terminal: Terminal): Promise<0 | 1 | 2> {
  const { options, format, configProblems, configFolder } = readCompileInput(input, terminal);
  if (configProblems.length > 0) {
    await printReport(configReport({ format, configProblems, configFolder }), terminal);
    return 2;
  }
  // `readCompileInput` has made sure that there is a tsconfig.
  const root = dirname(findTsconfig(options)!);
  const entries = await readEntries(root, join(outputFolder(root, options), "callsign.manifest.json"));
  const [name] = input.arguments;
  // Of the command line only: who has configured targets still wants to see the neutral schema.
  const targets = [...new Set(input.options.target as CompileOptions["targets"])];
  if (name === undefined) {
    if (targets.length > 0) throw new UsageError("--target needs a NAME", "`callsignc show` lists the names");
    const rows = entries.map(({ kind, name, module, summary }) => ({
      kind,
      name,
      module,
      ...(summary ? { summary } : {}),
    }));
    terminal.out(format === "json" ? `${JSON.stringify(rows, null, 2)}\n` : formatList(entries));
    return 0;
  }
  const found = entries.filter((entry) => entry.name === name);
  if (found.length === 0) throw unknownName(name, entries);
  if (targets.length > 0 && found.every(({ kind }) => kind === "workflow")) {
    throw new UsageError(`${name} is a workflow, whose input no provider gets`, "leave --target out");
  }
  const shown = await withLowered(found, targets);
  // A tool and a schema may have the same name; both are meant then.
  terminal.out(
    format === "json"
      ? `${JSON.stringify(shown.length === 1 ? shown[0]!.value : shown.map(({ value }) => value), null, 2)}\n`
      : shown.map(({ text }) => text).join("\n"),
  );
  return 0;
}

async function withLowered(
  entries: readonly Entry[],
  targets: NonNullable<CompileOptions["targets"]>,
): Promise<{ readonly value: object; readonly text: string }[]> {
  if (targets.length === 0) return entries.map((entry) => ({ value: entry, text: formatEntry(entry) }));
  const { formatLowered, lowerEntry } = await import("../check/show-lowered.js");
  return entries.map((entry) => {
    const lowered = entry.kind === "workflow" ? [] : targets.map((target) => lowerEntry(entry, target));
    const wire = Object.fromEntries(lowered.map((each) => [each.asked, each.wire]));
    const lowering = Object.fromEntries(lowered.map(({ asked, wire: _, ...about }) => [asked, about]));
    const text = `${[...formatHead(entry), ...lowered.flatMap(formatLowered)].join("\n")}\n`;
    return { value: { ...entry, wire, lowering }, text };
  });
}

async function readEntries(root: string, path: string): Promise<Entry[]> {
  const shown = relativeTo(root, path);
  const hint = "run `callsignc build` first";
  const text = readIfThere(path);
  if (text === undefined) throw new UsageError(`there is no ${shown}`, hint);
  const { validateManifest } = await import("@callsign/runtime/manifest");
  let manifest: Manifest;
  try {
    manifest = validateManifest(JSON.parse(text.replace(/^\uFEFF/, "")));
  } catch (error) {
    throw new UsageError(`${shown} cannot be read as a manifest: ${(error as Error).message}`, hint);
  }
  return [
    ...manifest.tools.map((tool) => ({ kind: "tool" as const, ...tool })),
    ...manifest.schemas.map((schema) => ({ kind: "schema" as const, ...schema })),
    ...manifest.workflows.map((workflow) => ({ kind: "workflow" as const, ...workflow })),
  ];
}

function unknownName(name: string, entries: readonly Entry[]): UsageError {
  const names = entries.map((entry) => entry.name);
  const suggestion = nearestWord(name, names);
  const hint =
    suggestion !== undefined
      ? `did you mean ${suggestion}?`
      : names.length === 0
        ? "it is empty"
        : `it holds ${names.join(", ")}`;
  return new UsageError(`the manifest holds no ${JSON.stringify(name)}`, hint);
}

function formatList(entries: readonly Entry[]): string {
  if (entries.length === 0) return "the manifest is empty: mark a function with the JSDoc tag @tool and build\n";
  const width = Math.max(...entries.map(({ name }) => name.length));
  const rows = entries.map(({ kind, name, summary }) =>
    `${kind.padEnd(8)}  ${name.padEnd(width)}  ${summary ?? ""}`.trimEnd(),
  );
  return `${rows.join("\n")}\n`;
}

function formatEntry(entry: Entry): string {
  const lines = formatHead(entry);
  if (entry.kind === "tool") {
    lines.push("", "parameters", indent(entry.parameters));
    if (entry.returns !== undefined) lines.push("", "returns", indent(entry.returns));
  }
  if (entry.kind === "schema") lines.push("", "schema", indent(entry.schema));
  if (entry.kind === "workflow" && entry.input !== undefined) lines.push("", "input", indent(entry.input));
  return `${lines.join("\n")}\n`;
}

function formatHead(entry: Entry): string[] {
  const from = entry.export === undefined ? entry.module : `${entry.module}, export ${entry.export}`;
  const lines = [`${entry.kind} ${entry.name}`, `  from ${from}`];
  if (entry.description !== undefined)
    lines.push("", ...entry.description.split("\n").map((line) => `  ${line}`.trimEnd()));
  if (entry.kind === "tool") {
    const marks = (["deprecated", "streams", "once", "worker", "sequential", "requiresApproval"] as const).filter(
      (mark) => entry[mark],
    );
    if (marks.length > 0) lines.push("", `  ${marks.join(", ")}`);
  }
  return lines;
}

function indent(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^/gm, "  ");
}
