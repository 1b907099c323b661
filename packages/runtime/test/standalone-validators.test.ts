import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validateValue } from "../src/calls/validate-value.js";
import { type JsonSchema, type Manifest, ManifestError, useValidators, type Validators } from "../src/index.js";
import type { Json } from "../src/manifest/json-schema.js";
import { writeValidators } from "../src/standalone/index.js";
import { equal, formats, ucs2length } from "../src/validators/index.js";
import { outputAndValue, parametersAndValue } from "./lowering/arbitrary-schema.js";
import { objectSchema } from "./manifest-fixture.js";

function manifestOf(schemas: readonly JsonSchema[]): Manifest {
  return {
    manifestVersion: 1,
    tools: [],
    schemas: schemas.map((schema, index) => ({ name: `S${index}`, module: "a.ts", export: `S${index}`, schema })),
    workflows: [],
  };
}

/** What the generated module exports. */
function load(text: string): Validators {
  const body = text.replace(/^import .*$/m, "").replace("export const validators", "const validators");
  return new Function("equal", "formats", "ucs2length", `${body}\nreturn validators;`)(equal, formats, ucs2length);
}

/** The same schemas twice: checked by Ajv when they are first used, and by what was written for them. */
async function bothWays(schemas: readonly JsonSchema[]) {
  const manifest = manifestOf(schemas);
  const copy = structuredClone(manifest);
  useValidators(copy, load(await writeValidators(manifest)));
  return schemas.map((lazy, index) => ({ lazy, standalone: copy.schemas[index]!.schema }));
}

async function answer(schema: JsonSchema, value: unknown) {
  return validateValue(schema, value, { name: "it" }).catch((error: Error) => ({ thrown: error.message }));
}

const INSTEAD: readonly Json[] = [null, "", "5", "x", 5, -0.5, true, [], {}, [1, 1], { a: "1" }, "[1]"];
const MORE_KEYS = ["a", "b", "kind", "constructor", "__proto__", "", "toString"];

/** `value` with one thing wrong: at every place, another value, a key more or a key less. */
function* mutations(value: Json): Generator<Json> {
  yield* INSTEAD;
  if (Array.isArray(value)) {
    yield [...value, null];
    yield [...value, ...value];
    yield value.slice(1);
    for (const [index, item] of value.entries()) for (const other of mutations(item)) yield value.with(index, other);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value as { [key: string]: Json });
    for (const key of MORE_KEYS) for (const more of [null, "5", 5]) yield Object.fromEntries([...entries, [key, more]]);
    for (const [key, item] of entries) {
      yield Object.fromEntries(entries.filter(([name]) => name !== key));
      for (const other of mutations(item)) {
        yield Object.fromEntries(entries.map(([name, held]) => [name, name === key ? other : held]));
      }
    }
  }
}

describe("standalone validators", () => {
  test("give the same answers and the same messages as Ajv at run time", { timeout: 120_000 }, async () => {
    let compared = 0;
    let refused = 0;
    const cases = fc.array(fc.oneof(parametersAndValue, outputAndValue), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(cases, fc.integer({ min: 0, max: 1_000 }), async (drawn, offset) => {
        const pairs = await bothWays(drawn.map(({ schema }) => schema));
        for (const [index, { lazy, standalone }] of pairs.entries()) {
          const { value } = drawn[index]!;
          const mutated = [...mutations(value)];
          const step = Math.max(1, Math.floor(mutated.length / 12));
          const chosen = mutated.filter((_, at) => (at + offset) % step === 0);
          for (const candidate of [value, ...chosen]) {
            const expected = await answer(lazy, candidate);
            expect(await answer(standalone, candidate)).toEqual(expected);
            compared += 1;
            if ("refusals" in expected) refused += 1;
          }
        }
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(1_000);
    expect(refused).toBeGreaterThan(300);
  });

  test.each<[string, JsonSchema, readonly unknown[]]>([
    [
      "a property named __proto__, and one inherited by every object",
      {
        type: "object",
        properties: Object.fromEntries([
          ["__proto__", { type: "number" }],
          ["constructor", { type: "string" }],
        ]),
        required: ["__proto__", "constructor"],
        additionalProperties: false,
      },
      [JSON.parse('{"__proto__":1,"constructor":"a"}'), {}, { constructor: "a" }, JSON.parse('{"__proto__":"x"}')],
    ],
    ["a property with the empty name", objectSchema({ "": { type: "string" } }), [{}, { "": "a" }, { "": 1 }]],
    [
      "formats",
      objectSchema({
        when: { type: "string", format: "date-time" },
        mail: { type: "string", format: "email" },
        id: { type: "string", format: "uuid" },
        link: { type: "string", format: "uri" },
      }),
      [
        {
          when: "2026-01-01T00:00:00Z",
          mail: "a@example.com",
          id: "9b2d6a52-4d9f-4f0f-9d0f-2f2c9a3b1c11",
          link: "a:b",
        },
        { when: "2026-02-30T00:00:00Z", mail: "a@", id: "9", link: " " },
      ],
    ],
    [
      "lengths in code points, and values that must differ",
      objectSchema({
        text: { type: "string", maxLength: 2 },
        list: { type: "array", items: {}, uniqueItems: true },
      }),
      [
        { text: "🎈🎈", list: [{ a: 1 }, { a: 2 }] },
        { text: "🎈🎈🎈", list: [{ a: 1 }, { a: 1 }] },
      ],
    ],
    [
      "which of two equal items is named, by their type",
      objectSchema({
        plain: { type: "array", items: { type: ["string", "null"] }, uniqueItems: true },
        nested: { type: "array", items: { type: "array", items: {} }, uniqueItems: true },
      }),
      [
        { plain: [null, null], nested: [] },
        { plain: ["a", "b", "a"], nested: [[1], [1]] },
      ],
    ],
    [
      "recursion, through two types",
      {
        $ref: "#/$defs/A",
        $defs: {
          A: objectSchema({ b: { $ref: "#/$defs/B" } }, []),
          B: { anyOf: [objectSchema({ a: { $ref: "#/$defs/A" }, n: { type: "integer" } }), { type: "null" }] },
        },
      },
      [{ b: { a: { b: null }, n: 1 } }, { b: { a: { b: { a: {}, n: "x" } }, n: 1.5 } }, { b: { a: {} } }],
    ],
  ])("agree on %s", async (_, schema, values) => {
    const [both] = await bothWays([schema]);
    for (const value of values) expect(await answer(both!.standalone, value)).toEqual(await answer(both!.lazy, value));
  });

  test("a value that nests too deeply is refused in the same words", async () => {
    const schema: JsonSchema = { $ref: "#/$defs/L", $defs: { L: { type: "array", items: { $ref: "#/$defs/L" } } } };
    const [both] = await bothWays([schema]);
    let value: unknown = 1;
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    expect(await answer(both!.standalone, value)).toEqual(await answer(both!.lazy, value));
  });

  test("equal schemas share their functions, and the same manifest gives the same text", async () => {
    const seat = objectSchema({ row: { type: "integer" }, name: { type: "string" } });
    const one = await writeValidators(manifestOf([seat]));
    const two = await writeValidators(manifestOf([seat, objectSchema({ seat }), { ...seat, description: "A seat." }]));
    const count = (text: string) => [...text.matchAll(/^function validate\d+/gm)].length;
    expect([count(one), count(two)]).toEqual([3, 4]);
    expect(await writeValidators(manifestOf([seat]))).toBe(one);
    expect(two).not.toMatch(/\brequire\(|\beval\b|new Function/);
  });

  test("text from a schema stays text", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text that must stay text
    const odd = '"); globalThis.hurt = 1; ("\n`${globalThis.hurt = 1}` */ require("ajv/dist/runtime/equal").default';
    const schema = objectSchema({ [odd]: { const: odd }, b: { type: "string", pattern: "[\"'`\\\\/]" } }, []);
    const [both] = await bothWays([schema]);
    for (const value of [{ [odd]: odd }, { [odd]: 1 }, { b: "'" }, { b: "x" }, { [`${odd}x`]: 1 }]) {
      expect(await answer(both!.standalone, value)).toEqual(await answer(both!.lazy, value));
    }
    expect(globalThis).not.toHaveProperty("hurt");
  });

  test("useValidators() refuses validators of other schemas, and names each", async () => {
    const manifest = manifestOf([{ type: "string" }, { type: "number" }]);
    const validators = load(await writeValidators(manifest));
    expect(() => useValidators(manifestOf([{ type: "string" }, { type: "integer" }]), validators)).toThrow(
      expect.objectContaining({ code: "validators-stale", pointer: "/schemas/1/schema" }) as ManifestError,
    );
    const more = manifestOf([{ type: "string" }, { type: "number" }, {}]);
    expect(() => useValidators(more, validators)).toThrow(ManifestError);
    expect(() => useValidators(manifest, { ...validators, validatorsVersion: 2 as 1 })).toThrow("version 2");
    expect(() => useValidators(manifest, validators)).not.toThrow();
  });

  test("the parts that they call load no more of Ajv", () => {
    const source = readFileSync(new URL("../src/validators/index.ts", import.meta.url), "utf8");
    expect([...source.matchAll(/from "([^"]+)"/g)].map(([, path]) => path)).toEqual([
      "ajv/dist/runtime/equal.js",
      "ajv/dist/runtime/ucs2length.js",
      "ajv-formats/dist/formats.js",
    ]);
  });
});

test("an object of 5,000 properties and a tuple of 2,000 elements are checked, lazily and standalone", async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
  const wide = objectSchema(Object.fromEntries(names.map((name) => [name, { type: "string" }])), []);
  const long: JsonSchema = { type: "array", prefixItems: Array.from({ length: 2_000 }, () => ({ type: "number" })) };
  const [objects, lists] = await bothWays([wide, long]);
  for (const schema of [objects!.lazy, objects!.standalone]) {
    expect(await answer(schema, { m0: "a", m4999: "b" })).toMatchObject({ valid: true });
    expect(await answer(schema, { m4999: {} })).toMatchObject({ valid: false, refusals: [{ path: ["m4999"] }] });
  }
  for (const schema of [lists!.lazy, lists!.standalone]) {
    expect(await answer(schema, Array(2_000).fill(1))).toMatchObject({ valid: true });
    expect(await answer(schema, [...Array(1_999).fill(1), {}])).toMatchObject({ valid: false });
  }
});
