// The worker of mutation.mjs: opens the fixtures once, notes which of them reach which mutant, and asks each mutant of
// those fixtures until one comes to something else.
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";

const { root, bundle, fixtures, mutants } = workerData;
/** A fixture passes a mutated place so often at the most; an endless loop passes it more often. */
const HIT_LIMIT = 30_000;
/** The fixture of too large a type takes seconds at the real limit; the harness lowers it. */
const NODE_LIMIT = 2_000;
/** After so many mutants it is checked that none has left something behind. */
const CHECK_EVERY = 500;

const stryker = { mutantCoverage: { static: {}, perTest: {} } };
globalThis.__stryker__ = stryker;
const plain = await load("");
const cases = openAll();
const expected = cases.map((each, index) => {
  stryker.currentTestId = String(index);
  return outcome(plain, each);
});
stryker.currentTestId = undefined;
const broken = expected.findIndex((text) => text.startsWith("threw"));
if (broken >= 0) throw new Error(`the unchanged compiler throws on ${cases[broken].name}: ${expected[broken]}`);
const coverage = workerData.coverage ?? structuredClone(stryker.mutantCoverage);
parentPort.postMessage({ coverage });

const reaching = new Map();
for (const [test, hits] of Object.entries(coverage.perTest)) {
  for (const id of Object.keys(hits)) reaching.set(id, [...(reaching.get(id) ?? []), Number(test)]);
}
// Fixtures that killed lately are asked first: mutants of one place fall to the same few.
let order = cases.map((_, index) => index);
let done = 0;
for (const id of mutants) {
  parentPort.postMessage({ next: id });
  parentPort.postMessage({ id, result: await run(id) });
  if (++done % CHECK_EVERY === 0) checkClean();
}
checkClean();
process.exit(0);

async function run(id) {
  const reached = new Set(reaching.get(id) ?? []);
  // What runs at loading is in every fixture's way, and needs to be loaded again.
  const atLoad = coverage.static[id] !== undefined;
  if (!atLoad && reached.size === 0) return "unreached";
  Object.assign(stryker, { activeMutant: id, hitCount: 0, hitLimit: HIT_LIMIT });
  try {
    const compiler = atLoad ? await load(`?mutant=${id}`) : plain;
    const by = order.find((index) => (atLoad || reached.has(index)) && differs(compiler, index));
    if (by === undefined) return "survived";
    order = [by, ...order.filter((index) => index !== by)];
    return "killed";
  } catch {
    return "killed";
  } finally {
    stryker.activeMutant = undefined;
  }
}

async function load(query) {
  const compiler = await import(`${pathToFileURL(bundle).href}${query}`);
  compiler.LIMITS.nodes = NODE_LIMIT;
  return compiler;
}

function differs(compiler, index) {
  return outcome(compiler, cases[index]) !== expected[index];
}

function checkClean() {
  const stained = cases.find((_, index) => differs(plain, index));
  if (stained !== undefined) throw new Error(`a mutant left something behind: ${stained.name} is another than before`);
}

function openAll() {
  const compilerOptions = (runtime) => ({
    target: "ES2022",
    lib: ["ES2022", "DOM"],
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    types: [],
    skipLibCheck: true,
    paths: { "@callsign/runtime": [runtime ?? join(root, "packages/runtime/src/index.ts")] },
  });
  const open = (config, overlaid) => {
    const overlay = new Map(overlaid === undefined ? [] : [[config, JSON.stringify(overlaid)]]);
    return plain.openProject({ cwd: dirname(config), project: config, overlay }).project;
  };
  const alike = fixtures.filter(({ config, runtime }) => config === undefined && runtime === undefined);
  const shared = open(join(root, "fixtures/tsconfig.mutation.json"), {
    compilerOptions: compilerOptions(),
    files: alike.flatMap(({ files }) => files),
  });
  return fixtures.flatMap((fixture) => {
    const { name, folder, config, runtime, options } = fixture;
    const own = config ?? join(folder, "tsconfig.json");
    const project = alike.includes(fixture)
      ? shared
      : open(own, config === undefined ? { compilerOptions: compilerOptions(runtime) } : undefined);
    // A tsconfig that cannot be read leaves nothing to map.
    if (project === undefined) return [];
    const inside = project.files.filter((file) => file.fileName.startsWith(folder) && plain.isEntry(file));
    return [{ name, project, files: inside, options }];
  });
}

/** What one fixture comes to, as text. */
function outcome(compiler, { project, files, options }) {
  stryker.hitCount = 0;
  const context = { ...compiler.signatureContext(project, options), places: new Map() };
  const { reporter, places } = context;
  let manifest;
  try {
    const found = compiler.discover(files, project, (fault, node, name) => reporter.atNode(fault, node, name));
    manifest = compiler.buildManifest(found, context);
    const isWhole = reporter.problems.every(({ severity }) => severity !== "error");
    if (isWhole && options.targets !== undefined) compiler.checkTargets({ manifest, places, reporter }, options);
  } catch (error) {
    return `threw ${error.message.slice(0, 80)}`;
  }
  const problems = reporter.sorted();
  const refused = problems.some(({ severity }) => severity === "error");
  return JSON.stringify([refused ? null : manifest, problems.map(({ frame, ...problem }) => problem)]);
}
