// Builds both packages: JavaScript by tsup (one bundle an entry point, dependencies external), declarations by tsc.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "tsup";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const watch = process.argv.includes("--watch");

for (const name of ["runtime", "compiler"]) {
  const directory = join(root, "packages", name);
  const { entries, alias = {}, ...options } = JSON.parse(readFileSync(join(directory, "tsup.entries.json"), "utf8"));
  await build({
    ...options,
    config: false,
    silent: true,
    entry: Object.fromEntries(entries.map((path) => [path.replace(/\.ts$/, ""), join(directory, "src", path)])),
    outDir: join(directory, "dist"),
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
  });
}
if (!process.argv.includes("--no-types")) {
  execFileSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-b", "packages/runtime", "packages/compiler"],
    { cwd: root, stdio: "inherit" },
  );
}
