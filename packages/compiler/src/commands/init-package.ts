import { readIfThere } from "../source/read-if-there.js";
import { UsageError } from "./usage-error.js";

/** A package.json as it stands on disk. */
export interface Package {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Reads a package.json; undefined when there is none. */
export function readPackage(path: string): Package | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new UsageError(`package.json is not JSON: ${(error as Error).message}`, "mend it, then run init again");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError("package.json holds no object", "mend it, then run init again");
  }
  return { text, value: value as Record<string, unknown> };
}

const COMMAND = "callsignc build";

/**
 * Adds what callsign needs to a package.json, or makes one. What is there already stays as it is.
 *
 * @returns The new text, and what was added, in words; nothing when nothing was lacking.
 */
export function completePackage(
  before: Package | undefined,
  options: { readonly folderName: string; readonly version: string },
): { text: string; added: string[] } {
  const value = structuredClone(before?.value ?? newPackage(options.folderName)) as Record<string, unknown>;
  const added: string[] = [];
  const add = (field: string, [name, text]: readonly [string, string]): void => {
    value[field] ??= {};
    const map = value[field];
    if (typeof map !== "object" || map === null || Object.hasOwn(map, name)) return;
    (map as Record<string, unknown>)[name] = text;
    added.push(field === "scripts" ? `script ${name}` : name);
  };
  // What `npm install` in an empty folder makes: nothing of it was chosen by anybody.
  const fresh = Object.keys(before?.value ?? {}).every((name) => name === "dependencies" || name === "devDependencies");
  if (fresh && value.type === undefined) {
    value.type = "module";
    added.push("type module");
  }
  const scripts = (before?.value.scripts ?? {}) as Readonly<Record<string, unknown>>;
  add("scripts", ["callsign", COMMAND]);
  add("scripts", ["callsign:check", "callsignc check"]);
  for (const name of ["build", "dev", "test"]) {
    // In an existing package only before what exists; a new one gets them for the scripts to come.
    if (fresh || Object.hasOwn(scripts, name)) add("scripts", [`pre${name}`, COMMAND]);
  }
  const has = (name: string) =>
    ["dependencies", "devDependencies", "peerDependencies"].some((field) => {
      const map = before?.value[field];
      return typeof map === "object" && map !== null && Object.hasOwn(map, name);
    });
  if (!has("@callsign/runtime")) add("dependencies", ["@callsign/runtime", `^${options.version}`]);
  if (!has("@callsign/compiler")) add("devDependencies", ["@callsign/compiler", `^${options.version}`]);
  if (added.length === 0 && before !== undefined) return { text: before.text, added };
  return { text: print(value, before?.text), added };
}

function newPackage(folderName: string): Record<string, unknown> {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replaceAll(/^[._-]+|-+$/g, "");
  return { name: name === "" ? "my-tools" : name, version: "0.0.0", private: true, type: "module" };
}

/** In the manner of the old text: its indentation, line ends and final newline. */
function print(value: unknown, before = "{\n  \n}\n"): string {
  const indent = /^[ \t]+/m.exec(before)?.[0] ?? "  ";
  const text = JSON.stringify(value, null, indent) + (/\n$/.test(before) ? "\n" : "");
  return before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}
