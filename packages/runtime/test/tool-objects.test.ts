import { expect, test } from "vitest";
import { bindTools, Tool, tool } from "../src/index.js";
import { lowerTools, type TargetName } from "../src/providers/index.js";
import { manifestOf, objectSchema, toolEntry } from "./manifest-fixture.js";

const parameters = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    days: { type: "integer", description: "How many." },
    place: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], minItems: 2, maxItems: 2 },
    notes: { type: "object", additionalProperties: { type: "string" } },
    more: {},
  },
  required: ["city"],
  additionalProperties: false,
} as const;
const weather = new Tool({ name: "weather", description: "Tells the weather.", parameters, execute: () => "rain" });

test.each([
  ["openai", weather.toOpenAI()],
  ["openai-strict", weather.toOpenAI({ strict: true })],
  ["openai-chat", weather.toOpenAI({ api: "chat" })],
  ["anthropic", weather.toAnthropic()],
  ["anthropic-strict", weather.toAnthropic({ strict: true })],
  ["gemini", weather.toGemini()],
  ["ollama", weather.toOllama()],
] satisfies [TargetName, object][])("a tool as an object for %s is what lowerTools() gives", (target, object) => {
  const [lowered] = lowerTools([weather.manifestTool], target);
  expect(object).toEqual(lowered?.wire);
  expect(JSON.parse(JSON.stringify(object))).toEqual(object);
  expect(JSON.stringify(object)).toContain("Tells the weather.");
});

test("a tool as an object is in each provider's own form", () => {
  const add = new Tool({ name: "add", parameters: objectSchema({ a: { type: "number" } }), execute: () => 1 });
  expect(add.toOpenAI()).toMatchObject({
    type: "function",
    name: "add",
    parameters: { type: "object" },
    strict: false,
  });
  expect(add.toOpenAI({ strict: true })).toMatchObject({ strict: true });
  expect(add.toOpenAI({ api: "chat" })).toMatchObject({ type: "function", function: { name: "add" } });
  expect(add.toAnthropic()).toMatchObject({ name: "add", input_schema: { type: "object" } });
  expect(add.toGemini()).toMatchObject({ name: "add", parametersJsonSchema: { type: "object" } });
  expect(add.toOllama()).toMatchObject({ type: "function", function: { name: "add" } });
});

test("the name and description that tool({…}, fn) gives reach the object", () => {
  const fetchQuote = tool(
    { name: "lookup_stock_ticker", description: "The latest quote." },
    (symbol: string) => symbol,
  );
  const compiled = toolEntry({
    name: "lookup_stock_ticker",
    description: "The latest quote.",
    export: "fetchQuote",
    parameters: objectSchema({ symbol: { type: "string" } }),
    call: [{ from: "property", name: "symbol" }],
  });
  const { lookup_stock_ticker: bound } = bindTools(manifestOf(compiled), { fetchQuote });
  for (const object of [bound?.toOpenAI(), bound?.toAnthropic(), bound?.toGemini()]) {
    expect(object).toMatchObject({ name: "lookup_stock_ticker", description: "The latest quote." });
  }
});
