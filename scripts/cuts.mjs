// Cuts every recorded stream into two network chunks at every byte: half an hour of CPU time, shared by processes. The
// tests do it at the delicate places.
//   node scripts/cuts.mjs [vitest options, such as -t openai]
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

const parts = availableParallelism();
const args = [
  "vitest",
  "run",
  "--testTimeout",
  "36000000",
  "packages/runtime/test/providers/cuts.test.ts",
  ...process.argv.slice(2),
];

const statuses = await Promise.all(
  Array.from({ length: parts }, (_, part) => {
    const env = { ...process.env, ALL_CUTS: `${part}/${parts}` };
    const child = spawn("npx", args, { stdio: "inherit", shell: process.platform === "win32", env });
    return new Promise((resolve) => child.once("exit", (status) => resolve(status ?? 1)));
  }),
);
process.exit(Math.max(...statuses));
