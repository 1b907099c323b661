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
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** Carries a command out. Gives the exit status: 0 right, 1 errors in the source or stale output, 2 wrong use. */
export type RunCommand = (input: CommandInput, terminal: Terminal) => Promise<0 | 1 | 2>;

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
