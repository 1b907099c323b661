import type { Json } from "../manifest/json-schema.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** So much of a long input is shown on each side of the place that is wrong. */
const AROUND = 30;

/**
 * The JSON of an argument, or of the standard input for `-`; undefined where there is none.
 *
 * @throws {UsageError} with the place that is wrong.
 */
export async function readInput(given: string | undefined, terminal: Terminal): Promise<Json | undefined> {
  if (given === undefined) return undefined;
  const text = given === "-" ? await terminal.readAll() : given;
  if (given === "-" && text.trim() === "") return undefined;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as Json;
  } catch (error) {
    const said = (error as Error).message;
    const at = placeOf(said, text);
    const before = text.slice(0, at).split("\n");
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    const message = said.replace(/ in JSON at position.*$|, ?"[\s\S]*" is not valid JSON$|, \.{3}.*$/s, "");
    throw new UsageError(
      `the input is no JSON: ${message} at ${place}\n${excerpt(text, at)}`,
      given === "-"
        ? "the standard input must hold one JSON value"
        : `put the whole JSON in single quotes, texts inside in double ones: '{"name": "value"}'; or give it by - on the standard input`,
    );
  }
}

/** Where the text stops being JSON. V8 names the position of some faults only; of an unexpected token it can be found. */
function placeOf(message: string, text: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (!message.startsWith(UNEXPECTED_TOKEN)) return text.length;
  // Everything before the token is the beginning of JSON, everything from it on is not.
  let [right, wrong] = [0, text.length];
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    if (faultOf(text.slice(0, middle)).startsWith(UNEXPECTED_TOKEN)) wrong = middle;
    else right = middle;
  }
  return wrong - 1;
}

const UNEXPECTED_TOKEN = "Unexpected token";

function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

function excerpt(text: string, at: number): string {
  const line = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  const from = Math.max(line, at - AROUND);
  const shown = text.slice(from, Math.min(end === -1 ? text.length : end, at + AROUND));
  return `${shown.replaceAll("\t", " ")}\n${" ".repeat(at - from)}^`;
}
