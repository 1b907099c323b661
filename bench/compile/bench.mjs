// CPU time and peak memory of whole processes: callsignc against ts-json-schema-generator without its type check, on
// the same generated types. Rounds are interleaved; medians and the ratio of medians are printed.
//   node bench.mjs [--rounds 7] [--sizes 1,100,1000]
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generateTools } from "./generate-tools.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, sizes: { type: "string", default: "1,100,1000" } },
});
const rounds = Number(values.rounds);
const sizes = values.sizes.split(",").map(Number);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const callsignc = here("../../packages/compiler/bin/callsignc.js");
const peer = here("node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js");
const usage = here("usage.cjs");
for (const [file, remedy] of [
  [peer, "run npm install in bench/compile"],
  [callsignc, "run npm run build at the root"],
]) {
  if (!existsSync(file)) throw new Error(`${file} is missing: ${remedy}`);
}

function run(script, parameters, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--require", usage, script, ...parameters], {
      cwd,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    let errors = "";
    let measured = "";
    child.stderr.on("data", (text) => {
      errors += text;
    });
    child.stdio[3].on("data", (text) => {
      measured += text;
    });
    child.on("close", (code) => {
      if (code === 0 && measured !== "") resolve(JSON.parse(measured));
      else reject(new Error(`${script} ${parameters.join(" ")} ended with ${code}: ${errors.slice(-500)}`));
    });
  });
}

const root = mkdtempSync(join(tmpdir(), "callsign-bench-"));
const results = new Map();
const note = (key, result) => results.set(key, [...(results.get(key) ?? []), result]);
try {
  for (const size of sizes) {
    const folder = join(root, String(size));
    generateTools(size, folder);
    // A project has node_modules, and so a place for the record that early exit needs and for compiled code.
    mkdirSync(join(folder, "node_modules/@callsign"), { recursive: true });
    symlinkSync(here("../../packages/runtime"), join(folder, "node_modules/@callsign/runtime"));
  }
  for (let round = -1; round < rounds; round++) {
    for (const size of sizes) {
      const folder = join(root, String(size));
      for (const made of ["callsign.manifest.json", "callsign.gen.ts", "callsign.tools.gen.ts"]) {
        rmSync(join(folder, "src", made), { force: true });
      }
      const cold = await run(callsignc, ["build"], folder);
      const idle = await run(callsignc, ["build"], folder);
      const other = await run(
        peer,
        [
          "--path",
          "src/tools-*.ts",
          "--tsconfig",
          "tsconfig.json",
          "--no-type-check",
          "--out",
          join(root, "peer.json"),
        ],
        folder,
      );
      if (round < 0) continue; // warms the file cache and the cache of compiled code
      note(`${size} cold`, cold);
      note(`${size} idle`, idle);
      note(`${size} peer`, other);
    }
  }
} finally {
  rmSync(root, { recursive: true });
}

const median = (key, field) => {
  const sorted = results
    .get(key)
    .map((result) => result[field])
    .sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};
console.log(`node ${process.version}, ${rounds} rounds, medians of whole processes`);
console.log(
  "| tools | peer CPU ms | cold build CPU ms | ratio | nothing to do CPU ms | ratio | cold peak MiB | peer peak MiB |",
);
console.log("|---|---|---|---|---|---|---|---|");
for (const size of sizes) {
  const [other, cold, idle] = ["peer", "cold", "idle"].map((kind) => median(`${size} ${kind}`, "cpuMs"));
  const cells = [
    size,
    other.toFixed(0),
    cold.toFixed(0),
    (cold / other).toFixed(2),
    idle.toFixed(0),
    (idle / other).toFixed(3),
    median(`${size} cold`, "peakMiB").toFixed(0),
    median(`${size} peer`, "peakMiB").toFixed(0),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
