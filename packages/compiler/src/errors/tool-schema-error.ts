import type { Problem } from "./problem.js";

/** Thrown when a source cannot be compiled. Holds every problem of the build, sorted by file and line. */
export class ToolSchemaError extends Error {
  override readonly name = "ToolSchemaError";
  /** The code of the first error. */
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const errors = problems.filter((problem) => problem.severity === "error");
    super(errors.map(oneLine).join("\n"));
    this.code = errors[0]?.code ?? "tool-schema-error";
    this.problems = problems;
  }
}

function oneLine({ location, code, message, typePath, hint }: Problem): string {
  const place = location === undefined ? "" : `${location.file}:${location.line}:${location.column} - `;
  return `${place}error ${code}: ${message}${typePath === undefined ? "" : ` (in ${typePath})`}. ${hint}`;
}
