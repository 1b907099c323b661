import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { compileSchema } from "../../runtime/src/validation/compile-schema.js";
import { compileFixture, type Fixture, readFixtures, schemasOf, updateFixture } from "./support/fixtures.js";
import { strictComplaints } from "./support/strict-ajv.js";

const updating = process.env.UPDATE_FIXTURES === "1";
const fixtures = readFixtures();

describe.each(fixtures.map((fixture) => [fixture.name, fixture] as const))("the fixture %s", (_, fixture) => {
  const outcome = compileFixture(fixture);
  if (updating) updateFixture(fixture, outcome);
  const expected = updating ? { ...fixture, ...outcome } : fixture;

  test("comes to its expected manifest and report", () => {
    expect(
      expected.manifest ?? expected.errors,
      "a folder holds a manifest.json, an errors.txt, or both",
    ).toBeDefined();
    expect(outcome.errors).toBe(expected.errors);
    expect(outcome.manifest).toBe(expected.manifest);
  });

  test("comes to the same with the DOM library and without the ways around it", () => {
    const whole = compileFixture(fixture, { keepDom: true });
    expect(whole.errors).toBe(outcome.errors);
    expect(whole.manifest).toBe(outcome.manifest);
  });

  const { manifest } = outcome.result;
  if (manifest === undefined) return;

  test("has schemas that strict Ajv compiles without a word", () => {
    for (const { name, schema } of schemasOf(manifest)) expect(strictComplaints(schema), name).toEqual([]);
  });

  if (Object.keys(fixture.calls).length > 0) {
    test("takes the valid samples and refuses the invalid ones", async () => {
      for (const [name, samples] of Object.entries(fixture.calls)) await runSamples(name, samples, schemasOf(manifest));
    });
  }
});

async function runSamples(
  name: string,
  { valid = [], invalid = [] }: Fixture["calls"][string],
  schemas: ReturnType<typeof schemasOf>,
): Promise<void> {
  const found = schemas.find((each) => each.name === name);
  if (found === undefined) throw new Error(`calls.json names ${name}, which the manifest does not have`);
  const compiled = await compileSchema(found.schema, name);
  const why = (value: unknown) => `${name} ${JSON.stringify(value)}`;
  for (const value of valid) expect(compiled.firstError(compiled.root, value), why(value)).toBeUndefined();
  for (const value of invalid) expect(compiled.accepts(compiled.root, value), why(value)).toBe(false);
}

/** The codes that `messages.ts` can give, read from its text so that none is forgotten. */
function knownCodes(file = "messages.ts"): readonly string[] {
  const text = readFileSync(new URL(`../src/errors/${file}`, import.meta.url), "utf8");
  const found = [...text.matchAll(/\b(?:error|warning)\)?\(\s*["`]([a-z${}-]+)["`],/g)].map((match) => match[1] ?? "");
  return [...new Set(found.flatMap((code) => ["schema", "workflow"].map((kind) => code.replace(/\$\{kind\}/, kind))))];
}

describe.skipIf(process.env.FIXTURE !== undefined)("the fixtures as a whole", () => {
  test("show every code of the compiler at least once", () => {
    const shown = fixtures.flatMap(({ errors = "" }) =>
      [...errors.matchAll(/^(?:\S.*?:\d+:\d+ - )?(?:error|warning) ([a-z-]+): /gm)].map((match) => match[1]),
    );
    expect(knownCodes().length).toBeGreaterThan(40);
    expect(knownCodes().filter((code) => !shown.includes(code))).toEqual([]);
  });

  test("use each code only as messages.ts and target-messages.ts give it", () => {
    const known = [...knownCodes(), ...knownCodes("target-messages.ts")];
    for (const { name, errors = "" } of fixtures) {
      for (const [, code] of errors.matchAll(/^(?:\S.*?:\d+:\d+ - )?(?:error|warning) ([a-z-]+): /gm)) {
        expect(known, name).toContain(code);
      }
    }
  });

  test.each(["types", "errors"])("are what docs/%s.md is made from", (page) => {
    const script = fileURLToPath(new URL(`../../../scripts/docs-${page}.mjs`, import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, ...(updating ? [] : ["--check"])], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });
});
