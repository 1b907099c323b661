import { CallsignError } from "../errors/callsign-error.js";

/**
 * What went wrong, in one word. Callers test `code`, never the class.
 *
 * - `bad-request` 400: the request itself; trying again does not help
 * - `context-too-long` 400: the conversation does not fit the model
 * - `tool-call-refused` the server could not read the model's own call (Groq's `tool_use_failed`)
 * - `authentication`, `permission`, `not-found`, `too-large`, `billing` what they say
 * - `rate-limit` 429; `quota` 429 that no waiting ends; `overloaded` 503 and 529; `server` any other 5xx
 * - `connection` no answer; `timeout` the time asked for has passed; `aborted` the caller's signal
 * - `cut` the stream ended before its terminal event
 * - `malformed-reply` an answer that is not what the API promises
 * - `content-filter` the request was refused by a filter
 * - `sdk-missing` the provider's SDK is not installed
 */
export type ProviderErrorCode =
  | "bad-request"
  | "context-too-long"
  | "tool-call-refused"
  | "authentication"
  | "permission"
  | "not-found"
  | "too-large"
  | "billing"
  | "rate-limit"
  | "quota"
  | "overloaded"
  | "server"
  | "connection"
  | "timeout"
  | "aborted"
  | "cut"
  | "malformed-reply"
  | "content-filter"
  | "sdk-missing";

/** A model request that failed. */
export class ProviderError extends CallsignError {
  override readonly name = "ProviderError";
  declare readonly code: ProviderErrorCode;
  readonly provider: string;
  readonly model: string | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** HTTP status; undefined for what has none (no connection, a cut stream, an error event in a stream without one). */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Whether part of the reply was shown before it failed: asking again would show it twice. */
  partial = false;
  /** The error's body as received, for what these fields leave out. */
  readonly body: string | undefined;

  constructor(
    message: string,
    details: {
      readonly code: ProviderErrorCode;
      readonly provider: string;
      readonly model?: string | undefined;
      readonly retryable: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly status?: number | undefined;
      readonly requestId?: string | undefined;
      readonly body?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, details.cause === undefined ? { code: details.code } : { code: details.code, cause: details.cause });
    this.provider = details.provider;
    this.model = details.model;
    this.retryable = details.retryable;
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
    this.requestId = details.requestId;
    this.body = details.body;
  }
}
