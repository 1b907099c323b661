import type { Refusal } from "../calls/refusal.js";
import { CallsignError } from "./callsign-error.js";

/** A value does not fit its schema: the arguments of a call, or what is read by a `Schema`. */
export class ArgumentsError extends CallsignError {
  override readonly name = "ArgumentsError";
  /** Each place that does not fit. Empty when the text was no JSON at all. */
  readonly refusals: readonly Refusal[];

  constructor(
    message: string,
    options: { readonly code: string; readonly refusals: readonly Refusal[]; readonly cause?: unknown },
  ) {
    super(message, options);
    this.refusals = options.refusals;
  }
}
