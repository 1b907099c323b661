import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { UsageError } from "./usage-error.js";

const EXTENSIONS = [".ts", ".mts", ".js", ".mjs"];
const NAME = "callsign.app";
const CONFIG_FILE = "callsign.config.json";

/** What to do where there is no module. */
export const MODULE_HINT = `name it by --module FILE, by "module" in ${CONFIG_FILE}, or call it src/${NAME}.ts; it exports workflows, agents and tools`;

/**
 * The modules that hold the project's workflows, agents and tools: those that were given, else those of the
 * configuration, else `callsign.app.ts` (or .js) here, in `src`, or in a folder above within the package.
 *
 * @returns Absolute paths; none where there is none of all these.
 * @throws {UsageError} for one that was named and is not there.
 */
export function findModules(given: readonly string[], cwd: string, option = "--module"): readonly string[] {
  if (given.length > 0) return given.map((path) => existing(resolve(cwd, path), { shown: path, from: option }));
  for (let folder = cwd; ; folder = dirname(folder)) {
    const configured = readConfigured(folder);
    if (configured !== undefined) {
      return configured.paths.map((path) => existing(resolve(folder, path), { shown: path, from: configured.file }));
    }
    const usual = [folder, join(folder, "src")]
      .flatMap((place) => EXTENSIONS.map((extension) => join(place, `${NAME}${extension}`)))
      .find(isFile);
    if (usual !== undefined) return [usual];
    if (isFile(join(folder, "package.json")) || dirname(folder) === folder) return [];
  }
}

/** A path as it is shown: from the current folder where it is inside. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, path);
  return shown === "" || shown.startsWith("..") ? path : shown;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function existing(path: string, { shown, from }: { readonly shown: string; readonly from: string }): string {
  if (isFile(path)) return path;
  throw new UsageError(`there is no module ${shown} (${from})`, "give the path of a TypeScript or JavaScript file");
}

function readConfigured(folder: string): { readonly paths: readonly string[]; readonly file: string } | undefined {
  const own = readJson(join(folder, CONFIG_FILE));
  const config = own ?? (readJson(join(folder, "package.json")) as { callsign?: unknown } | undefined)?.callsign;
  const { module } = (config ?? {}) as { readonly module?: unknown };
  if (module === undefined) return undefined;
  const file = own === undefined ? "callsign.module of package.json" : `module of ${CONFIG_FILE}`;
  const paths = [module].flat();
  if (paths.length > 0 && paths.every((path) => typeof path === "string" && path !== "")) {
    return { paths: paths as string[], file };
  }
  throw new UsageError(`${file} is ${JSON.stringify(module)}`, "write the path of a module, or a list of paths");
}

/** @throws {UsageError} for a file that is no JSON. */
function readJson(path: string): object | undefined {
  if (!isFile(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, "")) as object;
  } catch (error) {
    throw new UsageError(`${path} is no JSON: ${(error as Error).message}`, "write one JSON object, without comments");
  }
}
