import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const require = createRequire(import.meta.url);
const bundled = join(dirname(require.resolve("@ts-morph/common")), "typescript.js");
const source = fileURLToPath(new URL("../src", import.meta.url));

/**
 * Writes what `build/ts-morph-common.mjs` takes for TypeScript: `typescript.cjs`, the parts of ts-morph's copy that this
 * package uses, and `lib/`, its declarations as one file each; with their licences.
 *
 * Reading 12 MB and making room for them is a third of a small build; the parts in use are a quarter of that.
 *
 * @param outDir Absolute path of the folder of the built modules.
 */
export async function buildTypeScript(outDir) {
  const outfile = join(outDir, "typescript.cjs");
  const text = readFileSync(bundled, "utf8");
  const exported = usedNames(require(bundled));
  const key = createHash("sha256")
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .update(exported.join());
  const stamp = `// ${key.update(text).digest("hex")}`;
  if (existsSync(outfile) && readFileSync(outfile, "utf8").startsWith(stamp)) return;
  const licence = /^\/\*![\s\S]*?\*\//.exec(text)?.[0] ?? fail("has no licence at its head");
  await build({
    stdin: { contents: asModule(text, exported), sourcefile: "typescript.js" },
    outfile,
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    logLevel: "error",
    banner: { js: `${stamp}\n${licence}` },
  });
  mkdirSync(join(outDir, "lib"), { recursive: true });
  for (const lib of require("@ts-morph/common").getLibFiles()) {
    writeFileSync(join(outDir, "lib", lib.fileName), lib.text);
  }
  const licences = [join(dirname(bundled), "../LICENSE"), require.resolve("typescript/LICENSE.txt")];
  const credits = "typescript.cjs and lib/ are parts of TypeScript, as @ts-morph/common brings it.";
  const parts = [credits, ...licences.map((path) => readFileSync(path, "utf8").trim())];
  writeFileSync(join(outDir, "typescript.LICENSE.txt"), `${parts.join("\n\n---\n\n")}\n`);
}

/** The names of TypeScript's that the source asks for; types are none of them. */
function usedNames(ts) {
  const texts = globSync("**/*.ts", { cwd: source }).map((path) => readFileSync(join(source, path), "utf8"));
  const names = texts.flatMap((text) => [
    ...[...text.matchAll(/\bts\.(\w+)/g)].map(([, name]) => name),
    ...[...text.matchAll(/\{([^{}]*)\} = ts\b/g)].flatMap(([, list]) => list.split(",").map((name) => name.trim())),
  ]);
  return [...new Set(names)].filter((name) => name in ts).sort();
}

/**
 * TypeScript is one function around all that its modules declare. Without that function the bundler can see what is not
 * in use; it must be told what has no effect but on the name that it is given to.
 */
function asModule(text, exported) {
  const opening = /^var ts = \{\}; \(\(module\) => \{\n/m;
  const ownExports = /^var typescript_exports = \{\};\n__export\(typescript_exports, \{\n([\s\S]*?)\n\}\);\n/m;
  const start = opening.exec(text) ?? fail("does not begin as it did");
  const [, pairs] = ownExports.exec(text) ?? fail("names its exports in another way");
  const local = new Map([...pairs.matchAll(/^ {2}(\w+): \(\) => (\w+),?$/gm)].map(([, name, own]) => [name, own]));
  const end = text.indexOf("\n// src/server/");
  if (end === -1) fail("has no server at its end");
  const body = text
    .slice(start.index + start[0].length, end)
    .replace(ownExports, "")
    .replace(/^module\.exports = .*$/m, "")
    // Only for hashes that this package never asks for, and loading it takes a while.
    .replace('_crypto = require("crypto")', "_crypto = undefined")
    .replace(/^var (\w+) = \{\};\n__export\(\1, /gm, "var $1 = /* @__PURE__ */ namespaceOf(")
    .replace(/^(registerCodeFix|registerRefactor)\(/gm, "/* @__PURE__ */ $1(");
  const names = exported.map((name) => `${local.get(name) ?? fail(`does not export ${name}`)} as ${name}`);
  return `${body}
function namespaceOf(members) {
  const namespace = {};
  __export(namespace, members);
  return namespace;
}
export { ${names.join(", ")} };
`;
}

function fail(what) {
  throw new Error(`the TypeScript of @ts-morph/common ${what}: look at ${bundled} and mend build-typescript.mjs`);
}
