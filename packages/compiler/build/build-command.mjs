import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = fileURLToPath(new URL("../src/cli.ts", import.meta.url));
const packageFile = fileURLToPath(new URL("../package.json", import.meta.url));

/**
 * Writes the command line, `cli.cjs`, beside the modules that tsup has built, and `build-id.txt`.
 *
 * It is one CommonJS file because starting it is most of what a build with nothing to do takes, and Node starts that
 * faster than modules. What it imports later are the modules of that name beside it.
 *
 * @param outDir Absolute path of the folder of the built modules.
 */
export async function buildCommand(outDir) {
  await build({
    entryPoints: [source],
    outfile: join(outDir, "cli.cjs"),
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    packages: "external",
    logLevel: "error",
    minifyWhitespace: true,
    define: { "import.meta.dirname": "__dirname" },
    plugins: [{ name: "later imports stay outside", setup: leaveLaterImportsOutside }],
  });
  writeFileSync(join(outDir, "build-id.txt"), `${buildId(outDir)}\n`);
}

function leaveLaterImportsOutside({ onResolve }) {
  onResolve({ filter: /^\.{1,2}\// }, ({ kind, path }) =>
    kind === "dynamic-import" ? { path: `./${basename(path)}`, external: true } : undefined,
  );
}

/** Tells this build of the compiler, and what it depends on, from every other one: records of builds name theirs. */
function buildId(outDir) {
  const hash = createHash("sha256").update(readFileSync(packageFile));
  const modules = readdirSync(outDir).filter((name) => /\.c?js$/.test(name));
  for (const name of modules.sort()) hash.update(`\0${name}\0`).update(readFileSync(join(outDir, name)));
  return hash.digest("hex").slice(0, 32);
}
