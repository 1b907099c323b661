import { showValue } from "../../errors/show-value.js";
import { isRecord } from "../../manifest/is-record.js";

export interface ComparisonOptions {
  /** Whether two texts count as equal. Default: when they are. */
  readonly texts?: (a: string, b: string) => boolean;
}

/** Equal as JSON: the order of keys does not count. */
export function equalJson(a: unknown, b: unknown, options: ComparisonOptions = {}): boolean {
  if (a === b) return true;
  if (typeof a === "string" && typeof b === "string") return options.texts?.(a, b) ?? false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, index) => equalJson(element, b[index], options));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalJson(a[name], b[name], options))
  );
}

const MOST_DIFFERENCES = 6;

/** One line for each place at which two JSON values differ: `messages[2].content[0].text: recorded "a", now "b"`. */
export function jsonDifferences(recorded: unknown, now: unknown, options: ComparisonOptions = {}): readonly string[] {
  const lines: string[] = [];
  compare(recorded, now, { path: "", lines, options });
  const more = lines.length - MOST_DIFFERENCES;
  return more > 0 ? [...lines.slice(0, MOST_DIFFERENCES), `and ${more} more`] : lines;
}

interface Comparing {
  readonly path: string;
  readonly lines: string[];
  readonly options: ComparisonOptions;
}

function compare(recorded: unknown, now: unknown, { path, lines, options }: Comparing): void {
  if (equalJson(recorded, now, options)) return;
  if (Array.isArray(recorded) && Array.isArray(now)) {
    for (let index = 0; index < Math.max(recorded.length, now.length); index += 1) {
      compare(recorded[index], now[index], { path: `${path}[${index}]`, lines, options });
    }
  } else if (isRecord(recorded) && isRecord(now)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
      const [before, after] = [recorded, now].map((value) => (Object.hasOwn(value, name) ? value[name] : undefined));
      compare(before, after, { path: path === "" ? name : `${path}.${name}`, lines, options });
    }
  } else {
    const [before, after] =
      typeof recorded === "string" && typeof now === "string" ? aroundDifference(recorded, now) : [recorded, now];
    lines.push(`${path}: recorded ${showValue(before)}, now ${showValue(after)}`);
  }
}

const CHARACTERS_BEFORE = 24;

/** Long texts from a little before the first place at which they differ. */
function aroundDifference(a: string, b: string): [string, string] {
  let first = 0;
  while (first < a.length && a[first] === b[first]) first += 1;
  const from = first - CHARACTERS_BEFORE;
  return from <= CHARACTERS_BEFORE ? [a, b] : [`…${a.slice(from)}`, `…${b.slice(from)}`];
}
