import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

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
 * Imports a module of the project, JavaScript or TypeScript. TypeScript is loaded as the process loads it (Node's own
 * stripping of types, or a loader given by `--import`); what that cannot load, such as imports without their real
 * extension, is loaded by jiti where it is installed.
 *
 * @param address Maybe without extension, or with that of the built file while only the source is there.
 */
export async function importModule(address: string): Promise<object> {
  if (!address.startsWith("file:")) return import(address);
  const path = findFile(fileURLToPath(address));
  if (path === undefined) {
    throw new Error(`there is no module ${fileURLToPath(address)}; a bundle that holds it cannot be used by a thread`);
  }
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    if (!/\.[cm]?tsx?$/.test(path) || !NEEDS_LOADER.includes((error as { code?: unknown }).code)) throw error;
    const { createJiti } = await import("jiti").catch(() => {
      throw new Error(
        `a thread cannot load ${path}: ${(error as Error).message}; build it, start Node with --import tsx, or npm install jiti`,
        { cause: error },
      );
    });
    return (await createJiti(pathToFileURL(path).href).import(path)) as object;
  }
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
