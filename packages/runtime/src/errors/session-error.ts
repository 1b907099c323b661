import { CallsignError } from "./callsign-error.js";

/**
 * - `session-id` an id that no store can keep
 * - `session-not-json` what is to be saved is no history, or has no JSON form
 * - `session-changed` another turn was saved since the session was loaded
 * - `session-busy` another turn of the session did not end in the time given
 * - `session-corrupt` what was stored cannot be read back
 * - `session-cursor` a cursor that `list` did not give
 * - `store-locked`, `store-closed`, `store-unusable` the database is locked for too long, closed, or none
 * - `store-version` the database was written by a later release
 * - `sqlite-missing` this Node.js has no `node:sqlite`
 */
export type SessionErrorCode =
  | "session-id"
  | "session-not-json"
  | "session-changed"
  | "session-busy"
  | "session-corrupt"
  | "session-cursor"
  | "store-locked"
  | "store-closed"
  | "store-unusable"
  | "store-version"
  | "sqlite-missing";

/** A session cannot be loaded, saved or used now. */
export class SessionError extends CallsignError {
  override readonly name = "SessionError";
  declare readonly code: SessionErrorCode;
  readonly sessionId: string | undefined;
  /** Whether the same may succeed later. */
  readonly retryable: boolean;

  constructor(
    message: string,
    options: {
      readonly code: SessionErrorCode;
      readonly sessionId?: string | undefined;
      readonly retryable?: boolean;
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? { code: options.code } : { code: options.code, cause: options.cause });
    this.sessionId = options.sessionId;
    this.retryable = options.retryable ?? false;
  }
}
