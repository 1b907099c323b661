/** What every error of the runtime has: a stable `code` to test (`instanceof` fails across two installed copies). */
export class CallsignError extends Error {
  override readonly name: string = "CallsignError";
  /** Stable, kebab-case. */
  readonly code: string;

  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = options.code;
  }
}
