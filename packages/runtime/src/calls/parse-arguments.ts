import { isRecord } from "../manifest/is-record.js";

/** The arguments object that a model wrote, or why there is none, in words for the model. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | {
      readonly ok: false;
      readonly code: "arguments-not-json" | "arguments-cut" | "arguments-too-deep";
      readonly problem: string;
    };

/** Deeper nesting is no argument that a tool wants, and recursive checks would run out of stack. */
const MOST_LEVELS = 256;
const FENCE = /^(`{3,}|~{3,})[ \t]*[\w-]*[ \t]*\r?\n?([\s\S]*?)\r?\n?\1$/;

/**
 * Reads what models send as arguments: JSON text, nothing at all (`""`, `null`) for no arguments, text in a code
 * fence, JSON in a JSON string, or an object already. A text that was cut is an error: a prefix of the arguments is
 * not the arguments.
 */
export function parseArguments(received: unknown): ParsedArguments {
  return read(received, 0);
}

function read(received: unknown, unwrapped: number): ParsedArguments {
  if (received === undefined || received === null) return { ok: true, value: {} };
  if (isRecord(received)) {
    return tooDeep(received)
      ? { ok: false, code: "arguments-too-deep", problem: `The arguments nest deeper than ${MOST_LEVELS} levels.` }
      : { ok: true, value: received };
  }
  if (typeof received !== "string" || unwrapped > 3) {
    const kind = Array.isArray(received) ? "an array" : `a ${typeof received}`;
    return { ok: false, code: "arguments-not-json", problem: `The arguments must be a JSON object; got ${kind}.` };
  }
  const text = received.replace(/^\uFEFF/, "").trim();
  if (text === "") return { ok: true, value: {} };
  const parsed = parseJson(text) ?? parseJson(FENCE.exec(text)?.[2]?.trim());
  return parsed === undefined ? refuse(text) : read(parsed.value, unwrapped + 1);
}

function parseJson(text: string | undefined): { value: unknown } | undefined {
  if (text === undefined) return undefined;
  if (text === "") return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function refuse(text: string): ParsedArguments {
  if (endsTooEarly(text)) {
    const problem =
      "The arguments were cut off before their end, maybe by the output limit; they are no complete JSON. Send the whole call again, with shorter arguments if need be.";
    return { ok: false, code: "arguments-cut", problem };
  }
  let reason = "it cannot be read";
  try {
    JSON.parse(text);
  } catch (error) {
    // The engine's words without its quotation of the text, which may be long.
    reason = (error as Error).message.replace(/, ?(\.\.\.)?".*$/s, "").replace(/ in JSON at.*$/s, "");
  }
  return {
    ok: false,
    code: "arguments-not-json",
    problem: `The arguments are not valid JSON (${reason}). Send one JSON object.`,
  };
}

/** Whether a string or a bracket is still open at the end. */
function endsTooEarly(text: string): boolean {
  let open = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") open += 1;
    else if (character === "}" || character === "]") open -= 1;
  }
  return inString || open > 0;
}

function tooDeep(value: object): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
