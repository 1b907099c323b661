import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";
import type { ManifestTool } from "../../src/manifest/manifest.js";
import type { LoweredTool, TargetName } from "../../src/model/index.js";
import { lowerAnthropicTools } from "../../src/providers/anthropic/lower.js";
import { lowerOutput, lowerTool, targets } from "../../src/providers/index.js";
import {
  geminiSchemaProblems,
  ollamaSchemaProblems,
  plainSchemaProblems,
} from "../../src/testing/rules/plain-schema.js";
import { anthropicStrictProblems, openaiStrictProblems } from "../../src/testing/rules/strict-schema.js";

const TARGETS = Object.keys(targets) as TargetName[];

function closed(properties: { [name: string]: JsonSchema }, ...optional: string[]): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function toolOf(parameters: JsonSchema, more: Partial<ManifestTool> = {}): ManifestTool {
  return { name: "t", module: "t.ts", export: "t", parameters, call: [{ from: "arguments" }], ...more };
}

const address: JsonSchema = {
  ...closed({ street: { type: "string", description: "Street and number." } }),
  description: "Address of a person.",
};

describe("a description beside a reference (RC-A09)", () => {
  const parameters: JsonSchema = {
    ...closed({
      order: closed({
        shipTo: { $ref: "#/$defs/Address", description: "Where the goods go." },
        billTo: { $ref: "#/$defs/Address" },
        past: { type: "array", items: { $ref: "#/$defs/Address" }, description: "Older addresses." },
      }),
    }),
    $defs: { Address: address },
  };

  it.each(TARGETS)("stays on the way to the member on %s", (target) => {
    const { schema } = lowerTool(toolOf(parameters), target);
    const order = (schema as JsonSchema).properties!.order!;
    const text = (name: string) => textsOn(order.properties![name]!, schema as JsonSchema);
    expect(text("shipTo")).toContain("Where the goods go.");
    expect(text("billTo")).toContain("Address of a person.");
    expect(text("shipTo")).toContain("Street and number.");
    expect(text("billTo")).not.toContain("Where the goods go.");
    expect(text("past")).toContain("Older addresses.");
  });
});

/** All descriptions at and below a schema, references followed. */
function textsOn(schema: JsonSchema, root: JsonSchema): string {
  const next = [
    ...(schema.$ref === undefined ? [] : [root.$defs![schema.$ref.slice(8)]!]),
    ...(schema.anyOf ?? []),
    ...(typeof schema.items === "object" ? [schema.items] : []),
    ...Object.values(schema.properties ?? {}),
  ];
  return [schema.description ?? "", ...next.map((child) => textsOn(child, root))].join(" ");
}

describe("optional members in a strict schema (RC-A10)", () => {
  const parameters = closed(
    {
      city: { type: "string" },
      nights: { type: "number" },
      coupon: { type: ["string", "null"] },
      room: { enum: ["single", "double"], type: "string", default: "single" },
    },
    "nights",
    "coupon",
    "room",
  );

  it("are required and nullable on OpenAI, and null means absent where the type has no null", () => {
    const { schema, restore, strict } = lowerTool(toolOf(parameters), "openai-strict");
    expect(strict).toBe(true);
    expect(schema).toEqual({
      type: "object",
      properties: {
        city: { type: "string" },
        nights: { type: ["number", "null"] },
        coupon: { type: ["string", "null"] },
        room: { type: ["string", "null"], enum: ["single", "double", null], description: '(default "single")' },
      },
      required: ["city", "nights", "coupon", "room"],
      additionalProperties: false,
    });
    expect(restore({ city: "Rome", nights: null, coupon: null, room: null })).toEqual({ city: "Rome", coupon: null });
    expect(restore({ city: null, nights: null, coupon: null, room: null })).toEqual({ city: null, coupon: null });
  });

  it("stay optional on Anthropic", () => {
    const { schema, strict } = lowerTool(toolOf(parameters), "anthropic-strict");
    expect(strict).toBe(true);
    expect(schema.required).toEqual(["city"]);
  });
});

describe("what Gemini has no keyword for (RC-A11)", () => {
  it("is rewritten or described, and values come back as they are", () => {
    const query = closed({
      page: { type: "number", exclusiveMinimum: 0 },
      size: { enum: [10, 20, 50], type: "number" },
      sort: { const: "new" },
      strict: { const: true },
      mode: { enum: ["fast", 1, null] },
    });
    const { schema, restore, dropped } = lowerTool(toolOf(closed({ query })), "gemini");
    expect(schema).toEqual({
      type: "object",
      properties: {
        query: {
          type: "object",
          properties: {
            page: { type: "number", description: "(greater than 0)" },
            size: { type: "number", enum: [10, 20, 50] },
            sort: { type: "string", enum: ["new"] },
            strict: { type: "boolean", description: "(exactly true)" },
            mode: { anyOf: [{ type: "string", enum: ["fast"] }, { type: "number", enum: [1] }, { type: "null" }] },
          },
          required: ["page", "size", "sort", "strict", "mode"],
          additionalProperties: false,
          propertyOrdering: ["page", "size", "sort", "strict", "mode"],
        },
      },
      required: ["query"],
      additionalProperties: false,
    });
    expect(dropped).toEqual([
      { pointer: "/properties/query/properties/page", keyword: "exclusiveMinimum", value: 0 },
      { pointer: "/properties/query/properties/strict", keyword: "const", value: true },
    ]);
    const value = { query: { page: 1, size: 20, sort: "new", strict: true, mode: "fast" } };
    expect(restore(value)).toEqual(value);
  });
});

describe("a union as the whole input (RC-A12)", () => {
  const command: JsonSchema = {
    anyOf: [
      closed({ dx: { type: "number" }, dy: { type: "number" }, kind: { const: "move" } }),
      closed({ kind: { const: "stop" }, reason: { type: "string" } }),
    ],
  };

  it.each(TARGETS)("keeps every branch below an object at the root on %s", (target) => {
    for (const schema of [
      lowerTool(toolOf(closed({ command })), target).schema,
      lowerOutput({ name: "Command", schema: command }, target).schema,
    ]) {
      expect(schema.type).toBe("object");
      for (const keyword of ["anyOf", "oneOf", "allOf", "enum", "not"]) expect(schema).not.toHaveProperty(keyword);
      for (const name of ["dx", "dy", "reason", "move", "stop"]) expect(JSON.stringify(schema)).toContain(`"${name}"`);
    }
  });

  it("unwraps an output on the way back", () => {
    const { restore } = lowerOutput({ name: "Command", schema: command }, "openai-strict");
    expect(restore({ value: { kind: "stop", reason: "x" } })).toEqual({ kind: "stop", reason: "x" });
  });

  it("puts the property that tells the branches apart first on OpenAI", () => {
    const { schema } = lowerTool(toolOf(closed({ command })), "openai-strict");
    const first = (schema as JsonSchema).properties!.command!.anyOf![0]!;
    expect(Object.keys(first.properties!)).toEqual(["kind", "dx", "dy"]);
  });
});

/** From the arguments that a model writes for each wire to the arguments that the function gets. */
const constructs: {
  name: string;
  parameters: JsonSchema;
  receives: Json;
  writes: { [target in TargetName]?: Json } & { others?: Json };
}[] = [
  {
    name: "an optional property",
    parameters: closed({ a: { type: "string" }, b: { type: "number" } }, "b"),
    receives: { a: "x" },
    writes: { "openai-strict": { a: "x", b: null } },
  },
  {
    name: "a nullable property",
    parameters: closed({ a: { type: ["string", "null"] } }),
    receives: { a: null },
    writes: {},
  },
  {
    name: "an optional and nullable property that is null",
    parameters: closed({ a: { type: ["string", "null"] } }, "a"),
    receives: { a: null },
    writes: {},
  },
  {
    name: "an optional object that is absent",
    parameters: closed({ a: closed({ b: { type: "string" } }) }, "a"),
    receives: {},
    writes: { "openai-strict": { a: null } },
  },
  {
    name: "a tuple with an optional place",
    parameters: closed({
      at: {
        type: "array",
        prefixItems: [{ type: "string" }, { type: "number" }],
        items: false,
        minItems: 1,
        maxItems: 2,
      },
    }),
    receives: { at: ["x"] },
    writes: { "openai-strict": { at: { 0: "x", 1: null } }, "anthropic-strict": { at: { 0: "x" } } },
  },
  {
    name: "a tuple with a rest",
    parameters: closed({
      at: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" }, minItems: 1 },
    }),
    receives: { at: ["x", 1, 2] },
    writes: { "openai-strict": { at: { 0: "x", rest: [1, 2] } }, "anthropic-strict": { at: { 0: "x", rest: [1, 2] } } },
  },
  {
    name: "a record",
    parameters: closed({ ages: { type: "object", additionalProperties: { type: "number" } } }),
    receives: { ages: { constructor: 1, "": 2 } },
    writes: {
      "openai-strict": {
        ages: [
          { key: "constructor", value: 1 },
          { key: "", value: 2 },
        ],
      },
      "anthropic-strict": {
        ages: [
          { key: "constructor", value: 1 },
          { key: "", value: 2 },
        ],
      },
    },
  },
  {
    name: "a recursive type",
    parameters: {
      ...closed({ tree: { $ref: "#/$defs/Tree" } }),
      $defs: { Tree: closed({ name: { type: "string" }, next: { $ref: "#/$defs/Tree" } }, "next") },
    },
    receives: { tree: { name: "a", next: { name: "b" } } },
    writes: { "openai-strict": { tree: { name: "a", next: { name: "b", next: null } } } },
  },
  {
    name: "a value of any type",
    parameters: closed({ any: {} }),
    receives: { any: { deep: [1, null] } },
    writes: {
      "openai-strict": { any: '{"deep":[1,null]}' },
      "anthropic-strict": { any: '{"deep":[1,null]}' },
      gemini: { any: '{"deep":[1,null]}' },
    },
  },
  { name: "no arguments", parameters: closed({}), receives: {}, writes: {} },
];

describe.each(TARGETS)("the way back from %s", (target) => {
  it.each(constructs)("turns $name into what the function declares", ({ parameters, receives, writes }) => {
    const lowered = lowerTool(toolOf(parameters), target);
    const written = lowered.strict || !target.endsWith("-strict") ? (writes[target] ?? receives) : receives;
    expect(lowered.restore(written)).toEqual(receives);
    expect(lowered.encode(receives)).toEqual(written);
  });
});

describe("restore", () => {
  it("refuses a record with the key __proto__ by leaving it as it came", () => {
    const { restore } = lowerTool(
      toolOf(closed({ r: { type: "object", additionalProperties: { type: "number" } } })),
      "openai-strict",
    );
    const written = { r: [{ key: "__proto__", value: 1 }] };
    expect(restore(written)).toEqual(written);
  });

  it("lets the last of two equal keys win", () => {
    const { restore } = lowerTool(
      toolOf(closed({ r: { type: "object", additionalProperties: { type: "number" } } })),
      "openai-strict",
    );
    expect(
      restore({
        r: [
          { key: "a", value: 1 },
          { key: "a", value: 2 },
        ],
      }),
    ).toEqual({ r: { a: 2 } });
  });

  it("leaves a tuple alone that the model wrote as an array, and one with a hole", () => {
    const at: JsonSchema = {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "number" }],
      items: false,
      minItems: 0,
    };
    const { restore } = lowerTool(toolOf(closed({ at })), "openai-strict");
    expect(restore({ at: ["x", 1] })).toEqual({ at: ["x", 1] });
    expect(restore({ at: { 0: null, 1: 1 } })).toEqual({ at: { 0: null, 1: 1 } });
  });
});

describe("strictness", () => {
  const recursive: JsonSchema = {
    ...closed({ tree: { $ref: "#/$defs/Tree" } }),
    $defs: { Tree: closed({ next: { $ref: "#/$defs/Tree" } }, "next") },
  };

  it("is given up for a recursive type on Anthropic, and said", () => {
    const lowered = lowerTool(toolOf(recursive), "anthropic-strict");
    expect(lowered).toMatchObject({
      strict: false,
      target: "anthropic",
      notes: ["not strict: the type Tree contains itself"],
    });
    expect(lowered.wire).not.toHaveProperty("strict");
  });

  it("is given up for an object with declared and further properties", () => {
    const open = { ...closed({ id: { type: "string" } }), additionalProperties: { type: "number" } } as JsonSchema;
    const lowered = lowerTool(toolOf(closed({ open })), "openai-strict");
    expect(lowered.strict).toBe(false);
    expect(lowered.notes).toEqual([
      "not strict: the object at /properties/open takes properties that are not declared beside those that are",
    ]);
    expect(lowered.wire).toMatchObject({ strict: false });
  });

  it("is given up for a schema that is nested too deep for OpenAI", () => {
    let schema: JsonSchema = { type: "string" };
    for (let level = 0; level < 12; level += 1) schema = closed({ inner: schema });
    expect(lowerTool(toolOf(schema), "openai-strict").notes).toEqual(["not strict: depth 12, the provider takes 10"]);
  });

  it("is shared out in order among the tools of one Anthropic request", () => {
    const wide = closed(
      Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`o${index}`, { type: "string" }])),
      ...Array.from({ length: 10 }, (_, index) => `o${index}`),
    );
    const tools = ["a", "b", "c", "d"].map((name) =>
      toolOf(name === "d" ? closed({ x: { type: "string" } }) : wide, { name }),
    );
    const lowered = lowerAnthropicTools(tools, { strict: true });
    expect(lowered.map(({ strict }) => strict)).toEqual([true, true, false, true]);
    expect(lowered[2]!.notes).toEqual(["not strict: optional 30 in the request, the provider takes 24"]);
  });
});

describe("recursion on Gemini", () => {
  it("stays in properties that may be absent, since the wire has it nowhere else", () => {
    const parameters: JsonSchema = {
      ...closed({ tree: { $ref: "#/$defs/Tree" } }),
      $defs: {
        Tree: closed({ name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } }),
      },
    };
    const { schema, dropped } = lowerTool(toolOf(parameters), "gemini");
    expect((schema as JsonSchema).$defs!.Tree).toMatchObject({
      required: ["name"],
      description: "(children must be given)",
    });
    expect(dropped).toEqual([{ pointer: "/$defs/Tree", keyword: "required", value: "children" }]);
  });

  it("is written out some levels deep where no property lies between, and comes back exact", () => {
    const parameters: JsonSchema = {
      ...closed({ nested: { $ref: "#/$defs/Nested" } }),
      $defs: { Nested: { type: "array", items: { anyOf: [{ type: "number" }, { $ref: "#/$defs/Nested" }] } } },
    };
    const { schema, restore, encode } = lowerTool(toolOf(parameters), "gemini");
    const value = { nested: [1, [2, [3, [4, [5]]]]] };
    expect(geminiSchemaProblems(schema)).toEqual([]);
    expect(restore(encode(value))).toEqual(value);
  });
});

describe("tools on the wire", () => {
  it("keep a short description on Chat Completions and say what was cut", () => {
    const description = "😀".repeat(600);
    const lowered = lowerTool(toolOf(closed({}), { description }), "openai-chat");
    const sent = (lowered.wire.function as { description: string }).description;
    expect(sent.length).toBeLessThanOrEqual(1024);
    expect(sent).toMatch(/^(?:😀)+…$/u);
    expect(lowered.dropped).toEqual([{ pointer: "", keyword: "description", value: description }]);
  });

  it("have no parameters on Gemini when there are none", () => {
    expect(lowerTool(toolOf(closed({})), "gemini").wire).toEqual({ name: "t" });
  });

  it("say on Ollama in the tool's description what the root of the schema cannot say", () => {
    const { wire } = lowerTool(
      toolOf(closed({ a: { type: "string", minLength: 2 } }), { description: "Does it." }),
      "ollama",
    );
    expect(wire).toEqual({
      type: "function",
      function: {
        name: "t",
        description: "Does it. (no other properties)",
        parameters: {
          type: "object",
          properties: { a: { type: "string", description: "(at least 2 characters)" } },
          required: ["a"],
        },
      },
    });
  });
});

const CORPUS = new URL("../../../../../shared/corpus/constructs.ts", import.meta.url);

describe("the corpus of constructs", () => {
  const rights = existsSync(CORPUS)
    ? [...readFileSync(CORPUS, "utf8").matchAll(/^\s*\/\/ @(?:right|either)(?:\[[^\]]*\])?\s+(\{.*\})\s*$/gm)].map(
        ([, json]) => JSON.parse(json!) as JsonSchema,
      )
    : [closed({ a: { type: "string" } })];

  it.each(TARGETS)("breaks no rule of %s in any construct", (target) => {
    for (const right of rights) {
      const { $defs, ...schema } = right;
      const tool = toolOf({ ...closed({ it: schema }), ...($defs === undefined ? {} : { $defs }) });
      expect({ right, problems: problemsOf(lowerTool(tool, target)) }).toEqual({ right, problems: [] });
      const { strict, schema: output } = lowerOutput({ name: "Out", schema: right }, target);
      if (strict)
        expect(target.startsWith("openai") ? openaiStrictProblems(output) : anthropicStrictProblems(output)).toEqual(
          [],
        );
    }
  });
});

function problemsOf({ schema, strict, target }: LoweredTool): string[] {
  if (strict) return target.startsWith("openai") ? openaiStrictProblems(schema) : anthropicStrictProblems(schema);
  if (target === "gemini") return geminiSchemaProblems(schema);
  if (target === "ollama") return ollamaSchemaProblems(schema);
  return plainSchemaProblems(schema);
}
