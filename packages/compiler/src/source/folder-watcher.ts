import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import type { CompileResult } from "../compile-options.js";
import { listSources } from "./list-sources.js";

/**
 * Watches the folders that a compile depends on, each by itself.
 *
 * Not by `fs.watch(root, { recursive: true })`, which on Linux walks into `node_modules` and opens a watch for each of
 * its thousands of folders, and knows nothing of sources outside of the root; nor by a library, since which folders
 * matter is known exactly after each compile.
 */
export class FolderWatcher {
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: bigint }>();
  readonly #onChange: () => void;

  /** @param onChange Called for each event, often several times for one change. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Watches what the last compile depended on, and nothing else.
   *
   * @param extraFolders Absolute paths of further folders.
   * @returns Whether a folder came in: what changed there before it was watched, nobody has told.
   */
  watch(
    dependencies: Pick<CompileResult, "directories" | "inputs" | "missing">,
    extraFolders: readonly string[],
  ): boolean {
    const wanted = new Set(extraFolders.map(nearestFolder));
    for (const path of [...dependencies.inputs, ...dependencies.missing]) wanted.add(nearestFolder(dirname(path)));
    for (const { path } of dependencies.directories) wanted.add(nearestFolder(path));
    for (const folder of listSources(dependencies.directories).folders) wanted.add(nearestFolder(folder));
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#unwatch(folder);
    let cameIn = false;
    for (const folder of wanted) cameIn = this.#watchFolder(folder) || cameIn;
    return cameIn;
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.#unwatch(folder);
  }

  #watchFolder(folder: string): boolean {
    const inode = statSync(folder, { bigint: true, throwIfNoEntry: false })?.ino;
    // A folder that was removed and made again has the old name and a watch that hears nothing.
    if (inode === undefined || this.#watchers.get(folder)?.inode === inode) return false;
    this.#unwatch(folder);
    try {
      const watcher = watch(folder, { persistent: true }, this.#onChange);
      watcher.on("error", () => {
        this.#unwatch(folder);
        this.#onChange();
      });
      this.#watchers.set(folder, { watcher, inode });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC" || (error as NodeJS.ErrnoException).code === "EMFILE") {
        throw Object.assign(new Error(`the system allows no more watches (at ${this.#watchers.size})`), {
          hint: "raise fs.inotify.max_user_watches, or narrow the tsconfig's include",
        });
      }
      return false;
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }
}

/** The folder itself, or the nearest one above that exists: what is missing appears there first. */
function nearestFolder(folder: string): string {
  let current = folder;
  while (statSync(current, { throwIfNoEntry: false })?.isDirectory() !== true && dirname(current) !== current) {
    current = dirname(current);
  }
  return current;
}
