import type { Command, CommandArgument } from "./command.js";

/** The text of `callsignc --help`. */
export function formatHelp(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  return [
    "Compiles plain TypeScript functions into tools for language models.",
    "",
    "Usage: callsignc COMMAND [OPTIONS]",
    "",
    ...table(rows),
    "",
    ...table([
      ["--help", "Show this, or with a command what it takes."],
      ["--version", "Print the version."],
    ]),
    "",
    "Settings may also stand in callsign.config.json, or under the key callsign of package.json.",
    "Exit status: 0 right, 1 errors in the source or stale output, 2 wrong use.",
    "",
  ].join("\n");
}

/** The text of `callsignc NAME --help`. */
export function formatCommandHelp(name: string, command: Command): string {
  const rows = Object.entries(command.options).map(
    ([option, { value, text }]) => [`--${option}${value === undefined ? "" : ` ${value}`}`, text] as const,
  );
  return [
    command.summary,
    "",
    `Usage: ${usage(name, command)}`,
    "",
    ...table([...rows, ["--help", "Show this."]]),
    ...(command.details === undefined ? [] : ["", ...command.details]),
    "",
  ].join("\n");
}

/** The synopsis of a command, as in `callsignc inspect FILE [EXPORT…] [OPTIONS]`. */
export function usage(name: string, command: Command): string {
  return ["callsignc", name, ...command.arguments.map(argumentUsage), "[OPTIONS]"].join(" ");
}

function argumentUsage({ name, required, multiple }: CommandArgument): string {
  const text = `${name}${multiple === true ? "…" : ""}`;
  return required === true ? text : `[${text}]`;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
}
