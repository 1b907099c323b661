import type { Terminal } from "./terminal.js";

/** One option of a command. Without `value` it is a switch. */
export interface CommandOption {
  /** How the value is called in `--help`. */
  readonly value?: string;
  readonly multiple?: boolean;
  /** The values that are taken, when not every one is. */
  readonly choices?: readonly string[];
  readonly text: string;
}

/** One argument by position. */
export interface CommandArgument {
  readonly name: string;
  readonly required?: boolean;
  /** Takes all that follow; only the last may. */
  readonly multiple?: boolean;
}

/** The values of the command line, checked against the command's own lists. */
export interface CommandInput {
  readonly arguments: readonly string[];
  readonly options: CommandOptions;
}

export type CommandOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Done, failed, not to be carried out as written, waits for a person, interrupted. */
export type ExitStatus = 0 | 1 | 2 | 3 | 130 | 143;

export type RunCommand = (input: CommandInput, terminal: Terminal) => Promise<ExitStatus>;

/** One row of the table of commands. */
export interface Command {
  /** One sentence. */
  readonly summary: string;
  readonly arguments: readonly CommandArgument[];
  readonly options: Readonly<Record<string, CommandOption>>;
  /** Further lines of `--help`. */
  readonly details?: readonly string[];
  load(): Promise<RunCommand>;
}

/** The text of an option that has a value. */
export function textOption(options: CommandOptions, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The texts of an option that may be given repeatedly. */
export function textOptions(options: CommandOptions, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}
