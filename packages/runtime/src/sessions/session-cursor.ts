import { SessionError } from "../errors/session-error.js";

/** The last session of a page: the next page begins after it, whatever was saved or deleted meanwhile. */
export interface SessionPosition {
  readonly updatedMs: number;
  readonly id: string;
}

export interface ListOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

export function writeCursor({ updatedMs, id }: SessionPosition): string {
  return Buffer.from(JSON.stringify([updatedMs, id])).toString("base64url");
}

/** @throws {SessionError} code `session-cursor`. */
export function readListOptions({ limit = 50, cursor }: ListOptions): { limit: number; after?: SessionPosition } {
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new SessionError(`a page holds 1 to 1000 sessions, not ${String(limit)}`, { code: "session-cursor" });
  }
  if (cursor === undefined) return { limit };
  try {
    const [updatedMs, id] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [unknown, unknown];
    if (typeof updatedMs === "number" && typeof id === "string") return { limit, after: { updatedMs, id } };
  } catch {
    // Said below.
  }
  throw new SessionError("the cursor is none that list() gave; begin without one", { code: "session-cursor" });
}
