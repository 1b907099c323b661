import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** A file is there and cannot be read. To take it for missing would be to lose, or write over, what it says. */
export class UnreadableFileError extends Error {
  override readonly name = "UnreadableFileError";
  readonly code = "file-unreadable";
  /** What can be done about it. */
  readonly hint = "make it readable, or move it away";
  /** Why, in a word. */
  readonly reason: string;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    const reason =
      cause.code === "EACCES" ? "permission denied" : cause.code === "EISDIR" ? "it is a folder" : cause.code;
    super(`${basename(path)} cannot be read: ${reason}`, { cause });
    this.reason = reason ?? "unknown";
  }
}

/**
 * The text of a file, or undefined when there is none.
 *
 * @throws {UnreadableFileError}
 */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UnreadableFileError(path, error as NodeJS.ErrnoException);
  }
}
