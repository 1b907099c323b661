// Mutation testing of the compiler's mapper folder (packages/compiler/src/schema) against the fixtures.
//   npm run mutation [-- --every 8] [-- --only constraints] [-- --show]
//   --every K      only each K-th mutant
//   --only PART    only mutants of files whose path holds PART
//   --show         lists the mutants that survived
//
// Stryker's own mutators plant every mutant behind a switch, in one build. A mutant is killed when some fixture comes
// to another manifest or other problems than without it, which is when the fixtures test would fail. One pass notes
// which fixtures reach which mutant; a mutant is then asked of those only, in one warm worker (run-mutants.mjs).
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const source = join(root, "packages/compiler/src");
const work = join(root, "packages/compiler/.mutation");
const { values: options } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    show: { type: "boolean", default: false },
  },
});
/** A mutant that gives no answer for so long loops without end. */
const TIMEOUT_MS = 30_000;
/** Share of mutants to be killed. */
const GOAL = 0.85;

const { mutants, total } = await plantMutants();
const fixtures = readFixtures();
const results = await runAll();
rmSync(work, { recursive: true, force: true });
report();

async function plantMutants() {
  rmSync(work, { recursive: true, force: true });
  cpSync(source, join(work, "src"), { recursive: true });
  const logger = { debug() {}, info() {}, warn() {}, isDebugEnabled: () => false };
  const paths = globSync("schema/**/*.ts", { cwd: source }).sort();
  const { files, mutants: all } = await new Instrumenter(logger).instrument(
    paths.map((path) => ({
      name: join(source, path),
      mutate: true,
      content: readFileSync(join(source, path), "utf8"),
    })),
    { plugins: null, ignorers: [], excludedMutations: [] },
  );
  for (const { name, content } of files) writeFileSync(join(work, "src", relative(source, name)), content);
  writeFileSync(
    join(work, "src/mutation-entry.ts"),
    `export { checkTargets } from "./check/check-targets.js";
export { signatureContext } from "./compile-project.js";
export { discover } from "./discover/discover.js";
export { buildManifest, isEntry } from "./manifest/build-manifest.js";
export { LIMITS } from "./schema/map-type.js";
export { openProject } from "./source/open-project.js";
`,
  );
  await build({
    entryPoints: [join(work, "src/mutation-entry.ts")],
    outfile: join(work, "bundle.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    logLevel: "error",
  });
  const every = Number(options.every);
  const chosen = all.filter(({ fileName }, index) => index % every === 0 && fileName.includes(options.only));
  return { mutants: chosen, total: all.length };
}

/** The fixtures' files; those with settings of their own are projects of their own, all others are one. */
function readFixtures() {
  return globSync("fixtures/*/", { cwd: root })
    .filter((path) => existsSync(join(root, path, "tools.ts")) || existsSync(join(root, path, "tsconfig.json")))
    .sort()
    .map((path) => {
      const folder = join(root, path);
      const has = (name) => existsSync(join(folder, name));
      return {
        name: path,
        folder,
        config: has("tsconfig.json") ? join(folder, "tsconfig.json") : undefined,
        runtime: has("runtime") ? join(folder, "runtime/index.d.ts") : undefined,
        options: has("options.json") ? JSON.parse(readFileSync(join(folder, "options.json"), "utf8")) : {},
        files: globSync("**/*.{ts,mts,cts,tsx}", { cwd: folder }).map((file) => join(folder, file)),
      };
    });
}

/** Runs every mutant; a worker that hangs or dies is replaced, and its mutant is killed. */
async function runAll() {
  const results = new Map();
  let coverage;
  while (results.size < mutants.length) {
    const rest = mutants.filter(({ id }) => !results.has(id)).map(({ id }) => id);
    const worker = new Worker(new URL("run-mutants.mjs", import.meta.url), {
      workerData: { root, bundle: join(work, "bundle.mjs"), fixtures, mutants: rest, coverage },
      resourceLimits: { maxOldGenerationSizeMb: 6_000 },
    });
    const ended = await new Promise((resolve) => {
      let running;
      let timer;
      worker.on("error", (error) => resolve({ running, error }));
      worker.on("exit", () => resolve({ running: undefined }));
      worker.on("message", (message) => {
        clearTimeout(timer);
        if (message.coverage !== undefined) coverage = message.coverage;
        if (message.result !== undefined) {
          results.set(message.id, message.result);
          if (results.size % 250 === 0) progress(results);
        }
        running = message.next;
        if (running !== undefined) {
          timer = setTimeout(() => worker.terminate().then(() => resolve({ running })), TIMEOUT_MS);
        }
      });
    });
    if (ended.running !== undefined) results.set(ended.running, "killed");
    else if (ended.error !== undefined) throw ended.error;
  }
  return results;
}

function progress(done) {
  console.log(`${done.size} of ${mutants.length} mutants, ${count(done, "killed")} killed`);
}

function count(done, wanted) {
  return [...done.values()].filter((result) => result === wanted).length;
}

function report() {
  for (const { id, fileName, location, mutatorName, replacement } of mutants) {
    const result = results.get(id);
    if (!options.show || result === "killed") continue;
    const place = `${relative(root, fileName)}:${location.start.line + 1}:${location.start.column + 1}`;
    console.log(`${result}: ${place} ${mutatorName} → ${replacement.slice(0, 80).replaceAll(/\s+/g, " ")}`);
  }
  const killed = count(results, "killed");
  const share = ((100 * killed) / mutants.length).toFixed(1);
  console.log(
    `mutation score of packages/compiler/src/schema: ${killed} of ${mutants.length} mutants killed (of ${total} in all), ${share} %; ` +
      `${count(results, "survived")} survived, ${count(results, "unreached")} are reached by no fixture`,
  );
  if (mutants.length === 0 || killed / mutants.length < GOAL) process.exitCode = 1;
}
