// Builds the command line as it is shipped, with the core's double in place of the core, and runs it in child processes.
import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { afterAll, beforeAll } from "vitest";
import { buildCommand } from "../../build/build-command.mjs";
import { buildTypeScript } from "../../build/build-typescript.mjs";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));
const repository = join(packageFolder, "../..");

export interface Outcome {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs it under a shell with these limits set, such as `-f 1`. */
  readonly ulimit?: string;
  /** Permissions of files apply to it even when the tests run as root. */
  readonly respectsPermissions?: boolean;
}

/**
 * The command for the tests of one file.
 *
 * @param options.core `real`: with the compiler's own core instead of its double.
 */
export function useCommand({ core = "double" }: { readonly core?: "double" | "real" } = {}) {
  // Inside of node_modules, so that the command finds its dependencies as it does when it is installed.
  const folder = join(
    repository,
    "node_modules/.cache/callsign-test",
    `${process.pid}-${Math.random().toString(36).slice(2)}`,
  );
  const bin = join(folder, "bin/callsignc.js");
  beforeAll(async () => {
    await buildInto(join(folder, "dist"), core);
    mkdirSync(join(folder, "bin"), { recursive: true });
    for (const path of ["package.json", "bin/package.json", "bin/callsignc.js"])
      copyFileSync(join(packageFolder, path), join(folder, path));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const start = (words: readonly string[], { cwd, env, ulimit, respectsPermissions }: RunOptions): ChildProcess => {
    const asRoot = respectsPermissions === true && process.getuid?.() === 0;
    const drop = asRoot ? ["setpriv", `--bounding-set=${LOST}`, `--inh-caps=${LOST}`] : [];
    const command = [...drop, process.execPath, bin, ...words];
    const environment = { PATH: process.env.PATH, HOME: cwd, XDG_CACHE_HOME: join(cwd, ".user-cache"), ...env };
    return ulimit === undefined
      ? spawn(command[0]!, command.slice(1), { cwd, env: environment })
      : spawn("bash", ["-c", `ulimit ${ulimit}; exec "$@"`, "bash", ...command], { cwd, env: environment });
  };
  return {
    folder,
    start,
    run: (words: readonly string[], options: RunOptions): Promise<Outcome> => finish(start(words, options)),
  };
}

export function finish(child: ChildProcess): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
}

/** A folder with these files, removed at the end of the test file. Its `node_modules` is empty. */
export function makeProject(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "callsign-test-"));
  mkdirSync(join(folder, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A project with one tool. */
export const ONE_TOOL = {
  "tsconfig.json":
    '{"compilerOptions":{"strict":true,"module":"NodeNext","noEmit":true,"types":[]},"include":["src"]}\n',
  "package.json": '{"name":"one-tool","type":"module"}\n',
  "src/tools.ts":
    "/**\n * Sends a letter.\n *\n * Use it once for each\n * addressee.\n *\n * @tool\n */\nexport function sendLetter(\n  /** Who gets it. */\n  to: string,\n  text: string,\n): void {\n  void to;\n  void text;\n}\n",
} as const;

/** What lets root read and write whatever the permissions say. */
const LOST = "-dac_override,-dac_read_search";

/** Waits until a condition holds; the time limit of the test ends it otherwise. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function buildInto(outDir: string, core: "double" | "real"): Promise<void> {
  const { entries } = JSON.parse(readFileSync(join(packageFolder, "tsup.entries.json"), "utf8")) as {
    entries: Record<string, string>;
  };
  await build({
    config: false,
    silent: true,
    entry: Object.fromEntries(
      Object.entries(entries)
        .filter(([name]) => !name.startsWith("plugins/"))
        .map(([name, path]) => [name, join(packageFolder, "src", path)]),
    ),
    outDir,
    tsconfig: join(packageFolder, "tsconfig.json"),
    format: "esm",
    platform: "node",
    target: "node22",
    splitting: true,
    treeshake: true,
    dts: false,
    noExternal: [/^@callsign\//, "@ts-morph/common"],
    external: ["ajv", "ajv-formats"],
    esbuildPlugins: [
      {
        name: "double",
        setup({ onResolve }) {
          onResolve({ filter: /^@ts-morph\/common$/ }, () => ({
            path: join(packageFolder, "build/ts-morph-common.mjs"),
          }));
          if (core === "double") {
            onResolve({ filter: /\/(?:compile-project|inspect-file)\.js$/ }, ({ path }) => ({
              path: join(packageFolder, "test/doubles", path.slice(path.lastIndexOf("/") + 1).replace(/js$/, "ts")),
            }));
          }
          onResolve({ filter: /^@callsign\/runtime\/(?:manifest|providers|standalone)$/ }, ({ path }) => ({
            path: join(repository, "packages/runtime/src", path.slice("@callsign/runtime/".length), "index.ts"),
          }));
        },
      },
    ],
  });
  if (core === "real") await buildTypeScript(outDir);
  await buildCommand(outDir);
}
