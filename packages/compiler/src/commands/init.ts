import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { USUAL_FILES } from "../manifest/generated-files.js";
import { findTsconfig } from "../manifest/output-folder.js";
import { withReason, writeAtomically } from "../manifest/write-atomically.js";
import { packageVersion } from "../package-version.js";
import { readIfThere } from "../source/read-if-there.js";
import type { CommandInput } from "./command.js";
import { completePackage, type Package, readPackage } from "./init-package.js";
import type { Terminal } from "./terminal.js";

const FIRST_TOOL = `/**
 * Adds two numbers.
 *
 * @tool
 * @param a The first number.
 * @param b The second number.
 */
export function add(a: number, b: number): number {
  return a + b;
}
`;

const TSCONFIG = {
  compilerOptions: {
    target: "ES2023",
    // With the platform's types, so that URL, AbortSignal, fetch and console have a meaning without @types/node.
    lib: ["ES2023", "DOM"],
    module: "nodenext",
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ["src"],
};

/** `callsignc init` */
export async function runInit(input: CommandInput, { cwd, out }: Terminal): Promise<0 | 1 | 2> {
  // Read first: a package.json that cannot be read ends the command before anything is written.
  const before = readPackage(join(cwd, "package.json"));
  const steps: string[] = [];
  const create = (path: string, text: string): void => {
    if (existsSync(join(cwd, path))) {
      steps.push(`kept      ${path}`);
      return;
    }
    withReason(join(cwd, path), () => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      // `wx`: also when the file has come into being a moment ago, it is not overwritten.
      writeFileSync(join(cwd, path), text, { flag: "wx" });
    });
    steps.push(`created   ${path}`);
  };

  steps.push(...writePackage(cwd, before));
  const tsconfig = findTsconfig({ cwd });
  if (tsconfig === undefined) create("tsconfig.json", toJson(TSCONFIG));
  else steps.push(`kept      ${slashed(relative(cwd, tsconfig))}`);
  create(join("src", "tools.ts"), FIRST_TOOL);
  if (before?.value.callsign === undefined) {
    const project = tsconfig === undefined ? "tsconfig.json" : slashed(relative(cwd, tsconfig));
    const $schema = "./node_modules/@callsign/compiler/config.schema.json";
    create("callsign.config.json", toJson({ $schema, project, outDir: "src" }));
  }
  const ignored = [
    ...(before === undefined ? ["node_modules/"] : []),
    ...(input.options.ignore === true ? USUAL_FILES : []),
  ];
  steps.push(...addToGitignore(cwd, ignored));

  out(`${steps.join("\n")}\n\n${describeChoice(input.options.ignore === true)}\n${describeNext(cwd)}`);
  return 0;
}

function writePackage(cwd: string, before: Package | undefined): string[] {
  const { text, added } = completePackage(before, { folderName: basename(cwd), version: packageVersion() });
  if (added.length === 0) return ["kept      package.json"];
  writeAtomically([{ path: join(cwd, "package.json"), text }]);
  return [before === undefined ? "created   package.json" : `added     ${added.join(", ")} to package.json`];
}

function addToGitignore(cwd: string, wanted: readonly string[]): string[] {
  const path = join(cwd, ".gitignore");
  const before = readIfThere(path) ?? "";
  const present = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  const lacking = wanted.filter((line) => !present.has(line) && !present.has(line.replace(/\/$/, "")));
  if (lacking.length === 0) return [];
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  writeAtomically([{ path, text: `${before}${gap}${lacking.join("\n")}\n` }]);
  return [`${before === "" ? "created   .gitignore" : `added     ${lacking.join(", ")} to .gitignore`}`];
}

function describeChoice(ignore: boolean): string {
  const names = USUAL_FILES.join(", ");
  return ignore
    ? `The generated files (${names}) stay out of Git;
each clone and each CI run has to build before it type-checks or starts.
`
    : `Commit the generated files (${names}):
a change of what models see then shows in review, \`callsignc check\` can tell when they are stale, and a clone works
at once. To keep them out of Git instead, run init again with --ignore.
`;
}

function describeNext(cwd: string): string {
  const manager = packageManager(cwd);
  const run = manager === "npm" ? "npm run" : manager === "bun" ? "bun run" : manager;
  const hooks =
    manager === "yarn"
      ? "\nYarn 2 and later do not run scripts such as prebuild by themselves: call `callsignc build` in your own scripts.\n"
      : "";
  return `Next:
  ${manager} install
  ${run} callsign          compiles src/tools.ts; writes src/callsign.manifest.json and the modules beside it
  ${run} callsign:check    for CI: tells whether they are current
${hooks}
Then, in your application: import { tools } from "./callsign.tools.gen.js"
`;
}

function packageManager(cwd: string): "npm" | "pnpm" | "yarn" | "bun" {
  const locks = { "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun" } as const;
  for (const [lock, manager] of Object.entries(locks)) if (existsSync(join(cwd, lock))) return manager;
  return "npm";
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
