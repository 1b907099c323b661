import { CallsignError } from "./callsign-error.js";

/** One thing that is wrong with a manifest. */
export interface ManifestIssue {
  /** Stable, kebab-case. */
  readonly code: string;
  /** What is wrong and what to do instead, without a final period. */
  readonly message: string;
  /** JSON Pointer of the offending value in the manifest; empty for the manifest as a whole. */
  readonly pointer: string;
}

/** A manifest cannot be used, or what is bound to it does not fit it. */
export class ManifestError extends CallsignError {
  override readonly name = "ManifestError";
  /** Where the manifest was read from, or the source file of the tool in question; absent when not known. */
  readonly file: string | undefined;
  /** The first issue's JSON Pointer. */
  readonly pointer: string | undefined;
  /** All issues that were found, in the order of the manifest. */
  readonly issues: readonly ManifestIssue[];

  constructor(
    issues: readonly ManifestIssue[],
    options: { readonly file?: string | undefined; readonly cause?: unknown } = {},
  ) {
    const place = options.file === undefined ? "" : `${options.file}: `;
    super(
      `${place}${issues.map(({ message, pointer }) => (pointer ? `${pointer}: ${message}` : message)).join("\n")}`,
      {
        code: issues[0]?.code ?? "manifest",
        ...("cause" in options ? { cause: options.cause } : {}),
      },
    );
    this.file = options.file;
    this.pointer = issues[0]?.pointer;
    this.issues = issues;
  }
}
