import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPath, type Refusal } from "../src/calls/refusal.js";
import { validateValue } from "../src/calls/validate-value.js";
import type { JsonSchema } from "../src/index.js";
import { objectSchema } from "./manifest-fixture.js";

const name = "search";
const json = (text: string): unknown => JSON.parse(text);

async function accepted(schema: JsonSchema, value: unknown): Promise<unknown> {
  const checked = await validateValue(schema, value, { name });
  if (!checked.valid) throw new Error(checked.refusals.map(line).join("; "));
  return checked.json;
}

async function refused(schema: JsonSchema, value: unknown): Promise<string[]> {
  const checked = await validateValue(schema, value, { name });
  if (checked.valid) throw new Error(`accepted ${JSON.stringify(checked.json)}`);
  return checked.refusals.map(line);
}

const line = ({ path, message }: Refusal): string => `${formatPath(path)}: ${message}`;

describe("validateValue() coerces only what has one reading", () => {
  test.each<[string, JsonSchema, unknown, unknown]>([
    ["a number in a string", { type: "number" }, "5", 5],
    ["a whole number in a string", { type: "integer" }, " 5 ", 5],
    ["a boolean in a string", { type: "boolean" }, "true", true],
    ["an enum member in a string", { enum: [1, 2] }, "2", 2],
    ["an array in a string", { type: "array", items: { type: "integer" } }, "[1,2]", [1, 2]],
    [
      "strings inside a string",
      objectSchema({ a: { type: "array", items: { type: "number" } } }),
      { a: '["1"]' },
      { a: [1] },
    ],
    ["null for an absent optional", objectSchema({ a: { type: "string" } }, []), { a: null }, {}],
    ["a number for a bigint", { type: "string", pattern: "^-?\\d+$", "x-codec": "bigint" }, 5, "5"],
    [
      "a member of the one branch that fits",
      {
        anyOf: [
          objectSchema({ k: { const: "a" }, n: { type: "number" } }),
          objectSchema({ k: { const: "b" }, n: { type: "string" } }),
        ],
      },
      { k: "a", n: "5" },
      { k: "a", n: 5 },
    ],
  ])("%s", async (_, schema, value, expected) => {
    expect(await accepted(schema, value)).toEqual(expected);
  });

  test.each<[string, JsonSchema, unknown]>([
    ["a string that is due", { type: "string" }, "[1,2]"],
    ["a string where a string may be", { type: ["string", "number"] }, "5"],
    ["null that is allowed", objectSchema({ a: { type: ["string", "null"] } }, []), { a: null }],
  ])("%s stays as it is", async (_, schema, value) => {
    expect(await accepted(schema, value)).toEqual(value);
  });

  test.each<[string, JsonSchema, unknown]>([
    ["a number that would lose digits", { type: "integer" }, "9007199254740993"],
    ["a number too large for any", { type: "number" }, "1e999"],
    ["null for what is required", objectSchema({ a: { type: "string" } }), { a: null }],
    ["a string that spells null", { type: "null" }, "null"],
    ["an empty string for a number", { type: "number" }, ""],
    ["yes for a boolean", { type: "boolean" }, "yes"],
    ["a number for a string", { type: "string" }, 5],
    [
      "two readings",
      {
        anyOf: [
          { type: "array", items: { type: "number" } },
          { type: "array", items: { type: "boolean" } },
        ],
      },
      "[]x",
    ],
  ])("%s is refused", async (_, schema, value) => {
    await expect(refused(schema, value)).resolves.not.toHaveLength(0);
  });

  test("a union that two readings fit is refused", async () => {
    const branch = (items: JsonSchema): JsonSchema => objectSchema({ a: items, b: { type: "number" } });
    const schema = { anyOf: [branch({ type: ["number", "string"] }), branch({ type: ["integer", "null", "string"] })] };
    expect(await accepted(schema, { a: "1", b: "2" })).toEqual({ a: "1", b: 2 });
    const apart = {
      anyOf: [branch({ type: "number" }), objectSchema({ a: { type: "boolean" }, b: { type: "string" } })],
    };
    await refused(apart, { a: "x", b: "2" });
  });

  test("does not change its argument", async () => {
    const value = { a: "5", b: { c: null } };
    await accepted(objectSchema({ a: { type: "number" }, b: objectSchema({ c: { type: "number" } }, []) }), value);
    expect(value).toEqual({ a: "5", b: { c: null } });
  });
});

describe("validateValue() explains a refusal for the model", () => {
  const filter = objectSchema(
    {
      city: { type: "string", minLength: 1 },
      limit: { type: "integer", minimum: 1, maximum: 50 },
      when: { type: "string", format: "date" },
      sort: { enum: ["price", "date"] },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, uniqueItems: true },
    },
    ["city", "limit"],
  );

  test("with every place at once: path, rule and value received", async () => {
    expect(
      await refused(objectSchema({ filter }), {
        filter: { limit: 99, when: "soon", sort: "cheap", tags: ["ok", "Not Ok"], colour: "red" },
      }),
    ).toEqual([
      "filter.city: is required, but missing; it must be a string",
      "filter.limit: must be <= 50; got 99",
      'filter.when: must be a string in the format date; got "soon"',
      'filter.sort: must be one of "price", "date"; got "cheap"',
      'filter.tags[1]: must match the pattern /^[a-z]+$/u; got "Not Ok"',
      "filter.colour: is not a property here; the properties are city, limit, when, sort, tags",
    ]);
  });

  const shapes: JsonSchema = {
    anyOf: [
      objectSchema({ kind: { const: "circle" }, r: { type: "number" } }),
      objectSchema({ kind: { const: "square" }, side: { type: "number" } }),
    ],
  };

  test("of a union it explains the branch that was meant", async () => {
    expect(await refused(shapes, { kind: "square", r: 1 })).toEqual([
      "side: is required, but missing; it must be a number",
      "r: is not a property here; the properties are kind, side",
    ]);
    expect(await refused(shapes, { kind: "triangle" })).toEqual([
      'kind: must be one of "circle", "square"; got "triangle"',
    ]);
    expect(await refused(shapes, 5)).toEqual([
      "(root): must be an object with kind, r, or an object with kind, side; got 5",
    ]);
  });

  test("briefly, however large the value and however many its faults", async () => {
    const items = { type: "array", items: { type: "number" } } as const;
    const lines = await refused(
      items,
      Array.from({ length: 10_000 }, () => "x".repeat(10_000)),
    );
    expect(lines.length).toBeLessThan(20);
    expect(lines.join("\n").length).toBeLessThan(4000);
  });
});

describe("validateValue() with hostile keys and values", () => {
  const keys = [
    "",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "a/b",
    "a~1b",
    "it's",
    '"',
    "\u2028",
    "$ref",
    "length",
  ];

  test.each(keys)("a property named %j is required, typed and allowed like any other", async (key) => {
    const schema = json(
      `{"type":"object","properties":{${JSON.stringify(key)}:{"type":"string"}},"required":[${JSON.stringify(key)}],"additionalProperties":false}`,
    ) as JsonSchema;
    const value = (held: unknown): unknown => json(`{${JSON.stringify(key)}:${JSON.stringify(held)}}`);
    expect(await accepted(schema, value("x"))).toEqual(value("x"));
    expect(await refused(schema, value(1))).toHaveLength(1);
    expect((await refused(schema, {})).join()).toContain("is required, but missing");
  });

  test.each(keys)("an optional property named %j is not found on the prototype", async (key) => {
    const schema = json(
      `{"type":"object","properties":{${JSON.stringify(key)}:{"type":"string"}},"additionalProperties":false}`,
    ) as JsonSchema;
    expect(await accepted(schema, {})).toEqual({});
  });

  test.each(keys)(
    "an undeclared property named %j is refused by a closed object, and checked in a record",
    async (key) => {
      const value = json(`{${JSON.stringify(key)}:1}`);
      expect(await refused(objectSchema({}), value)).toHaveLength(1);
      expect(await refused({ type: "object", additionalProperties: { type: "string" } }, value)).toHaveLength(1);
      const kept = await accepted({ type: "object", additionalProperties: { type: "number" } }, value);
      expect(Object.keys(kept as object)).toEqual([key]);
    },
  );

  test("an own __proto__ never becomes a prototype when a value is coerced or decoded", async () => {
    const schema: JsonSchema = { type: "object", additionalProperties: objectSchema({ at: { type: "number" } }) };
    const kept = (await accepted(schema, json('{"__proto__":{"at":"5"}}'))) as object;
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect(Object.entries(kept)).toEqual([["__proto__", { at: 5 }]]);
  });

  test("nesting beyond the stack is a refusal", async () => {
    const schema: JsonSchema = {
      $defs: { Node: objectSchema({ next: { $ref: "#/$defs/Node" } }, []) },
      $ref: "#/$defs/Node",
    };
    let value: object = { wrong: 1 };
    for (let depth = 0; depth < 50_000; depth += 1) value = { next: value };
    expect(await refused(schema, value)).toEqual(["(root): nests too deeply"]);
  });

  test("a deep value of a recursive union is checked without trying every combination", async () => {
    const operands = (op: string): JsonSchema =>
      objectSchema({ left: { $ref: "#/$defs/Expr" }, right: { $ref: "#/$defs/Expr" }, op: { const: op } });
    const schema: JsonSchema = {
      $defs: { Expr: { anyOf: [{ type: "number" }, ...["+", "-", "*", "/"].map(operands)] } },
      $ref: "#/$defs/Expr",
    };
    let value: unknown = 1;
    for (let depth = 0; depth < 100; depth += 1) value = { op: "/", left: value, right: 1 };
    expect(await accepted(schema, value)).toEqual(value);
    let wrong: unknown = "x";
    for (let depth = 0; depth < 40; depth += 1) wrong = { op: "/", left: wrong, right: "1" };
    await expect(refused(schema, wrong)).resolves.not.toHaveLength(0);
  });

  test("no JSON value makes it throw", async () => {
    const schema = objectSchema({
      a: { anyOf: [{ type: "number" }, { type: "array", items: { type: "boolean" } }] },
      "": { type: "string", format: "date-time", "x-codec": "date" },
      m: { type: "object", additionalProperties: { type: "string", "x-codec": "bigint" }, "x-codec": "map" },
    });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (a, b) => {
        for (const value of [a, { a, "": b }, { a: 1, "": "2026-01-01T00:00:00Z", m: b }]) {
          await validateValue(schema, value, { name });
        }
      }),
      { numRuns: 300 },
    );
  });
});
