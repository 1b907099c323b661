// Compiles and runs the TypeScript examples of the README files, of docs/ and of the @example tags of the sources.
// A fence "```ts no-run" is compiled only. An example that imports ./callsign.gen.js gets it from callsignc build.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const work = join(root, ".doc-examples");
const tsc = join(root, "node_modules/typescript/bin/tsc");
const callsignc = join(root, "packages/compiler/bin/callsignc.js");

const FENCE = /^```ts( no-run)?\n([\s\S]*?)^```$/gm;
const TAG = /^( *)\* @example\n((?: *\*(?!\/).*\n)+)/gm;

function* examples() {
  for (const path of globSync(["README.md", "docs/*.md", "packages/*/README.md"], { cwd: root })) {
    const text = readFileSync(join(root, path), "utf8");
    for (const { 1: flag, 2: code, index } of text.matchAll(FENCE)) {
      yield { from: `${path}:${text.slice(0, index).split("\n").length}`, code, runs: flag === undefined };
    }
  }
  for (const path of globSync("packages/*/src/**/*.ts", { cwd: root })) {
    const text = readFileSync(join(root, path), "utf8");
    for (const { 2: block, index } of text.matchAll(TAG)) {
      const lines = block.split("\n").map((line) => line.replace(/^ *\* ?/, ""));
      const end = lines.findIndex((line) => /^@\w/.test(line));
      const code = (end < 0 ? lines : lines.slice(0, end)).join("\n").replace(/^```\w*\n|\n```\s*$/g, "");
      yield { from: `${path}:${text.slice(0, index).split("\n").length}`, code, runs: false };
    }
  }
}

rmSync(work, { recursive: true, force: true });
const failures = [];
let count = 0;
for (const { from, code, runs } of examples()) {
  const folder = join(work, String(count++));
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
  writeFileSync(join(folder, "src/app.ts"), code);
  const compilerOptions = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    skipLibCheck: true,
    types: ["node"],
    rootDir: "src",
    outDir: "out",
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  const steps = [
    ...(code.includes("callsign.gen")
      ? [[callsignc, "build", ...(code.includes("callsign.validators.gen") ? ["--validators"] : [])]]
      : []),
    [tsc, "-p", "."],
    ...(runs ? [["out/app.js"]] : []),
  ];
  for (const step of steps) {
    const { status, stdout, stderr } = spawnSync(process.execPath, step, {
      cwd: folder,
      encoding: "utf8",
      timeout: 60_000,
    });
    if (status !== 0) {
      failures.push(`${from}\n${stdout}${stderr}`);
      break;
    }
  }
}
rmSync(work, { recursive: true, force: true });
for (const failure of failures) console.error(failure);
console.log(`documentation examples: ${count - failures.length} passed, ${failures.length} failed`);
if (count === 0 || failures.length > 0) process.exitCode = 1;
