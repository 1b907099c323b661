import type { CompileResult } from "../compile-options.js";
import type { Problem } from "../errors/problem.js";
import type { WrittenFile } from "../manifest/write-atomically.js";
import type { Snapshot } from "../source/snapshot.js";
import type { BuildCounts } from "../source/up-to-date.js";

/** A build that came to an end, with or without errors in the source. */
export interface FinishedBuild {
  readonly failure?: never;
  readonly root: string;
  readonly problems: readonly Problem[];
  /** Undefined when something changed under the compile. */
  readonly snapshot: Snapshot | undefined;
  readonly watched: Pick<CompileResult, "directories" | "inputs" | "missing">;
  /** Absent when there were errors. */
  readonly files?: readonly WrittenFile[];
  readonly counts?: BuildCounts;
}

/** A build that could not be carried out. With a hint it may be next time; else it is a fault of callsign. */
export interface FailedBuild {
  readonly failure: { readonly message: string; readonly hint?: string };
}

/** What the compiling thread answers to the watching one. */
export type WatchBuild = FinishedBuild | FailedBuild;
