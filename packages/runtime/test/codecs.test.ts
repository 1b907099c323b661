import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encode } from "../src/calls/encode.js";
import { validateValue } from "../src/calls/validate-value.js";
import type { JsonSchema } from "../src/index.js";
import { compileSchema } from "../src/validation/compile-schema.js";
import { objectSchema } from "./manifest-fixture.js";

const date: JsonSchema = { type: "string", format: "date-time", "x-codec": "date" };
const url: JsonSchema = { type: "string", format: "uri", "x-codec": "url" };
const bigint: JsonSchema = { type: "string", pattern: "^-?\\d+$", "x-codec": "bigint" };
const bytes: JsonSchema = { type: "string", contentEncoding: "base64", "x-codec": "bytes" };
const mapOf = (value: JsonSchema): JsonSchema => ({ type: "object", additionalProperties: value, "x-codec": "map" });
const pairsOf = (key: JsonSchema, value: JsonSchema): JsonSchema => ({
  type: "array",
  items: { type: "array", prefixItems: [key, value], items: false, minItems: 2, maxItems: 2 },
  "x-codec": "map",
});
const setOf = (items: JsonSchema): JsonSchema => ({ type: "array", items, uniqueItems: true, "x-codec": "set" });

const moment = new Date("2026-01-15T09:30:00.000Z");
const iso = "2026-01-15T09:30:00.000Z";

async function decoded(schema: JsonSchema, value: unknown): Promise<unknown> {
  const checked = await validateValue(schema, value, { name: "test" });
  if (!checked.valid) throw new Error(JSON.stringify(checked.refusals));
  return checked.value;
}

async function encoded(schema: JsonSchema, value: unknown): Promise<unknown> {
  return encode(await compileSchema(schema, "test"), value);
}

describe("codecs, both ways", () => {
  test.each<[string, JsonSchema, unknown, unknown]>([
    ["a Date", date, iso, moment],
    ["a URL", url, "https://example.com/a?b=c", new URL("https://example.com/a?b=c")],
    ["a bigint beyond 2^53", bigint, "-9007199254740993", -9007199254740993n],
    ["bytes", bytes, "AP8Q", new Uint8Array([0, 255, 16])],
    ["no bytes", bytes, "", new Uint8Array()],
    [
      "a Map with string keys",
      mapOf({ type: "number" }),
      { a: 1, "": 2 },
      new Map([
        ["a", 1],
        ["", 2],
      ]),
    ],
    ["a Map with other keys", pairsOf({ type: "number" }, date), [[1, iso]], new Map([[1, moment]])],
    ["a Set", setOf({ type: "string" }), ["a", "b"], new Set(["a", "b"])],
    ["a Map of Sets of Dates", mapOf(setOf(date)), { a: [iso] }, new Map([["a", new Set([moment])]])],
    ["a Map of bigints to Dates", pairsOf(bigint, date), [["5", iso]], new Map([[5n, moment]])],
    ["a record", { type: "object", additionalProperties: date }, { a: iso }, { a: moment }],
    [
      "named and other members",
      { ...objectSchema({ id: date }), additionalProperties: bigint },
      { id: iso, n: "1" },
      { id: moment, n: 1n },
    ],
    [
      "members by pattern",
      { type: "object", patternProperties: { "^at-": date } },
      { "at-1": iso },
      { "at-1": moment },
    ],
    ["an array", { type: "array", items: date }, [iso], [moment]],
    [
      "a tuple with a rest",
      { type: "array", prefixItems: [{ type: "string" }, date], items: bigint },
      [iso, iso, "1"],
      [iso, moment, 1n],
    ],
    [
      "a reference",
      { $defs: { When: date }, ...objectSchema({ at: { $ref: "#/$defs/When" } }) },
      { at: iso },
      { at: moment },
    ],
    ["Date or null", { anyOf: [date, { type: "null" }] }, null, null],
    ["Date or null", { anyOf: [{ type: "null" }, date] }, iso, moment],
    ["Date or null as one type list", { ...date, type: ["string", "null"] }, null, null],
    ["Date or number", { anyOf: [date, { type: "number" }] }, 5, 5],
    ["Date or Set", { anyOf: [setOf(date), date] }, [iso], new Set([moment])],
    [
      "the branch of a discriminated union that validates",
      {
        anyOf: [
          objectSchema({ kind: { const: "at" }, value: date }),
          objectSchema({ kind: { const: "text" }, value: { type: "string" } }),
        ],
      },
      { kind: "at", value: iso },
      { kind: "at", value: moment },
    ],
  ])("%s", async (_, schema, json, value) => {
    expect(await decoded(schema, json)).toEqual(value);
    expect(await encoded(schema, value)).toEqual(json);
  });

  test("a recursive type with codecs inside", async () => {
    const schema: JsonSchema = {
      $defs: {
        Node: objectSchema(
          { at: date, next: { $ref: "#/$defs/Node" }, all: { type: "array", items: { $ref: "#/$defs/Node" } } },
          ["at"],
        ),
      },
      $ref: "#/$defs/Node",
    };
    const json = { at: iso, next: { at: iso }, all: [{ at: iso, all: [] }] };
    const value = { at: moment, next: { at: moment }, all: [{ at: moment, all: [] }] };
    expect(await decoded(schema, json)).toEqual(value);
    expect(await encoded(schema, value)).toEqual(json);
  });

  test("a plain branch that takes the encoded form wins, whatever the order", async () => {
    for (const branches of [
      [date, { type: "string" }],
      [{ type: "string" }, date],
    ] as JsonSchema[][]) {
      expect(await decoded({ anyOf: branches }, iso)).toBe(iso);
      expect(await encoded({ anyOf: branches }, moment)).toBe(iso);
    }
    const objects = { anyOf: [objectSchema({ at: date }), objectSchema({ at: { type: "string" } })] };
    expect(await decoded(objects, { at: iso })).toEqual({ at: iso });
  });

  test.each<[string, JsonSchema, unknown, RegExp]>([
    ["a day that does not exist", date, "2026-02-30T00:00:00Z", /date-time|moment/],
    ["a leap second", date, "2016-12-31T23:59:60Z", /moment in time/],
    ["an address without a host", url, "http://", /absolute URL|format uri/],
    ["text that is no base64", bytes, "a*b=", /base64/],
    ["base64 without its padding", bytes, "YQ", /base64/],
    [
      "a Map with one key twice",
      pairsOf({ type: "number" }, { type: "number" }),
      [
        [1, 1],
        [1, 2],
      ],
      /same key twice/,
    ],
    ["a Set with one member twice", setOf({ type: "string" }), ["a", "a"], /same value twice/],
    ["more digits than any number has", { ...bigint, pattern: "^\\d+$" }, "1".repeat(20_000), /digits/],
  ])("%s is refused, never thrown", async (_, schema, value, why) => {
    const checked = await validateValue(objectSchema({ v: schema }), { v: value }, { name: "test" });
    expect(checked.valid).toBe(false);
    expect(!checked.valid && checked.refusals[0]).toMatchObject({ path: ["v"], message: expect.stringMatching(why) });
  });

  test("decode(encode(value)) is the value", async () => {
    const schema = objectSchema({
      at: date,
      n: bigint,
      raw: bytes,
      table: mapOf({ anyOf: [bigint, { type: "null" }] }),
      pairs: pairsOf({ type: "number" }, setOf({ type: "string" })),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          at: fc.date({
            noInvalidDate: true,
            min: new Date("0001-01-01T00:00:00Z"),
            max: new Date("9999-12-31T23:59:59Z"),
          }),
          n: fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
          raw: fc.uint8Array(),
          table: fc
            .array(fc.tuple(fc.string(), fc.option(fc.bigInt({ min: -1000n, max: 1000n }))))
            .map((all) => new Map(all)),
          pairs: fc
            .array(
              fc.tuple(
                fc.integer(),
                fc.array(fc.string()).map((all) => new Set(all)),
              ),
            )
            .map((all) => new Map(all)),
        }),
        async (value) => {
          const json = JSON.parse(JSON.stringify(await encoded(schema, value)));
          expect(await decoded(schema, json)).toEqual(value);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("encode() of results that are not what their type says", () => {
  const open: JsonSchema = { type: "object", properties: { at: date, total: { type: "number" } }, required: ["at"] };

  test.each<[string, unknown, unknown]>([
    ["undeclared members are kept", { at: moment, extra: new Set([1n]) }, { at: iso, extra: ["1"] }],
    ["a string where a Date is due stays", { at: "tomorrow" }, { at: "tomorrow" }],
    ["undefined members are left out", { at: moment, total: undefined, f: () => 1 }, { at: iso }],
    ["NaN becomes null", { at: moment, total: Number.NaN }, { at: iso, total: null }],
    ["another type altogether", [new Map([[1, moment]])], [[[1, iso]]]],
    ["boxed values", [Object("a"), Object(1n)], ["a", "1"]],
    ["nothing", undefined, null],
  ])("%s", async (_, value, json) => {
    expect(await encoded(open, value)).toEqual(json);
  });

  test("declared members that a class gives by getters are there, inherited names are not", async () => {
    class Order {
      readonly #sum = 5;
      at = moment;
      get total(): number {
        return this.#sum;
      }
    }
    expect(await encoded(open, new Order())).toEqual({ at: iso, total: 5 });
    expect(await encoded({ type: "object", properties: { toString: {}, valueOf: {} } }, {})).toEqual({});
  });

  test("an object with a JSON form of its own keeps it", async () => {
    expect(await encoded(open, { toJSON: () => ({ at: "x" }) })).toEqual({ at: "x" });
  });

  test("a cycle and an invalid Date have no JSON form", async () => {
    const circle: Record<string, unknown> = { at: moment };
    circle.self = circle;
    await expect(encoded(open, circle)).rejects.toThrow("refers to itself");
    const described: JsonSchema = {
      $defs: { N: { type: "object", properties: { self: { $ref: "#/$defs/N" } } } },
      $ref: "#/$defs/N",
    };
    await expect(encoded(described, circle)).rejects.toThrow("refers to itself");
    await expect(encoded(open, { at: new Date(Number.NaN) })).rejects.toThrow("invalid Date");
  });
});
