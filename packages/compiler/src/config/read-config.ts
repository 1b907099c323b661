import { dirname, join, resolve } from "node:path";
import type { CompileOptions } from "../compile-options.js";
import type { Problem } from "../errors/problem.js";
import { nearestWord } from "../nearest-word.js";
import { readIfThere } from "../source/read-if-there.js";
import { TARGET_NAMES } from "./target-names.js";

/** What `callsign.config.json`, or the key `callsign` of package.json, may say. `config.schema.json` says the same. */
export type Config = Pick<
  CompileOptions,
  "project" | "entries" | "outDir" | "strict" | "description" | "targets" | "maxToolBytes" | "validators"
>;

/** A configuration that was looked for. */
export interface FoundConfig {
  readonly config: Config;
  /** The folder that its paths start from; the folder where the search began when there is no configuration. */
  readonly folder: string;
  /** All that is wrong with it. Their `location.file` is relative to `folder`. */
  readonly problems: readonly Problem[];
}

const CONFIG_FILE = "callsign.config.json";

interface Key {
  readonly allowed: string;
  readonly accepts: (value: unknown) => boolean;
}

const isText = (value: unknown) => typeof value === "string" && value !== "";

/** `module` is for the runtime's command line, which reads it by itself. */
const KEYS: Readonly<Record<keyof Config | "$schema" | "module", Key>> = {
  $schema: { allowed: "a string", accepts: (value) => typeof value === "string" },
  project: { allowed: "the path of a tsconfig, or of the folder that holds it", accepts: isText },
  entries: {
    allowed: 'a list of one or more globs, such as ["src/**/*.tools.ts"]',
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
  },
  outDir: { allowed: "the path of a folder", accepts: isText },
  strict: { allowed: "true or false", accepts: (value) => typeof value === "boolean" },
  description: { allowed: '"full" or "first-line"', accepts: (value) => value === "full" || value === "first-line" },
  targets: {
    allowed: `a list of one or more of ${TARGET_NAMES.join(", ")}`,
    accepts: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((name) => (TARGET_NAMES as unknown[]).includes(name)),
  },
  maxToolBytes: {
    allowed: "a whole number above 0",
    accepts: (value) => Number.isInteger(value) && (value as number) > 0,
  },
  validators: { allowed: "true or false", accepts: (value) => typeof value === "boolean" },
  module: {
    allowed: "the path of a module, or a list of one or more",
    accepts: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText)),
  },
};

/**
 * Finds and reads the configuration: in `folder` or the nearest one above, but not beyond the nearest package.json, so
 * that a package is never compiled by the settings of another one around it.
 */
export function readConfig(folder: string): FoundConfig {
  const start = resolve(folder);
  for (let current = start; ; current = dirname(current)) {
    const own = readIfThere(join(current, CONFIG_FILE));
    const manifest = readIfThere(join(current, "package.json"));
    const key = manifest === undefined ? undefined : readPackageKey(manifest);
    if (own !== undefined && key !== undefined) {
      return { config: {}, folder: current, problems: [twoConfigs()] };
    }
    if (own !== undefined) return { ...parseOwn(own), folder: current };
    if (key !== undefined) {
      const source = {
        file: "package.json",
        text: manifest!,
        from: manifest!.search(/"callsign"\s*:/),
        pointer: "/callsign",
      };
      return { ...checkConfig(key.value, source), folder: current };
    }
    if (manifest !== undefined || dirname(current) === current) return { config: {}, folder: start, problems: [] };
  }
}

function parseOwn(text: string): Omit<FoundConfig, "folder"> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const message = `${CONFIG_FILE} is not JSON: ${(error as Error).message}`;
    const hint = "write one JSON object, without comments and without a comma after the last member";
    return { config: {}, problems: [{ severity: "error", code: "config-not-json", message, hint }] };
  }
  return checkConfig(value, { file: CONFIG_FILE, text, from: 0, pointer: "" });
}

interface Source {
  readonly file: string;
  readonly text: string;
  /** Where the configuration begins in `text`. */
  readonly from: number;
  /** JSON Pointer of the configuration in the file. */
  readonly pointer: string;
}

function checkConfig(value: unknown, source: Source): Omit<FoundConfig, "folder"> {
  const at = (pointer: string) => `${source.file}#${source.pointer}${pointer}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = `${at("")} is ${describe(value)}`;
    const hint = `write an object; its keys may be ${Object.keys(KEYS).join(", ")}`;
    return { config: {}, problems: [{ severity: "error", code: "config-wrong-value", message, hint }] };
  }
  const problems: Problem[] = [];
  for (const [name, member] of Object.entries(value)) {
    const location = placeOf(name, source);
    const place = location === undefined ? {} : { location };
    const pointer = at(`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    const key = Object.hasOwn(KEYS, name) ? KEYS[name as keyof typeof KEYS] : undefined;
    if (key === undefined) {
      const names = Object.keys(KEYS);
      const suggestion = nearestWord(name, names);
      const hint = `${suggestion === undefined ? "" : `did you mean ${suggestion}? `}allowed are ${names.join(", ")}`;
      problems.push({
        severity: "error",
        code: "config-unknown-key",
        message: `${pointer} is not a setting`,
        hint,
        ...place,
      });
    } else if (!key.accepts(member)) {
      const message = `${pointer} is ${describe(member)}`;
      problems.push({
        severity: "error",
        code: "config-wrong-value",
        message,
        hint: `allowed is ${key.allowed}`,
        ...place,
      });
    }
  }
  const { $schema: _, module: __, ...config } = value as Config & { $schema?: string; module?: unknown };
  return { config: problems.length === 0 ? config : {}, problems };
}

function twoConfigs(): Problem {
  return {
    severity: "error",
    code: "config-twice",
    message: `both ${CONFIG_FILE} and the key callsign of package.json in the same folder configure callsign`,
    hint: "keep one of them",
  };
}

function readPackageKey(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const isObject = typeof value === "object" && value !== null;
    return isObject && Object.hasOwn(value, "callsign")
      ? { value: (value as { callsign: unknown }).callsign }
      : undefined;
  } catch {
    // A broken package.json is for its own tools to report; it holds no settings that could be read.
    return undefined;
  }
}

function placeOf(name: string, { file, text, from }: Source) {
  const written = JSON.stringify(name);
  const match = new RegExp(`${written.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*:`).exec(text.slice(from));
  if (match === null) return undefined;
  const before = text.slice(0, from + match.index).split("\n");
  return { file, line: before.length, column: before.at(-1)!.length + 1, length: written.length };
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `the list ${JSON.stringify(value)}`;
  return typeof value === "object" ? "an object" : `the ${typeof value} ${JSON.stringify(value)}`;
}
