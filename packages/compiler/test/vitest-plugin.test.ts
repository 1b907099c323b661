import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { expectManifest } from "../src/plugins/vitest.js";
import { makeProject, ONE_TOOL } from "./doubles/command.js";

const file = join("__snapshots__", "vitest-plugin.json");
const path = fileURLToPath(new URL(`./${file}`, import.meta.url));
afterAll(() => rmSync(path, { force: true }));

test("expectManifest() is content with a snapshot that fits, and gives the manifest", async () => {
  const cwd = makeProject(ONE_TOOL);
  const { compile } = await import("../src/compile.js");
  const { writeManifest } = await import("../src/manifest/write-manifest.js");
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, writeManifest((await compile({ cwd })).manifest!));
  const manifest = await expectManifest({ cwd, file });
  expect(manifest.tools.map(({ name }) => name)).toEqual(["sendLetter"]);
});

test("expectManifest() throws the report when the source holds errors", async () => {
  const cwd = makeProject({
    ...ONE_TOOL,
    "src/bad.ts": "/**\n * Does.\n * @tool\n */\nexport function bad(done: () => void): void {}\n",
  });
  await expect(expectManifest({ cwd, file })).rejects.toThrow(/the tools cannot be compiled\n\nsrc\/bad\.ts:5/);
});

test("expectManifest() says which tool differs from the snapshot, how, and whether callers break", async () => {
  const cwd = makeProject(ONE_TOOL);
  const { compile } = await import("../src/compile.js");
  const { writeManifest } = await import("../src/manifest/write-manifest.js");
  const before = structuredClone((await compile({ cwd })).manifest!);
  before.tools[0]!.parameters.required = ["to"];
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, writeManifest(before));
  const error: Error = await expectManifest({ cwd, file }).then(
    () => expect.fail("the snapshot differs"),
    (thrown: Error) => thrown,
  );
  const [head, , ...lines] = error.message.split("\n");
  expect(head).toBe("the manifest differs from its snapshot");
  expect(lines.slice(0, 2).join("\n")).toMatchInlineSnapshot(`
    "tool sendLetter
      breaking  sendLetter(text): presence optional → required"
  `);
  // The lines that differ follow, as vitest shows them.
  expect(error.message).toContain("Snapshot");
});
