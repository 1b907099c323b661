// Builds both packages: JavaScript by tsup (one bundle an entry point, dependencies external), the compiler's command
// line as one file more and its part of TypeScript, the inspector's page, declarations by tsc.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";
import { buildCommand } from "../packages/compiler/build/build-command.mjs";
import { buildTypeScript } from "../packages/compiler/build/build-typescript.mjs";
import { buildInspector } from "../packages/runtime/build/build-inspector.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const watch = process.argv.includes("--watch");
const packages = ["runtime", "compiler"];
// What is published holds nothing of an earlier build; otherwise what runs meanwhile goes on to find its files.
if (process.argv.includes("--clean")) {
  for (const name of packages) rmSync(join(root, "packages", name, "dist"), { recursive: true, force: true });
}

/** Entry points by the name of what is built; a list names each after its source. */
const named = (entries) =>
  Array.isArray(entries) ? Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), path])) : entries;

/** What is built beside the entry points, after each build: also of those that watching makes. */
const buildRest = {
  runtime: buildInspector,
  async compiler(outDir) {
    await buildTypeScript(outDir);
    await buildCommand(outDir);
  },
};

for (const name of packages) {
  const directory = join(root, "packages", name);
  const { entries, alias = {}, ...options } = JSON.parse(readFileSync(join(directory, "tsup.entries.json"), "utf8"));
  const outDir = join(directory, "dist");
  await build({
    ...options,
    config: false,
    silent: true,
    entry: Object.fromEntries(
      Object.entries(named(entries)).map(([entry, path]) => [entry, join(directory, "src", path)]),
    ),
    outDir,
    tsconfig: join(directory, "tsconfig.json"),
    external: [/^[^./]/],
    noExternal: Object.keys(alias),
    esbuildOptions: (esbuild) => {
      esbuild.alias = Object.fromEntries(Object.entries(alias).map(([name, path]) => [name, join(directory, path)]));
    },
    format: "esm",
    // `node:sqlite` has no other name.
    removeNodeProtocol: false,
    platform: "node",
    target: "node22",
    splitting: true,
    treeshake: true,
    sourcemap: false,
    clean: false,
    dts: false,
    watch,
    onSuccess: () => buildRest[name](outDir),
  });
}
if (!process.argv.includes("--no-types")) {
  execFileSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-b", "packages/runtime", "packages/compiler"],
    { cwd: root, stdio: "inherit" },
  );
}
