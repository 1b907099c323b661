import type { Json } from "@callsign/runtime/manifest";
import type { Problem } from "../errors/problem.js";
import type { CheckResult } from "./check-manifest.js";
import type { ManifestDifference } from "./compare-manifests.js";

/** Values longer than this are cut: a description may be a page. */
const MAX_VALUE_LENGTH = 72;

/** One line that says what changed, before → after. */
export function describeDifference({ kind, what, change, before, after }: ManifestDifference): string {
  if (what === kind) return `${kind} ${change}`;
  if (change === "added") return `${what} added${after === undefined ? "" : `: ${show(after)}`}`;
  if (change === "removed") return `${what} removed${before === undefined ? "" : `: ${show(before)}`}`;
  return `${what} ${show(before!)} → ${show(after!)}`;
}

/** Differences in text form: one block a tool, breaking ones marked. */
export function formatDifferences(differences: readonly ManifestDifference[]): string {
  const blocks = new Map<string, ManifestDifference[]>();
  for (const difference of differences) {
    const title = `${difference.kind} ${difference.name}`;
    blocks.set(title, [...(blocks.get(title) ?? []), difference]);
  }
  return [...blocks]
    .map(([title, inside]) => {
      const rows = inside.map((difference) => {
        const mark = difference.breaking ? "breaking" : "        ";
        return `  ${mark}  ${difference.path}: ${describeDifference(difference)}\n`;
      });
      return `${title}\n${rows.join("")}`;
    })
    .join("\n");
}

/**
 * A check's findings as problems, for the forms that annotate a pull request.
 *
 * @param options.relative Turns an absolute path into one relative to the project's root, with `/`.
 * @param options.manifestText The manifest on disk, to point at the tool's own line in it.
 */
export function checkProblems(
  result: CheckResult,
  options: { readonly relative: (path: string) => string; readonly manifestText: string | undefined },
): Problem[] {
  const hint = "run `callsignc build` and commit what it writes";
  const problems: Problem[] = [];
  const manifest = result.files.find(({ path }) => path.endsWith(".json"));
  for (const difference of result.differences) {
    const location =
      manifest === undefined || manifest.state === "missing"
        ? {}
        : {
            location: { file: options.relative(manifest.path), ...placeOfName(options.manifestText ?? "", difference) },
          };
    problems.push({
      severity: "error",
      code: difference.breaking ? "manifest-stale-breaking" : "manifest-stale",
      message: `${difference.path}: ${describeDifference(difference)}${difference.breaking ? " (breaking)" : ""}`,
      hint,
      toolName: difference.name,
      typePath: difference.path,
      ...location,
    });
  }
  for (const { path, state, reason } of result.files) {
    if (state === "current") continue;
    const isManifest = path.endsWith(".json");
    if (isManifest && state === "stale" && reason === undefined && result.differences.length > 0) continue;
    const file = options.relative(path);
    const message = state === "missing" ? `${file} does not exist` : `${file} is stale${reason ? `: ${reason}` : ""}`;
    problems.push({
      severity: "error",
      code: state === "missing" ? "output-missing" : "output-stale",
      message,
      hint,
      ...(state === "missing" ? {} : { location: { file, line: 1, column: 1, length: 1 } }),
    });
  }
  return problems;
}

function placeOfName(text: string, { name, before, what }: ManifestDifference) {
  const written = JSON.stringify(what === "name" && typeof before === "string" ? before : name);
  const lines = text.split("\n");
  // Names of entries stand at the depth of the three lists; the same words deeper down belong to schemas.
  const index = lines.findIndex((line) => line.replace(/\r$/, "").replace(/,$/, "") === `      "name": ${written}`);
  return index === -1
    ? { line: 1, column: 1, length: 1 }
    : { line: index + 1, column: lines[index]!.indexOf(written, 12) + 1, length: written.length };
}

function show(value: Json): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= MAX_VALUE_LENGTH ? line : `${line.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}
