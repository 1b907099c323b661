import type { Problem } from "../errors/problem.js";

/**
 * GitHub workflow commands: each problem becomes an annotation of the pull request.
 *
 * @param options.pathPrefix From the repository's root to the project's, with a trailing `/`; GitHub counts paths from the former.
 */
export function formatGithub(problems: readonly Problem[], options: { readonly pathPrefix?: string } = {}): string {
  return problems.map((problem) => formatCommand(problem, options.pathPrefix ?? "")).join("");
}

function formatCommand({ severity, code, message, hint, typePath, location }: Problem, pathPrefix: string): string {
  const properties: Record<string, string | number> =
    location === undefined
      ? {}
      : {
          file: pathPrefix + location.file,
          line: location.line,
          endLine: location.line,
          col: location.column,
          endColumn: location.column + location.length,
        };
  const listed = Object.entries({ ...properties, title: `callsignc ${code}` })
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(",");
  const text = [message, typePath === undefined ? undefined : `in ${typePath}`, `hint: ${hint}`];
  return `::${severity} ${listed}::${escapeData(text.filter((line) => line !== undefined).join("\n"))}\n`;
}

// The two sets of escapes are those of GitHub's own toolkit (@actions/core, command.ts).
function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
