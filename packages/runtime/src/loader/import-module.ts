import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ModuleError } from "./module-error.js";

const BUILT = ["", ".js", ".mjs", ".cjs"];
const SOURCE: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};
const ANY_SOURCE = [".ts", ".mts", ".cts", ".tsx", "/index.js", "/index.ts"];

/** What Node says when it could load the module if it were JavaScript. */
const NEEDS_LOADER: readonly unknown[] = [
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
  "ERR_INVALID_TYPESCRIPT_SYNTAX",
  "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  "ERR_MODULE_NOT_FOUND",
  "ERR_UNSUPPORTED_DIR_IMPORT",
];
/**
 * Syntax errors that are none in TypeScript: `import` and `export` in a package of CommonJS, a type that is imported as if it
 * were a value, a decorator. All are found before anything of the module has run.
 */
const NO_ERROR_IN_TYPESCRIPT =
  /^Cannot use import statement outside a module|^Unexpected token 'export'|does not provide an export named|^Invalid or unexpected token/;

/**
 * Imports a module of the project, JavaScript or TypeScript: the one way in which the command line, its server and the
 * threads of tools load what the user wrote. TypeScript is loaded as the process loads it (Node's own stripping of types,
 * or a loader given by `--import`); what that cannot load, such as enums, imports without their real extension and the
 * `paths` of the nearest tsconfig, is loaded by jiti.
 *
 * @param address Maybe without extension, or with that of the built file while only the source is there.
 * @throws {ModuleError} `module-missing`, `loader-missing`; else what the module threw.
 */
export async function importModule(address: string): Promise<object> {
  if (!address.startsWith("file:")) return import(address);
  const path = findFile(fileURLToPath(address));
  if (path === undefined) {
    const file = fileURLToPath(address);
    throw new ModuleError(`there is no module ${file}; one inside of a bundle cannot be loaded by itself`, {
      code: "module-missing",
      file,
    });
  }
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    if (!/\.[cm]?tsx?$/.test(path) || !needsLoader(error)) throw error;
    const { createJiti } = await import("jiti").catch(() => {
      throw new ModuleError(
        `${path} needs a loader of TypeScript: ${(error as Error).message}; npm install jiti, start Node with --import tsx, or give the JavaScript that is built of it`,
        { code: "loader-missing", file: path, cause: error },
      );
    });
    const jiti = createJiti(pathToFileURL(path).href, { tsconfigPaths: true });
    return (await jiti.import(path)) as object;
  }
}

function needsLoader(error: unknown): boolean {
  const { code, name, message } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return NEEDS_LOADER.includes(code) || (name === "SyntaxError" && NO_ERROR_IN_TYPESCRIPT.test(message ?? ""));
}

function findFile(path: string): string | undefined {
  const extension = /\.[cm]?js$/.exec(path)?.[0];
  const candidates = [
    ...BUILT.map((end) => `${path}${end}`),
    ...(extension === undefined ? [] : (SOURCE[extension] ?? []).map((end) => path.slice(0, -extension.length) + end)),
    ...ANY_SOURCE.map((end) => `${path}${end}`),
  ];
  return candidates.find((candidate) => /\.\w+$/.test(candidate) && existsSync(candidate));
}
