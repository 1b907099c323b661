// Mutation testing of the compiler's mapper folder (packages/compiler/src/schema) against the fixtures.
//   npm run mutation [-- --every 8] [-- --show]
//   --every K  only each K-th mutant; --show lists the mutants that survived
//
// Stryker's own mutators plant every mutant behind a switch, in one build. A mutant is killed when some fixture comes
// to another manifest or other problems than without it, which is when the fixtures test would fail. Stryker's runner
// would open 374 projects for each mutant; here all fixtures with the default settings are one project, opened once.
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const source = join(root, "packages/compiler/src");
const work = join(root, "packages/compiler/.mutation");
const { values: options } = parseArgs({
  options: { every: { type: "string", default: "1" }, show: { type: "boolean", default: false } },
});
const every = Number(options.every);
const { show } = options;
/** A fixture passes a mutated place so often at the most; an endless loop passes it more often. */
const HIT_LIMIT = 30_000;

rmSync(work, { recursive: true, force: true });
cpSync(source, join(work, "src"), { recursive: true });

const logger = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
const paths = globSync("schema/**/*.ts", { cwd: source }).sort();
const { files, mutants: all } = await new Instrumenter(logger).instrument(
  paths.map((path) => ({ name: join(source, path), mutate: true, content: readFileSync(join(source, path), "utf8") })),
  { plugins: null, ignorers: [], excludedMutations: [] },
);
const mutants = all.filter((_, index) => index % every === 0);
for (const { name, content } of files) writeFileSync(join(work, "src", relative(source, name)), content);
writeFileSync(
  join(work, "src/mutation-entry.ts"),
  `export { signatureContext } from "./compile-project.js";
export { discover } from "./discover/discover.js";
export { buildManifest } from "./manifest/build-manifest.js";
export { openProject } from "./source/open-project.js";
`,
);
const bundle = join(work, "bundle.mjs");
await build({
  entryPoints: [join(work, "src/mutation-entry.ts")],
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node22",
  packages: "external",
  logLevel: "error",
});

// One project of all fixtures that have no settings of their own.
const fixtures = globSync("fixtures/*/tools.ts", { cwd: root })
  .filter((path) => !existsSync(join(root, dirname(path), "tsconfig.json")))
  .sort();
const config = join(root, "fixtures/tsconfig.mutation.json");
const compilerOptions = {
  target: "ES2022",
  lib: ["ES2022", "DOM"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  types: [],
  skipLibCheck: true,
  paths: { "@callsign/runtime": [join(root, "packages/runtime/src/index.ts")] },
};
const overlay = new Map([
  [config, JSON.stringify({ compilerOptions, files: fixtures.map((path) => join(root, path)) })],
]);
globalThis.__stryker__ = {};
const plain = await import(pathToFileURL(bundle).href);
const { project } = plain.openProject({ cwd: root, project: config, overlay });
const entries = fixtures.map((path) => project.program.getSourceFile(join(root, path)));

function survivor({ fileName, location, mutatorName, replacement }) {
  const place = `${relative(root, fileName)}:${location.start.line + 1}`;
  return `survived: ${place} ${mutatorName} → ${replacement.slice(0, 80).replaceAll("\n", " ")}`;
}

/** What one fixture comes to, as text. */
function outcome(compiler, file) {
  globalThis.__stryker__.hitCount = 0;
  const context = compiler.signatureContext(project, {});
  const { reporter } = context;
  let manifest;
  try {
    const found = compiler.discover([file], project, (fault, node, name) => reporter.atNode(fault, node, name));
    manifest = compiler.buildManifest(found, context);
  } catch (error) {
    return `threw ${error.message.slice(0, 40)}`;
  }
  const problems = reporter.sorted();
  const refused = problems.some(({ severity }) => severity === "error");
  return JSON.stringify([refused ? null : manifest, problems.map(({ frame, ...problem }) => problem)]);
}

const expected = entries.map((file) => outcome(plain, file));
if (expected.some((text) => text.startsWith("threw"))) throw new Error("the unchanged compiler throws on a fixture");

// Fixtures that killed lately are asked first: mutants of one place fall to the same few.
const order = entries.map((_, index) => index);
let killed = 0;
for (const [at, mutant] of mutants.entries()) {
  Object.assign(globalThis.__stryker__, { activeMutant: mutant.id, hitCount: 0, hitLimit: HIT_LIMIT });
  const started = Date.now();
  let by = -1;
  try {
    const compiler = await import(`${pathToFileURL(bundle).href}?mutant=${mutant.id}`);
    by = order.findIndex((index) => outcome(compiler, entries[index]) !== expected[index]);
  } catch {
    by = 0;
  }
  if (by >= 0) {
    killed++;
    order.unshift(...order.splice(by, 1));
  }
  if (show && by < 0) console.log(survivor(mutant));
  if (show && Date.now() - started > 10_000) console.log(`slow, ${Date.now() - started} ms: ${survivor(mutant)}`);
  if (at % 100 === 99) console.log(`${at + 1} of ${mutants.length} mutants, ${killed} killed`);
}
rmSync(work, { recursive: true, force: true });

const share = ((100 * killed) / mutants.length).toFixed(1);
console.log(
  `mutation score of packages/compiler/src/schema: ${killed} of ${mutants.length} mutants killed (of ${all.length} in all), ${share} %`,
);
if (mutants.length === 0 || killed / mutants.length < 0.85) process.exitCode = 1;
