import type { Location, Problem } from "../errors/problem.js";

/**
 * SARIF 2.1.0, as code scanning takes it.
 *
 * @param options.pathPrefix From the repository's root to the project's, with a trailing `/`.
 * @param options.version The compiler's.
 */
export function formatSarif(
  problems: readonly Problem[],
  options: { readonly pathPrefix?: string; readonly version?: string } = {},
): string {
  const codes = [...new Set(problems.map((problem) => problem.code))].sort();
  const prefix = options.pathPrefix ?? "";
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "callsignc",
            ...(options.version === undefined ? {} : { version: options.version }),
            rules: codes.map((id) => ({ id })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: problems.map((problem) => toResult(problem, codes.indexOf(problem.code), prefix)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function toResult(problem: Problem, ruleIndex: number, prefix: string) {
  const { code, severity, message, hint, typePath, toolName, location, notes } = problem;
  const logicalLocations =
    typePath === undefined && toolName === undefined
      ? {}
      : { logicalLocations: [{ fullyQualifiedName: typePath ?? toolName }] };
  const physicalLocation = location === undefined ? {} : { physicalLocation: toPhysicalLocation(location, prefix) };
  const place = { ...physicalLocation, ...logicalLocations };
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: `${message}. ${hint}` },
    locations: Object.keys(place).length === 0 ? [] : [place],
    ...(notes === undefined || notes.length === 0
      ? {}
      : {
          relatedLocations: notes.map((note, index) => ({
            id: index,
            physicalLocation: toPhysicalLocation(note.location, prefix),
            message: { text: note.message },
          })),
        }),
  };
}

function toPhysicalLocation({ file, line, column, length }: Location, prefix: string) {
  const uri = (prefix + file).split("/").map(encodeURIComponent).join("/");
  return {
    artifactLocation: { uri, uriBaseId: "%SRCROOT%" },
    region: { startLine: line, startColumn: column, endLine: line, endColumn: column + length },
  };
}
