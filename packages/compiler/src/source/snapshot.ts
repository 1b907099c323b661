import { readFileSync, statSync } from "node:fs";
import type { CompileResult, SourceDirectory } from "../compile-options.js";
import { isGeneratedFile } from "../manifest/generated-files.js";
import { hashContent } from "./hash-content.js";
import { listSources } from "./list-sources.js";

/** Everything outside of callsign that the outcome of a compile depended on. A JSON value. */
export interface Snapshot {
  /** Absolute path and hash of the content. */
  readonly inputs: readonly (readonly [path: string, contentHash: string])[];
  readonly missing: readonly string[];
  readonly directories: readonly SourceDirectory[];
  /** Of the sorted paths of all files that the globs could find. */
  readonly listingHash: string;
}

/**
 * The kernel stamps files by a coarse clock that may lie behind `Date.now()` by a tick.
 * Linux ticks 100 to 1000 times a second.
 */
const CLOCK_LAG_MS = 20;

/**
 * Notes what a compile depended on. Call it before anything is written.
 *
 * @param startedAtMs When the compile began. A file that changed since may have been read before or after its change,
 *   so nothing can be said about it.
 * @returns Undefined when something changed under the compile; the next build must then look again.
 */
export function takeSnapshot(
  result: Pick<CompileResult, "inputs" | "missing" | "directories">,
  options: { readonly startedAtMs: number },
): Snapshot | undefined {
  const changedSince = (path: string): boolean => {
    // The change time, not the modification time: the latter can be set, and survives a rename.
    const changedAtMs = statSync(path, { throwIfNoEntry: false })?.ctimeMs;
    return changedAtMs === undefined || changedAtMs > options.startedAtMs - CLOCK_LAG_MS;
  };
  const paths = [...new Set(result.inputs)].filter((path) => !isGeneratedFile(path)).sort();
  const missing = [...new Set(result.missing)].filter((path) => !isGeneratedFile(path)).sort();
  const inputs = paths.map((path) => [path, hashFile(path)] as const);
  const listing = listSources(result.directories);
  const unsettled =
    paths.some(changedSince) ||
    listing.folders.some((folder) => isThere(folder) && changedSince(folder)) ||
    missing.some(isThere) ||
    inputs.some(([, contentHash]) => contentHash === undefined);
  if (unsettled) return undefined;
  return {
    inputs: inputs as Snapshot["inputs"],
    missing,
    directories: result.directories,
    listingHash: hashListing(listing.files),
  };
}

/** Whether a compile would see now what it saw when the snapshot was taken. The content decides, never a time stamp. */
export function isUnchanged(snapshot: Snapshot): boolean {
  return (
    snapshot.inputs.every(([path, contentHash]) => hashFile(path) === contentHash) &&
    !snapshot.missing.some(isThere) &&
    hashListing(listSources(snapshot.directories).files) === snapshot.listingHash
  );
}

/** The hash of a text, as snapshots and records hold it. */
export function hashText(text: string | Buffer): string {
  return hashContent(text);
}

function hashFile(path: string): string | undefined {
  try {
    return hashText(readFileSync(path));
  } catch {
    return undefined;
  }
}

function hashListing(files: readonly string[]): string {
  return hashText(files.join("\n"));
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
