import type { CallSlot, ManifestTool } from "./manifest.js";
import type { ToolFunction } from "./tool-registry.js";

/** A manifest tool and the function that it was bound to. */
export interface BoundFunction {
  readonly tool: ManifestTool;
  readonly call: ToolFunction;
}

const seen = new WeakSet<ToolFunction>();
let warned = false;

/**
 * Warns once, in development, that functions have other parameters than the manifest calls them with: it was built
 * before they were changed. A false alarm would be worse than none, so whatever is not plainly legible (destructured,
 * native, minified, transpiled, wrapped) is passed over, and so is every function under a test runner, where stubs
 * stand for tools.
 */
export function warnOfStaleManifest(bound: readonly BoundFunction[]): void {
  if (warned || !isDevelopment()) return;
  const stale = bound.flatMap(({ tool, call }) => {
    if (seen.has(call)) return [];
    seen.add(call);
    const parameters = readParameters(Function.prototype.toString.call(call));
    return parameters === undefined || fits(parameters, tool.call) ? [] : [{ tool, parameters }];
  });
  const [first, ...others] = stale;
  if (first === undefined) return;
  warned = true;
  const { tool, parameters } = first;
  const more = others.length === 0 ? "" : ` (and so ${others.map((other) => other.tool.name).join(", ")})`;
  process.emitWarning(
    `the manifest is older than the tool ${tool.name}${more}: in ${tool.module} ${tool.export} takes (${parameters.join(", ")}), ` +
      `and the manifest calls it with (${tool.call.map(shown).join(", ")}); run \`npx callsignc build\``,
    { code: "CALLSIGN_STALE_MANIFEST" },
  );
}

function isDevelopment(): boolean {
  // Elsewhere than in Node there may be no process, or one that cannot warn.
  if (typeof process === "undefined" || typeof process.emitWarning !== "function") return false;
  const { NODE_ENV, NODE_TEST_CONTEXT } = process.env;
  return NODE_ENV !== "production" && NODE_ENV !== "test" && NODE_TEST_CONTEXT === undefined;
}

/** Whether the parameters may be those that the manifest was made from. */
function fits(parameters: readonly string[], slots: readonly CallSlot[]): boolean {
  // A function without parameters may well be a stub.
  if (parameters.length === 0) return true;
  const named = parameters.map((name, index) => ({ name, slot: slots[index] }));
  // A pattern in the source, which whatever made this code has taken apart.
  if (slots.some(({ from }) => from === "properties")) return true;
  const renamed = named.filter(({ name, slot }) => slot?.from === "property" && !isSameName(name, slot.name));
  if (renamed.some(({ name }) => name.length <= 2)) return true;
  return renamed.length === 0 && parameters.length === slots.length;
}

/** Bundlers write `city2`, `city$1` or `_city` where a name is taken already. */
function isSameName(name: string, original: string): boolean {
  const bare = (text: string) => text.replace(/^_+|[_$]*\d*$/g, "");
  return name === original || bare(name) === bare(original);
}

function shown(slot: CallSlot): string {
  if (slot.from === "property") return slot.name;
  return slot.from === "arguments" ? "the arguments object" : `the ${slot.from}`;
}

/** `function add(`, `async function* add(`, `add(` of a method, `(` and `async (` of an arrow. */
const HEAD = /^(?:async\s+)?(?:function\b\s*)?\*?\s*(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\s*)?\(/u;
/** An arrow with one bare parameter. */
const BARE = /^(?:async\s+)?([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u;
const NAME = /^\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(=|$)/u;

/** The names of a function's parameters, or undefined where its text does not plainly say them. */
function readParameters(text: string): readonly string[] | undefined {
  // `arguments`: defaults, rest parameters and async functions become that for old targets, and wrappers pass it on.
  if (/\[(?:native code|bytecode)\]|\barguments\b/.test(text)) return undefined;
  const bare = BARE.exec(text)?.[1];
  if (bare !== undefined) return bare === "async" ? undefined : [bare];
  const head = HEAD.exec(text)?.[0];
  const parts = head === undefined ? undefined : splitParameters(text, head.length);
  const names = parts?.map((part) => NAME.exec(part)?.[1]);
  return names?.every((name) => name !== undefined) === true ? names : undefined;
}

const OPENING = "([{";
const CLOSING = ")]}";

/** The texts between the parentheses and commas of a parameter list that starts at `start`. */
function splitParameters(text: string, start: number): readonly string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    // Comments, regular expressions and templates need a real parser.
    if (character === "/" || character === "`") return undefined;
    if (character === '"' || character === "'") {
      at = endOfString(text, at);
    } else if (OPENING.includes(character)) depth++;
    else if (CLOSING.includes(character)) {
      if (depth === 0) {
        const last = text.slice(from, at);
        return character !== ")" ? undefined : last.trim() === "" ? parts : [...parts, last];
      }
      depth--;
    } else if (character === "," && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === "\\" ? 2 : 1;
  return at;
}
