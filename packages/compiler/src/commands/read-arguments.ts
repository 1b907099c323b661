import { nearestWord } from "../nearest-word.js";
import type { Command, CommandInput } from "./command.js";
import { UsageError } from "./usage-error.js";

/**
 * Reads what stands behind the name of a command.
 *
 * @throws {UsageError} on the first thing that does not fit the command's lists.
 */
export function readArguments(
  words: readonly string[],
  { name, command }: { name: string; command: Command },
): CommandInput {
  const help = `see \`callsignc ${name} --help\``;
  const values: Record<string, string | boolean | string[]> = {};
  const positions: string[] = [];
  // Not by `parseArgs`: loading `node:util` costs as much as all else of a build with nothing to do.
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--") {
      positions.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      positions.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const rawName = equals === -1 ? word : word.slice(0, equals);
    const optionName = rawName.replace(/^--/, "");
    const option = Object.hasOwn(command.options, optionName) ? command.options[optionName] : undefined;
    if (option === undefined) throw unknownOption(rawName, { name, command });
    const inline = equals === -1 ? undefined : word.slice(equals + 1);
    // `--project --strict` is a forgotten value; a value that begins with a dash is written with `=`.
    const next = words[at + 1]?.startsWith("-") === true ? undefined : words[at + 1];
    const value = inline ?? (option.value === undefined ? undefined : next);
    if (inline === undefined && value !== undefined) at++;
    values[optionName] = readValue({ rawName, value }, { before: values[optionName], help, ...option });
  }
  const required = command.arguments.filter((argument) => argument.required === true);
  const lacking = required[positions.length];
  if (lacking !== undefined) throw new UsageError(`callsignc ${name} needs ${lacking.name}`, help);
  const takesMore = command.arguments.at(-1)?.multiple === true;
  if (!takesMore && positions.length > command.arguments.length) {
    const extra = positions[command.arguments.length]!;
    throw new UsageError(`callsignc ${name} does not take the argument ${JSON.stringify(extra)}`, help);
  }
  return { arguments: positions, options: values };
}

interface ValueSite {
  readonly before: string | boolean | string[] | undefined;
  readonly help: string;
  readonly value?: string;
  readonly multiple?: boolean;
  readonly choices?: readonly string[];
}

function readValue(
  { rawName, value }: { readonly rawName: string; readonly value: string | undefined },
  site: ValueSite,
): string | boolean | string[] {
  if (site.value === undefined) {
    if (value !== undefined)
      throw new UsageError(`${rawName} takes no value, and was given ${JSON.stringify(value)}`, site.help);
    return true;
  }
  if (value === undefined || value === "") throw new UsageError(`${rawName} needs a value: ${site.value}`, site.help);
  if (site.choices !== undefined && !site.choices.includes(value)) {
    const suggestion = nearestWord(value, site.choices);
    const hint = `${suggestion === undefined ? "" : `did you mean ${suggestion}? `}allowed are ${site.choices.join(", ")}`;
    throw new UsageError(`${rawName} does not take ${JSON.stringify(value)}`, hint);
  }
  if (site.multiple === true) return [...(Array.isArray(site.before) ? site.before : []), value];
  if (site.before !== undefined && site.before !== value) {
    throw new UsageError(
      `${rawName} was given twice, as ${JSON.stringify(site.before)} and ${JSON.stringify(value)}`,
      site.help,
    );
  }
  return value;
}

function unknownOption(rawName: string, { name, command }: { name: string; command: Command }): UsageError {
  const suggestion = nearestWord(rawName.replace(/^-+/, ""), [...Object.keys(command.options), "help"]);
  const hint = suggestion === undefined ? `see \`callsignc ${name} --help\`` : `did you mean --${suggestion}?`;
  return new UsageError(`callsignc ${name} has no option ${rawName}`, hint);
}
