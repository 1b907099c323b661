import type { Problem } from "../errors/problem.js";
import { formatGithub } from "./github.js";
import { formatJson } from "./json.js";
import type { ReportFormat } from "./report-format.js";
import { formatSarif } from "./sarif.js";
import { formatText } from "./text.js";

/** How problems are printed. */
export interface FormatOptions {
  /** Default: `text`. */
  readonly format?: ReportFormat;
  /** ANSI colours in the text form. Default: false. */
  readonly color?: boolean;
  /** From the repository's root to the project's, with a trailing `/`: for the forms that count paths from the former. */
  readonly pathPrefix?: string;
  /** The compiler's version, for SARIF. */
  readonly version?: string;
}

/** Prints problems in one of the four forms, from their fields alone. */
export function formatProblems(problems: readonly Problem[], options: FormatOptions = {}): string {
  const format: (problems: readonly Problem[], options: FormatOptions) => string = FORMATTERS[options.format ?? "text"];
  return format(problems, options);
}

const FORMATTERS = {
  text: (problems, { color = false }) => formatText(problems, { color }),
  json: (problems) => formatJson(problems),
  github: formatGithub,
  sarif: formatSarif,
} satisfies Record<ReportFormat, (problems: readonly Problem[], options: FormatOptions) => string>;

export { formatJson, formatText };
