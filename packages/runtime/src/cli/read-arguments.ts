import { parseArgs } from "node:util";
import type { Command, CommandInput } from "./command.js";
import { nearestWord } from "./nearest-word.js";
import { UsageError } from "./usage-error.js";

/**
 * Reads what stands behind the name of a command.
 *
 * @throws {UsageError} on the first thing that does not fit the command's lists.
 */
export function readArguments(
  words: readonly string[],
  { name, command }: { readonly name: string; readonly command: Command },
): CommandInput {
  const help = `see \`callsign ${name} --help\``;
  // Not strict: what is wrong is said here, with the way out.
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(command.options).map(([option, { value }]) => [
        option,
        { type: value === undefined ? ("boolean" as const) : ("string" as const) },
      ]),
    ),
  });
  const values: Record<string, string | boolean | string[]> = {};
  const positions: string[] = [];
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      positions.push(token.value);
      continue;
    }
    if (token.rawName === "--help") throw new UsageError("--help takes no value", help);
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
    if (option === undefined || !token.rawName.startsWith("--")) throw unknownOption(token.rawName, { name, command });
    const { rawName, value, inlineValue } = token;
    if (option.value === undefined) {
      if (value !== undefined) {
        throw new UsageError(`${rawName} takes no value, and was given ${JSON.stringify(value)}`, help);
      }
      values[token.name] = true;
      continue;
    }
    // `--store --json` is a forgotten value; a value that begins with a dash is written with `=`.
    if (value === undefined || value === "" || (inlineValue !== true && value.startsWith("-") && value !== "-")) {
      throw new UsageError(`${rawName} needs a value: ${option.value}`, help);
    }
    if (option.choices !== undefined && !option.choices.includes(value)) {
      const nearest = nearestWord(value, option.choices);
      const hint = `${nearest === undefined ? "" : `did you mean ${nearest}? `}allowed are ${option.choices.join(", ")}`;
      throw new UsageError(`${rawName} does not take ${JSON.stringify(value)}`, hint);
    }
    const before = values[token.name];
    if (option.multiple === true) values[token.name] = [...(Array.isArray(before) ? before : []), value];
    else if (before === undefined || before === value) values[token.name] = value;
    else {
      const both = `${JSON.stringify(before)} and ${JSON.stringify(value)}`;
      throw new UsageError(`${rawName} was given twice, as ${both}`, help);
    }
  }
  checkPositions(positions, { name, command, help });
  return { arguments: positions, options: values };
}

function checkPositions(
  positions: readonly string[],
  { name, command, help }: { readonly name: string; readonly command: Command; readonly help: string },
): void {
  const lacking = command.arguments.filter(({ required }) => required === true)[positions.length];
  if (lacking !== undefined) throw new UsageError(`callsign ${name} needs ${lacking.name}`, help);
  if (command.arguments.at(-1)?.multiple === true) return;
  const extra = positions[command.arguments.length];
  if (extra === undefined) return;
  const hint = positions.length > 1 ? `put quotes around an argument that has spaces; ${help}` : help;
  throw new UsageError(`callsign ${name} does not take the argument ${JSON.stringify(extra)}`, hint);
}

function unknownOption(
  rawName: string,
  { name, command }: { readonly name: string; readonly command: Command },
): UsageError {
  const nearest = nearestWord(rawName.replace(/^-+/, ""), [...Object.keys(command.options), "help"]);
  const hint = nearest === undefined ? `see \`callsign ${name} --help\`` : `did you mean --${nearest}?`;
  return new UsageError(`callsign ${name} has no option ${rawName}`, hint);
}
