// The gate: everything that must hold before a change lands. Runs all steps and names those that failed.
//   node scripts/ok.mjs [STEP…]
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = (name) => join(root, "node_modules/.bin", name);
const node = (...parameters) => [process.execPath, ...parameters];

/** Every project with a committed manifest. */
const projects = globSync("examples/*/tsconfig.json", { cwd: root }).map((path) => join(root, dirname(path)));

const steps = {
  format: [[bin("biome"), "format", "."]],
  // Import cycles are one of the linter's rules.
  lint: [[bin("biome"), "lint", "--error-on-warnings", "."]],
  build: [node("scripts/build.mjs")],
  types: [
    node("node_modules/typescript/bin/tsc", "-p", "tsconfig.json"),
    // Code that runs in a browser.
    node("node_modules/typescript/bin/tsc", "-p", "packages/runtime/src/inspector"),
    node("node_modules/typescript/bin/tsc", "-p", "packages/runtime/test/server/browser"),
    ...projects.map((project) => node("node_modules/typescript/bin/tsc", "-p", project, "--noEmit")),
  ],
  // Pages that are made of fixtures and tests are current.
  pages: ["types", "errors", "providers"].map((page) => node("--no-warnings", `scripts/docs-${page}.mjs`, "--check")),
  manifests: projects.map((project) => node("packages/compiler/bin/callsignc.js", "check", "--cwd", project)),
  examples: [node("scripts/doc-examples.mjs")],
  // Among them: exported names, fixtures, every code documented.
  tests: [[bin("vitest"), "run"]],
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(steps);
const failed = [];
for (const name of wanted) {
  const commands = steps[name];
  if (commands === undefined) {
    console.error(`there is no step ${name}; the steps are ${Object.keys(steps).join(", ")}`);
    process.exit(2);
  }
  console.log(`\n── ${name}`);
  const started = Date.now();
  const passed = commands.every(
    ([command, ...parameters]) => spawnSync(command, parameters, { cwd: root, stdio: "inherit" }).status === 0,
  );
  console.log(`── ${name} ${passed ? "passed" : "FAILED"} in ${((Date.now() - started) / 1000).toFixed(0)} s`);
  if (!passed) failed.push(name);
}
console.log(failed.length === 0 ? "\nok: all steps passed" : `\nnot ok: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
