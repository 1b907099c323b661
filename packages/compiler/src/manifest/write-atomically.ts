import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { hashContent } from "../source/hash-content.js";
import { GENERATED_FILES, isGeneratedFile } from "./generated-files.js";
import { OutputError } from "./output-error.js";

/** A file to be written: absolute path and whole text. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

/** What became of one file. */
export interface WrittenFile {
  readonly path: string;
  /** False: the bytes on disk were already these, and the file was left alone. */
  readonly written: boolean;
}

/**
 * Writes files so that each is at any moment either the old one or the new one, whole.
 *
 * All are first written beside their places and flushed to the disk, then all are renamed: a full disk or a folder
 * without permission is met before the first file changes. A file whose bytes are already right is not touched.
 *
 * @throws {OutputError} code `output-not-written`; every file on disk is then as before.
 */
export function writeAtomically(files: readonly OutputFile[]): WrittenFile[] {
  const changed = files.filter((file) => !hasBytes(file));
  const staged: StagedFile[] = [];
  try {
    for (const file of changed) {
      const entry = placeBeside(file.path);
      staged.push(entry);
      withReason(file.path, () => writeFlushed(entry, file.text));
    }
    for (const entry of staged) withReason(entry.path, () => renameSync(entry.temporary, entry.path));
  } catch (cause) {
    for (const entry of staged) removeIfPossible(entry.temporary);
    throw cause;
  }
  return files.map((file) => ({ path: file.path, written: changed.includes(file) }));
}

/**
 * Removes what builds that were killed left beside the generated files.
 *
 * @param options.own Also what this process itself left, for the moment after its own build was stopped.
 */
export function removeLeftovers(folder: string, options: { readonly own?: boolean } = {}): void {
  for (const name of listIfThere(folder)) {
    const match = TEMPORARY_NAME.exec(name);
    if (match === null) continue;
    const path = join(folder, name);
    const [, host, processId] = match;
    if (isAbandoned(path, { host: host!, processId: Number(processId), own: options.own === true })) {
      removeIfPossible(path);
    }
  }
}

interface StagedFile {
  readonly temporary: string;
  readonly path: string;
}

// The host is part of the name because a process id says nothing about a build in another container on the same folder.
const HOST = hashContent(hostname()).slice(0, 8);

const TEMPORARY_NAME = new RegExp(
  `^\\.(?:${GENERATED_FILES.map((name) => name.replaceAll(".", "\\.")).join("|")})\\.([0-9a-f]{8})-(\\d+)-[0-9a-f]{8}\\.tmp$`,
);

const ABANDONED_AFTER_MS = 60 * 60 * 1000;

function placeBeside(path: string): StagedFile {
  // Through a link to the file behind it: a rename onto the link itself would replace it by a plain file.
  const target = realpathIfThere(path);
  // Nothing hangs on its being hard to guess, and loading `node:crypto` takes longer than the writing.
  const random = Math.floor(Math.random() * 2 ** 32);
  const name = `.${basename(path)}.${HOST}-${process.pid}-${random.toString(16).padStart(8, "0")}.tmp`;
  return { temporary: join(dirname(target), name), path: target };
}

function writeFlushed({ temporary, path }: StagedFile, text: string): void {
  mkdirSync(dirname(temporary), { recursive: true });
  const before = statSync(path, { throwIfNoEntry: false });
  // Found out before any file is renamed; the rename itself would fail after others went through.
  if (before?.isDirectory() === true) throw Object.assign(new Error(`${path} is a folder`), { code: "EISDIR" });
  const descriptor = openSync(temporary, "wx");
  try {
    writeFileSync(descriptor, text);
    if (before !== undefined) fchmodSync(descriptor, before.mode & 0o777);
    // Without it a power failure after the rename could leave an empty file under the final name.
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isAbandoned(path: string, writer: { host: string; processId: number; own: boolean }): boolean {
  if (writer.host === HOST) return writer.processId === process.pid ? writer.own : !isRunning(writer.processId);
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return modified !== undefined && Date.now() - modified > ABANDONED_AFTER_MS;
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A folder that may not be written to keeps its left-overs; whether that matters, the build itself says. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // As said above.
  }
}

/** Says why a file cannot be written, and what to do. @throws {OutputError} code `output-not-written`. */
export function withReason(path: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    const [reason, hint, isAboutPlace] = REASONS[code] ?? [
      `the system answered ${code}`,
      "see the cause of this error",
    ];
    const elsewhere =
      isAboutPlace && isGeneratedFile(path) ? ", or choose another folder with `outDir` (`--out-dir`)" : "";
    throw new OutputError(`${basename(path)} cannot be written: ${reason} (${code}); the file on disk is unchanged`, {
      code: "output-not-written",
      file: path,
      hint: `${hint}${elsewhere}`,
      cause,
    });
  }
}

const REASONS: Readonly<Record<string, readonly [reason: string, hint: string, isAboutPlace?: true]>> = {
  ENOSPC: ["the disk is full", "free some space and build again"],
  EDQUOT: ["the disk quota is used up", "free some space and build again"],
  EFBIG: ["the file would be larger than the limit of this process", "raise the limit (`ulimit -f`) and build again"],
  EACCES: ["permission denied", "make its folder writable", true],
  EPERM: ["not permitted", "make its folder writable", true],
  EROFS: ["the file system is read-only", "make it writable", true],
  ENOTDIR: ["a part of its path is a file", "move that file away", true],
  EEXIST: ["a part of its path is a file", "move that file away", true],
  EISDIR: ["a folder of that name stands in its place", "move that folder away"],
};

function hasBytes({ path, text }: OutputFile): boolean {
  try {
    return readFileSync(path).equals(Buffer.from(text));
  } catch {
    // Missing or unreadable: the write that follows finds out why, if there is a reason.
    return false;
  }
}

function realpathIfThere(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function listIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
