import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { nearestWord } from "../nearest-word.js";
import { packageVersion } from "../package-version.js";
import { checkNode } from "./check-node.js";
import type { Command } from "./command.js";
import { COMMANDS } from "./command-table.js";
import { readArguments } from "./read-arguments.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/**
 * Runs `callsignc` and gives its exit status.
 *
 * @param words The command line behind the program's name.
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  try {
    return await dispatch(words, terminal);
  } catch (error) {
    terminal.error(describeFailure(error));
    return 2;
  }
}

async function dispatch(words: readonly string[], terminal: Terminal): Promise<0 | 1 | 2> {
  const [first, ...rest] = words;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    const { formatCommandHelp, formatHelp } = await import("./other-commands.js");
    const about = first === "help" ? rest[0] : undefined;
    if (about !== undefined) {
      terminal.out(formatCommandHelp(about, findCommand(about)));
      return 0;
    }
    // Without a command there is nothing to do: the list is the answer, the exit status says it was not asked for.
    (first === undefined ? terminal.error : terminal.out)(formatHelp(COMMANDS));
    return first === undefined ? 2 : 0;
  }
  if (first === "--version" || first === "-v") {
    terminal.out(`${packageVersion()}\n`);
    return 0;
  }
  const command = findCommand(first);
  if (rest.includes("--help") || rest.includes("-h")) {
    terminal.out((await import("./other-commands.js")).formatCommandHelp(first, command));
    return 0;
  }
  checkNode(process.versions.node);
  const input = readArguments(rest, { name: first, command });
  const run = await command.load();
  const cwd = startFolder(input.options.cwd, terminal);
  return run(input, { out: terminal.out, error: terminal.error, color: terminal.color, cwd });
}

function findCommand(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  if (name.startsWith("-")) {
    throw new UsageError(`callsignc has no option ${name}`, "options stand behind a command; see `callsignc --help`");
  }
  const names = Object.keys(COMMANDS);
  const suggestion = nearestWord(name, names);
  const hint =
    suggestion === undefined ? `commands are ${names.join(", ")}` : `did you mean \`callsignc ${suggestion}\`?`;
  throw new UsageError(`callsignc has no command ${JSON.stringify(name)}`, hint);
}

function startFolder(given: CommandOption, terminal: Terminal): string {
  if (typeof given !== "string") return terminal.cwd;
  const folder = isAbsolute(given) ? resolve(given) : resolve(terminal.cwd, given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--cwd ${given} is not a folder`, "give the path of a folder that exists");
  }
  enterIfLost(folder);
  return folder;
}

/** TypeScript asks for the current folder, also where nothing depends on it. */
function enterIfLost(folder: string): void {
  try {
    process.cwd();
  } catch {
    process.chdir(folder);
  }
}

type CommandOption = string | boolean | readonly string[] | undefined;

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return `callsignc: ${String(error)}\n`;
  if ("hint" in error && typeof error.hint === "string") return `callsignc: ${error.message}\n  hint  ${error.hint}\n`;
  // Whatever else arrives here is a fault of callsign: the stack is what its authors need.
  return `callsignc: a fault of callsign itself, not of your code\n${error.stack ?? error.message}\n`;
}
