import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SourceDirectory } from "../compile-options.js";
import { isGeneratedFile } from "../manifest/generated-files.js";

/** What a walk found. Both lists hold absolute paths. */
export interface SourceListing {
  /** Files that a glob of TypeScript could take, sorted; callsign's own output is left out. */
  readonly files: readonly string[];
  /** Every folder that was looked into. */
  readonly folders: readonly string[];
}

/**
 * Lists what globs could find, without evaluating them: a file more than they take costs a rebuild, one fewer would
 * leave a manifest stale.
 *
 * Left out is what TypeScript's wildcards never enter: `node_modules` and the like, and folders that begin with a dot
 * (an `include` that names one is a directory of its own in `directories`).
 */
export function listSources(directories: readonly SourceDirectory[]): SourceListing {
  const files = new Set<string>();
  const folders = new Set<string>();
  const seen = new Set<string>();
  const visit = (folder: string, recursive: boolean): void => {
    if (folders.has(folder)) return;
    folders.add(folder);
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      const kind = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry;
      if (kind === undefined) continue;
      if (kind.isDirectory()) {
        if (!recursive || NEVER_ENTERED.test(entry.name)) continue;
        // Links may run in a circle; a folder is entered once under its real name.
        if (entry.isSymbolicLink()) {
          const real = realpathSync(path);
          if (seen.has(real)) continue;
          seen.add(real);
        }
        visit(path, true);
      } else if (SOURCE_FILE.test(entry.name) && !isGeneratedFile(entry.name)) {
        files.add(path);
      }
    }
  };
  // Recursive ones first: a folder is visited once, and must not have been visited flatly before.
  for (const { path, recursive } of [...directories].sort((a, b) => Number(b.recursive) - Number(a.recursive))) {
    visit(path, recursive);
  }
  return { files: [...files].sort(), folders: [...folders] };
}

const SOURCE_FILE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const NEVER_ENTERED = /^(?:node_modules|bower_components|jspm_packages|\..*)$/;

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
