/** The forms of a report, in the order that `--help` lists them. */
export const REPORT_FORMATS = ["text", "json", "github", "sarif"] as const;

/** The name of one form of report. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];
