// Cuts every recorded stream into two network chunks at every byte. Takes hours; the tests do it at the delicate places.
import { spawnSync } from "node:child_process";

const { status } = spawnSync(
  "npx",
  [
    "vitest",
    "run",
    "--testTimeout",
    "36000000",
    "packages/runtime/test/providers/cuts.test.ts",
    ...process.argv.slice(2),
  ],
  { stdio: "inherit", shell: process.platform === "win32", env: { ...process.env, ALL_CUTS: "1" } },
);
process.exit(status ?? 1);
