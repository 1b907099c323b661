import { parseArgs } from "node:util";
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
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(command.options).map(([option, { value }]) => [
        option,
        { type: value === undefined ? "boolean" : "string" } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, string | boolean | string[]> = {};
  const positions: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positions.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
    if (option === undefined) throw unknownOption(token.rawName, { name, command });
    values[token.name] = readValue(token, { before: values[token.name], help, ...option });
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
  token: { readonly rawName: string; readonly value?: string | undefined; readonly inlineValue?: boolean | undefined },
  site: ValueSite,
): string | boolean | string[] {
  const { rawName, value } = token;
  if (site.value === undefined) {
    if (value !== undefined)
      throw new UsageError(`${rawName} takes no value, and was given ${JSON.stringify(value)}`, site.help);
    return true;
  }
  // `--project --strict` is a forgotten value; a value that begins with a dash is written with `=`.
  const isForgotten = value === undefined || value === "" || (token.inlineValue !== true && value.startsWith("-"));
  if (isForgotten) throw new UsageError(`${rawName} needs a value: ${site.value}`, site.help);
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
