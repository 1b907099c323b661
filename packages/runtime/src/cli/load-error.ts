import { fileURLToPath } from "node:url";
import { thrownMessage } from "../calls/thrown-message.js";
import { shownPath } from "./find-modules.js";

/** A module of the user failed while it was loaded. The message says which, where in it, and what it lacks. */
export class LoadError extends Error {
  override readonly name = "LoadError";
  readonly hint: string | undefined;

  constructor(path: string, { cause, cwd }: { readonly cause: unknown; readonly cwd: string }) {
    const lacking = missingModule(cause);
    const code = (cause as { code?: unknown } | undefined)?.code;
    const isPlaced = lacking === undefined && code !== "loader-missing" && code !== "module-missing";
    const place = isPlaced ? placeIn(cause, cwd) : undefined;
    const said = lacking === undefined ? inOneLine(thrownMessage(cause)) : describeMissing(lacking, cwd);
    super(`${path} cannot be loaded: ${said}${place === undefined ? "" : ` (${place})`}`, { cause });
    this.hint =
      lacking === undefined || !isPackage(lacking.specifier)
        ? undefined
        : `npm install ${packageName(lacking.specifier)}, or correct the import`;
  }
}

/** The loader writes its kind of error before the message, and the place below it. */
function inOneLine(message: string): string {
  return message
    .replace(/^ParseError: /, "")
    .replace(/\s+\S+:\d+:\d+\s*$/, "")
    .replaceAll(/\s+/g, " ");
}

interface Missing {
  readonly specifier: string;
  readonly importer: string | undefined;
}

/** In the words of Node, and of the loader. */
function missingModule(error: unknown): Missing | undefined {
  const { code, message = "" } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  const specifier = /^Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1];
  if (specifier === undefined) return undefined;
  const importer = / imported from (.+)$/m.exec(message)?.[1] ?? /Require stack:\n- (.+)/.exec(message)?.[1];
  return { specifier, importer };
}

function describeMissing({ specifier, importer }: Missing, cwd: string): string {
  const what = isPackage(specifier)
    ? `the package ${packageName(specifier)} is not installed`
    : "a module is not there";
  const shown = isPackage(specifier) ? specifier : shownPath(specifier, cwd);
  const by = importer === undefined ? "" : `${shownPath(importer, cwd)} imports `;
  return `${by}${JSON.stringify(shown)}, and ${what}`;
}

function isPackage(specifier: string): boolean {
  return /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/|$)/.test(specifier);
}

function packageName(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** The place in the user's own files that a stack names first. */
function placeIn(error: unknown, cwd: string): string | undefined {
  const stack = (error as { stack?: unknown } | undefined)?.stack;
  if (typeof stack !== "string") return undefined;
  for (const [, place] of stack.matchAll(/(?:^|[\s(])((?:file:\/\/)?\/[^\s():]+(?::\d+){1,2})/gm)) {
    const path = place?.startsWith("file:") === true ? fileURLToPath(place) : (place ?? "");
    if (path.startsWith(`${cwd}/`) && !path.includes("/node_modules/")) return path.slice(cwd.length + 1);
  }
  return undefined;
}
