/** The command line cannot be carried out as it was written; exit status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** What to type instead. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
