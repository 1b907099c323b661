import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import { findTsconfig, outputFolder } from "../manifest/output-folder.js";
import { removeLeftovers } from "../manifest/write-atomically.js";
import { FolderWatcher } from "../source/folder-watcher.js";
import { hashText, isUnchanged } from "../source/snapshot.js";
import { configReport, describeFiles } from "./build.js";
import type { CommandInput } from "./command.js";
import { type CompileInput, readCompileInput } from "./compile-input.js";
import { describeCounts, describeProblems, printReport, type Report, relativeTo } from "./report.js";
import type { Terminal } from "./terminal.js";
import type { FinishedBuild, WatchBuild } from "./watch-build.js";

/** An editor's save is several events, and a branch switch hundreds. */
const DEBOUNCE_MS = 60;

/** `callsignc watch` */
export async function runWatch(input: CommandInput, terminal: Terminal): Promise<0 | 1 | 2> {
  const first = readCompileInput(input, terminal);
  if (first.configProblems.length > 0) {
    await printReport(configReport(first), terminal);
    return 2;
  }
  const watch = new Watch(first, { terminal, reread: () => readCompileInput(input, terminal) });
  return watch.run();
}

/** What is known after a build, to tell whether another one would be any different. */
interface LastBuild {
  readonly built: FinishedBuild;
  readonly outputHashes: readonly string[];
}

class Watch {
  readonly #terminal: Terminal;
  readonly #reread: () => CompileInput;
  readonly #watcher = new FolderWatcher(() => this.#schedule());
  readonly #worker = new Worker(new URL("./watch-worker.js", import.meta.url));
  readonly #ended: Promise<0 | 2>;
  #end: (status: 0 | 2) => void = () => {};
  #input: CompileInput;
  #timer: NodeJS.Timeout | undefined;
  #startedAtMs: number | undefined;
  #changedMeanwhile = false;
  #last: LastBuild | undefined;
  /** What was last said against the command's input, so as to say it once. */
  #refusal: string | undefined;
  /** The output folder, as long as the tsconfig has ever been seen. */
  #folder: string;

  constructor(input: CompileInput, { terminal, reread }: { terminal: Terminal; reread: () => CompileInput }) {
    this.#input = input;
    this.#terminal = terminal;
    this.#reread = reread;
    // `readCompileInput` has made sure that there is a tsconfig.
    this.#folder = outputFolder(dirname(findTsconfig(input.options)!), input.options);
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async run(): Promise<0 | 2> {
    const stop = () => this.#end(0);
    process.on("SIGINT", stop).on("SIGTERM", stop);
    this.#worker.on("message", (built: WatchBuild) => void this.#onBuilt(built).catch((error) => this.#fail(error)));
    this.#worker.on("error", (error) => this.#fail(error as Error));
    this.#build();
    const status = await this.#ended;
    clearTimeout(this.#timer);
    process.off("SIGINT", stop).off("SIGTERM", stop);
    this.#watcher.close();
    // In the middle of a build too: files change by renaming, so none can be left half written.
    await this.#worker.terminate();
    removeLeftovers(this.#outDir(), { own: true });
    return status;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#rebuild().catch((error) => this.#fail(error)), DEBOUNCE_MS);
  }

  async #rebuild(): Promise<void> {
    if (this.#startedAtMs !== undefined) {
      this.#changedMeanwhile = true;
      return;
    }
    const input = this.#readAgain();
    if (input === undefined) return;
    const isSameInput = isDeepStrictEqual(input, this.#input);
    this.#input = input;
    if (input.configProblems.length > 0) {
      if (!isSameInput) await printReport({ ...configReport(input), oneLine: true }, this.#terminal);
      return;
    }
    if (isSameInput && this.#last !== undefined && isStillTrue(this.#last)) return;
    this.#build();
  }

  /** While a branch is switched even the tsconfig may be gone for a moment: that is told, and ends nothing. */
  #readAgain(): CompileInput | undefined {
    try {
      const input = this.#reread();
      this.#refusal = undefined;
      return input;
    } catch (error) {
      const { message, hint } = error as Error & { hint?: string };
      if (hint === undefined) throw error;
      if (message !== this.#refusal) this.#terminal.error(`callsignc: ${message}\n  hint  ${hint}\n`);
      this.#refusal = message;
      this.#last = undefined;
      return undefined;
    }
  }

  #build(): void {
    this.#startedAtMs = Date.now();
    this.#worker.postMessage(this.#input.options);
  }

  async #onBuilt(built: WatchBuild): Promise<void> {
    const tookMs = Date.now() - (this.#startedAtMs ?? Date.now());
    this.#startedAtMs = undefined;
    const wasSettled = this.#last?.built.snapshot !== undefined;
    let isNewFolder = false;
    if (built.failure !== undefined) {
      const { message, hint } = built.failure;
      if (hint === undefined) throw new Error(message);
      this.#terminal.error(`callsignc: ${message}\n  hint  ${hint}\n`);
      this.#last = undefined;
    } else {
      this.#last = { built, outputHashes: (built.files ?? []).map(({ path }) => hashIfThere(path)) };
      await printReport(watchReport(built, { format: this.#input.format, tookMs }), this.#terminal);
      isNewFolder = this.#watcher.watch(built.watched, [this.#outDir(), this.#input.configFolder]);
    }
    // What happened under the compile, or between it and the first watch of a folder, has not been looked at. A file
    // whose time stamp lies ahead of the clock never settles: that is worth one more look, not an endless loop.
    const isUnsettled = built.failure === undefined && built.snapshot === undefined && wasSettled;
    if (isNewFolder || this.#changedMeanwhile || isUnsettled) this.#schedule();
    this.#changedMeanwhile = false;
  }

  #outDir(): string {
    const tsconfig = findTsconfig(this.#input.options);
    if (tsconfig !== undefined) this.#folder = outputFolder(dirname(tsconfig), this.#input.options);
    return this.#folder;
  }

  #fail(error: Error & { hint?: string }): void {
    const text = error.hint === undefined ? (error.stack ?? error.message) : `${error.message}\n  hint  ${error.hint}`;
    this.#terminal.error(`callsignc: ${text}\n`);
    this.#end(2);
  }
}

function isStillTrue({ built: { snapshot, files = [] }, outputHashes }: LastBuild): boolean {
  return (
    snapshot !== undefined &&
    isUnchanged(snapshot) &&
    files.every(({ path }, index) => hashIfThere(path) === outputHashes[index])
  );
}

function hashIfThere(path: string): string {
  try {
    return hashText(readFileSync(path));
  } catch {
    return "";
  }
}

function watchReport(
  { root, problems, files = [], counts }: FinishedBuild,
  { format, tookMs }: Pick<CompileInput, "format"> & { tookMs: number },
): Report {
  const written = files.map((file) => ({ path: relativeTo(root, file.path), written: file.written }));
  const summary =
    counts === undefined
      ? `${describeProblems(problems)} (${tookMs} ms); nothing was written\n`
      : `built ${describeCounts(counts)} (${tookMs} ms)${describeFiles(written)}\n`;
  const fields = { command: "watch", ok: counts !== undefined, tookMs, ...counts, files: written };
  return { format, root, problems, summary, fields, failed: counts === undefined, oneLine: true };
}
