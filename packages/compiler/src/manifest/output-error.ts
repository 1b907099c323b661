/** The generated files could not be written. Those on disk are as they were. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  /** `output-not-written`, or `output-not-valid` when the manifest that was built breaks its own schema. */
  readonly code: "output-not-written" | "output-not-valid";
  /** Absolute path. */
  readonly file: string;
  /** What can be done about it. */
  readonly hint: string;

  constructor(message: string, options: { code: OutputError["code"]; file: string; hint: string; cause?: unknown }) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = options.code;
    this.file = options.file;
    this.hint = options.hint;
  }
}
