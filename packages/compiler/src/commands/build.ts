import type { LoweredSize } from "../compile-options.js";
import { readUpToDate } from "../source/up-to-date.js";
import type { CommandInput } from "./command.js";
import { readCompileInput } from "./compile-input.js";
import { loadCompiler } from "./load-compiler.js";
import { count, describeCounts, describeProblems, printReport, relativeTo } from "./report.js";
import type { Terminal } from "./terminal.js";

/** `callsignc build` */
export async function runBuild(input: CommandInput, terminal: Terminal): Promise<0 | 1 | 2> {
  const { options, format, configProblems, configFolder } = readCompileInput(input, terminal);
  if (configProblems.length > 0) {
    await printReport(configReport({ format, configProblems, configFolder }), terminal);
    return 2;
  }
  const known = readUpToDate(options, { lineEnds: "exact" });
  if (known !== undefined) {
    const { root, problems, counts, outputs, sizes } = known;
    const files = outputs.map((path) => ({ path: relativeTo(root, path), written: false }));
    const summary = `up to date: ${describeCounts(counts)} in ${files[0]?.path}\n`;
    const fields = { command: "build", ok: true, upToDate: true, ...counts, files, ...sizesField(sizes) };
    await printReport({ format, root, problems, summary, fields, failed: false }, terminal);
    return 0;
  }

  const { compileAndWrite, countsOf } = await loadCompiler(options.cwd ?? terminal.cwd, { compiles: "once" });
  const { compiled, files: written } = await compileAndWrite(options);
  const { manifest, problems, root } = compiled;
  if (manifest === undefined || written === undefined) {
    const summary = `${describeProblems(problems)}; nothing was written\n`;
    const fields = { command: "build", ok: false };
    await printReport({ format, root, problems, summary, fields, failed: true }, terminal);
    return 1;
  }
  const counts = countsOf(manifest);
  const files = written.map((file) => ({ path: relativeTo(root, file.path), written: file.written }));
  const summary = `built ${describeCounts(counts)}${describeFiles(files)}\n${describeSizes(compiled.sizes)}`;
  const fields = { command: "build", ok: true, upToDate: false, ...counts, files, ...sizesField(compiled.sizes) };
  await printReport({ format, root, problems, summary, fields, failed: false }, terminal);
  return 0;
}

function sizesField(sizes: readonly LoweredSize[] | undefined) {
  return sizes === undefined ? {} : { sizes };
}

/** A line for each target: what all tools together take of a request, and the largest of them. */
function describeSizes(sizes: readonly LoweredSize[] = []): string {
  const targets = [...new Set(sizes.map(({ target }) => target))];
  return targets
    .map((target) => {
      const own = sizes.filter((size) => size.target === target);
      const tokens = own.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0);
      const largest = own.reduce((most, size) => (size.bytes > most.bytes ? size : most));
      const strict = target.endsWith("-strict") ? `, ${own.filter((size) => size.strict).length} strict` : "";
      const about = `about ${tokens} tokens in a request with all tools${strict}`;
      return `${target}: ${about}; largest ${largest.tool}, ${largest.bytes} bytes\n`;
    })
    .join("");
}

/** The part of a summary that says which files a build wrote. */
export function describeFiles(files: readonly { readonly path: string; readonly written: boolean }[]): string {
  const names = files.filter(({ written }) => written).map(({ path }) => path);
  return names.length === 0 ? `; ${count(files.length, "file")} unchanged` : `; wrote ${names.join(", ")}`;
}

/** The report on a configuration that cannot be used. */
export function configReport({
  format,
  configProblems,
  configFolder,
}: Pick<ReturnType<typeof readCompileInput>, "format" | "configProblems" | "configFolder">) {
  const summary = `${describeProblems(configProblems)} in the configuration; nothing was done\n`;
  const fields = { command: "build", ok: false };
  return { format, root: configFolder, problems: configProblems, summary, fields, failed: true };
}
