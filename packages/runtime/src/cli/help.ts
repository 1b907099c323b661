import type { Command, CommandArgument } from "./command.js";

type Commands = Readonly<Record<string, Command>>;

/** The exit statuses, as `--help` and the docs say them. */
const STATUSES = [
  "Exit status: 0 done, 1 failed, 2 cannot be carried out as written, 3 the run waits for a person,",
  "130 or 143 interrupted (Ctrl-C, SIGTERM).",
];

/** The text of `callsign --help`. */
export function formatHelp(commands: Commands): string {
  return [
    "Runs agents and workflows from the command line.",
    "",
    "Usage: callsign COMMAND [OPTIONS]",
    "",
    ...table(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    "",
    ...table([
      ["--help", "Show this, or with a command what it takes."],
      ["--version", "Print the version."],
      ["--debug", "With a command: show the stack of what failed."],
    ]),
    "",
    ...STATUSES,
    "",
  ].join("\n");
}

/** The text of `callsign GROUP`, which is no command alone. */
export function formatGroupHelp(group: string, commands: Commands): string {
  const rows = Object.entries(commands).filter(([name]) => name.startsWith(`${group} `));
  return [
    `Usage: callsign ${group} COMMAND [OPTIONS]`,
    "",
    ...table(rows.map(([name, { summary }]) => [name, summary])),
    "",
  ].join("\n");
}

/** The text of `callsign NAME --help`. */
export function formatCommandHelp(name: string, command: Command): string {
  const rows = Object.entries(command.options).map(
    ([option, { value, text }]) => [`--${option}${value === undefined ? "" : ` ${value}`}`, text] as const,
  );
  const words = ["callsign", name, ...command.arguments.map(argumentUsage), "[OPTIONS]"];
  return [
    command.summary,
    "",
    `Usage: ${words.join(" ")}`,
    "",
    ...table([...rows, ["--help", "Show this."]]),
    ...(command.details === undefined ? [] : ["", ...command.details]),
    "",
  ].join("\n");
}

function argumentUsage({ name, required, multiple }: CommandArgument): string {
  const text = `${name}${multiple === true ? "…" : ""}`;
  return required === true ? text : `[${text}]`;
}

/** Rows of two columns. */
export function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd());
}
