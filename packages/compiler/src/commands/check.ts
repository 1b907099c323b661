import { readFileSync } from "node:fs";
import type { CheckResult } from "../check/check-manifest.js";
import { readUpToDate } from "../source/up-to-date.js";
import { configReport } from "./build.js";
import type { CommandInput } from "./command.js";
import { readCompileInput } from "./compile-input.js";
import { loadCompiler } from "./load-compiler.js";
import { describeCounts, describeProblems, printReport, relativeTo } from "./report.js";
import type { Terminal } from "./terminal.js";

/** `callsignc check` */
export async function runCheck(input: CommandInput, terminal: Terminal): Promise<0 | 1 | 2> {
  const { options, format, configProblems, configFolder } = readCompileInput(input, terminal);
  if (configProblems.length > 0) {
    await printReport(configReport({ format, configProblems, configFolder }), terminal);
    return 2;
  }
  const known = readUpToDate(options, { lineEnds: "any" });
  if (known !== undefined) {
    const { root, problems, counts, outputs } = known;
    const files = outputs.map((path) => ({ path: relativeTo(root, path), state: "current" }));
    const summary = `current: ${describeCounts(counts)} in ${files[0]?.path}\n`;
    const fields = { command: "check", ok: true, current: true, files, differences: [] };
    await printReport({ format, root, problems, summary, fields, failed: false }, terminal);
    return 0;
  }

  const { check } = await loadCompiler(options.cwd ?? terminal.cwd, { compiles: "once" });
  const result = await check(options);
  const { current, root, differences } = result;
  const failed = result.problems.some(({ severity }) => severity === "error");
  const files = result.files.map((file) => ({ ...file, path: relativeTo(root, file.path) }));
  const stale = current || failed ? [] : await staleProblems(result);
  // People get the differences as blocks in the summary; a frame-less problem for each would only repeat them.
  const problems = format === "text" ? result.problems : [...result.problems, ...stale];
  const summary = current
    ? `current: ${files[0]?.path}\n`
    : failed
      ? `${describeProblems(result.problems)}; nothing could be compared\n`
      : await describeStale(result);
  const fields = { command: "check", ok: current, current, files, differences };
  await printReport({ format, root, problems, summary, fields, failed: !current }, terminal);
  return current ? 0 : 1;
}

async function staleProblems(result: CheckResult) {
  const { checkProblems } = await loadCompiler(result.root, { compiles: "once" });
  const manifest = result.files.find(({ path, state }) => path.endsWith(".json") && state !== "missing");
  return checkProblems(result, {
    relative: (path) => relativeTo(result.root, path),
    manifestText: manifest === undefined ? undefined : readText(manifest.path),
  });
}

/** Undefined where it cannot be read, which is told already as what is stale about it. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

async function describeStale({ files, differences, root }: CheckResult): Promise<string> {
  const { formatDifferences } = await loadCompiler(root, { compiles: "once" });
  const rows = files
    .filter(({ state }) => state !== "current")
    .map(({ path, state, reason }) => {
      const said = state === "missing" ? "does not exist" : `is stale${reason === undefined ? "" : `: ${reason}`}`;
      return `${relativeTo(root, path)} ${said}\n`;
    });
  const breaking = differences.filter((difference) => difference.breaking).length;
  const total = differences.length === 0 ? "" : `${differences.length} changed, ${breaking} breaking; `;
  const blocks = differences.length === 0 ? "" : `\n${formatDifferences(differences)}`;
  return `${rows.join("")}${blocks}\n${total}run \`callsignc build\` and commit what it writes\n`;
}
