import { statSync } from "node:fs";
import type { Command, ExitStatus } from "./command.js";
import { COMMANDS } from "./command-table.js";
import { nearestWord } from "./nearest-word.js";
import { packageVersion } from "./package-version.js";
import { readArguments } from "./read-arguments.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/**
 * Runs `callsign` and gives its exit status.
 *
 * @param words The command line behind the program's name.
 */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  try {
    return await dispatch(words, terminal);
  } catch (error) {
    // A reader of events gets one whatever happens.
    if (words[0] === "ask" && words.includes("--json")) {
      const { JsonEvents } = await import("./commands/agent-commands.js");
      new JsonEvents(terminal).fail(error);
      return 1;
    }
    const { describeFailure } = await import("./describe-failure.js");
    const { text, status } = describeFailure(error, { debug: words.includes("--debug") });
    terminal.error(text);
    return status;
  }
}

async function dispatch(words: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  const [first, second = ""] = words;
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    return help(first === "help" ? words.slice(1) : [], { terminal, isAsked: first !== undefined });
  }
  if (first === "--version" || first === "-v") {
    terminal.out(`${packageVersion()}\n`);
    return 0;
  }
  if (isGroup(first) && (second === "" || second === "--help" || second === "-h")) {
    return help([first], { terminal, isAsked: second !== "" });
  }
  const name = isGroup(first) ? `${first} ${second}` : first;
  const command = findCommand(name);
  const rest = words.slice(name.split(" ").length);
  const end = rest.indexOf("--");
  const given = end === -1 ? rest : rest.slice(0, end);
  if (given.includes("--help") || given.includes("-h")) return help([name], { terminal, isAsked: true });
  const input = readArguments(rest, { name, command });
  if (typeof input.options.cwd === "string") enter(input.options.cwd);
  const run = await command.load();
  return run(input, terminal);
}

/** Without a command there is nothing to do: the list is the answer, the exit status says that it was not asked for. */
async function help(
  about: readonly string[],
  { terminal, isAsked }: { readonly terminal: Terminal; readonly isAsked: boolean },
): Promise<ExitStatus> {
  const { formatCommandHelp, formatGroupHelp, formatHelp } = await import("./help.js");
  const name = about.join(" ");
  const text =
    name === ""
      ? formatHelp(COMMANDS)
      : isGroup(name)
        ? formatGroupHelp(name, COMMANDS)
        : formatCommandHelp(name, findCommand(name));
  (isAsked ? terminal.out : terminal.error)(text);
  return isAsked ? 0 : 2;
}

function isGroup(word: string): boolean {
  return Object.keys(COMMANDS).some((name) => name.startsWith(`${word} `));
}

function findCommand(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  if (name.startsWith("-")) {
    throw new UsageError(`callsign has no option ${name}`, "options stand behind a command; see `callsign --help`");
  }
  const names = Object.keys(COMMANDS);
  const [group = ""] = name.split(" ");
  const inGroup = names.filter((each) => each.startsWith(`${group} `));
  const candidates =
    inGroup.length > 0 ? inGroup : [...names, ...new Set(names.map((each) => each.split(" ")[0] ?? ""))];
  const nearest = nearestWord(name, candidates);
  const compilers = COMPILERS.has(name) ? "that is a command of callsignc, the compiler" : undefined;
  const hint =
    nearest !== undefined
      ? `did you mean \`callsign ${nearest}\`?`
      : (compilers ?? (inGroup.length > 0 ? `commands are ${inGroup.join(", ")}` : "`callsign --help` lists them"));
  throw new UsageError(`callsign has no command ${JSON.stringify(name)}`, hint);
}

/** Words that are looked for here and stand there. */
const COMPILERS: ReadonlySet<string> = new Set(["build", "check", "watch", "inspect", "show", "init"]);

/** Relative paths, those of the project's own code too, start from there. */
function enter(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--cwd ${folder} is not a folder`, "give the path of a folder that exists");
  }
  process.chdir(folder);
}
