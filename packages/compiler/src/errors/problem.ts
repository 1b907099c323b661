/** A place in a source file. */
export interface Location {
  /** Relative to the project root, with `/`. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** In UTF-16 code units, at least 1; clipped to the end of the line. */
  readonly length: number;
}

/** One thing that the compiler has to say about the source. Every form of report is printed from these fields. */
export interface Problem {
  readonly severity: "error" | "warning";
  /** Stable, kebab-case; see docs/errors.md. */
  readonly code: string;
  /** What is wrong and why, without a final period. */
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
  /** Absent only for problems of a configuration file or of the project as a whole. */
  readonly location?: Location;
  /** The tool, schema or workflow that the problem belongs to. */
  readonly toolName?: string;
  /** The path of the type inside the signature, as in `search(filter.where.callback)` or `weather() → days[]`. */
  readonly typePath?: string;
  /** Further places, such as the declaration of a type used at `location`. */
  readonly notes?: readonly { readonly message: string; readonly location: Location }[];
  /** The source around `location`: two lines before, the line, one after, with the line number of the first; see `codeFrame`. */
  readonly frame?: { readonly firstLine: number; readonly lines: readonly string[] };
}
