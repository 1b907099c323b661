// The package brings the parts of TypeScript that it uses, picked by its build. Here they stand in for the whole.
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import { buildTypeScript } from "../build/build-typescript.mjs";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const folder = join(packageFolder, "../../node_modules/.cache/callsign-test", `typescript-${process.pid}`);
mkdirSync(folder, { recursive: true });
await buildTypeScript(folder);
copyFileSync(join(packageFolder, "build/ts-morph-common.mjs"), join(folder, "ts-morph-common.mjs"));
afterAll(() => rmSync(folder, { recursive: true }));

vi.doMock("@ts-morph/common", () => import(join(folder, "ts-morph-common.mjs")));
const { compileFixture, readFixtures } = await import("./support/fixtures.js");

test("with the packaged parts of TypeScript every fixture comes to the same", async () => {
  expect(Object.keys((await import("@ts-morph/common")).ts)).not.toContain("createLanguageService");
  const fixtures = readFixtures();
  expect(fixtures.length).toBeGreaterThan(0);
  for (const fixture of fixtures) {
    const outcome = compileFixture(fixture);
    expect(outcome.errors, fixture.name).toBe(fixture.errors);
    expect(outcome.manifest, fixture.name).toBe(fixture.manifest);
  }
  // A minute where nothing else runs; several processes share the machine of most test runs.
}, 600_000);
