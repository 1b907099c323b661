import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@callsign\/runtime\/manifest$/, replacement: source("runtime/src/manifest/index.ts") },
      { find: /^@callsign\/runtime\/providers$/, replacement: source("runtime/src/providers/index.ts") },
      { find: /^@callsign\/runtime\/standalone$/, replacement: source("runtime/src/standalone/index.ts") },
      { find: /^@callsign\/runtime\/validators$/, replacement: source("runtime/src/validators/index.ts") },
      { find: /^@callsign\/runtime\/sqlite$/, replacement: source("runtime/src/sqlite/index.ts") },
      { find: /^@callsign\/runtime\/testing$/, replacement: source("runtime/src/testing/index.ts") },
      { find: /^@callsign\/runtime$/, replacement: source("runtime/src/index.ts") },
      { find: /^@callsign\/compiler$/, replacement: source("compiler/src/index.ts") },
    ],
  },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    // Real processes killed by the dozen are a command of their own: npm run kill-suite.
    exclude: ["**/node_modules/**", ...(process.env.KILLS === undefined ? ["**/kill-*.test.ts"] : [])],
    setupFiles: ["scripts/seed-properties.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine is no failure.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
