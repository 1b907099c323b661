import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activityFeed } from "../../../examples/agents/src/activity-feed.js";
import { schemas } from "../../../examples/agents/src/callsign.gen.js";
import { errorIsolation } from "../../../examples/agents/src/error-isolation.js";
import { logisticsAgent } from "../../../examples/agents/src/logistics-agent.js";
import { mathAgent } from "../../../examples/agents/src/math-agent.js";
import { researchAgent } from "../../../examples/agents/src/research-agent.js";
import { unitConverter } from "../../../examples/agents/src/unit-converter.js";
import { weatherForecast } from "../../../examples/agents/src/weather-forecast.js";
import type { Json } from "../src/manifest/json-schema.js";
import { providers } from "../src/providers/index.js";
import { type FakeProvider, type Scripted, startFakeProvider } from "../src/testing/index.js";

// The same examples as a reader runs them, on every provider: nothing but the model's name changes.
const models = [
  ["anthropic", "claude-sonnet-5-5", "native"],
  ["anthropic", "claude-3-5-haiku-latest", "tool"],
  ["openai", "gpt-6-luna", "native"],
  ["openai-chat", "some-model", "native"],
  ["google", "gemini-3.8-flash", "native"],
  ["google", "gemini-2.5-flash", "after-tools"],
  ["ollama", "qwen3", "after-tools"],
] as const;

describe.each(models)("the examples on %s with %s", (name, model, mode) => {
  let fake: FakeProvider;
  beforeAll(async () => {
    fake = await startFakeProvider();
  });
  afterAll(() => fake.close());

  const run = async <T>(
    example: (settings: { model: string; apiKey: string; baseUrl: string }, question: string) => Promise<T>,
    script: readonly Scripted[],
  ) => {
    const before = fake.requests.length;
    fake.script(...script);
    const result = await example({ model: `${name}/${model}`, apiKey: "test", baseUrl: fake.url }, "the question");
    expect(fake.refusals).toEqual([]);
    return { result, requests: fake.requests.slice(before) };
  };
  const call = (tool: string, args: { readonly [key: string]: Json }) => ({
    toolCalls: [{ name: tool, arguments: args }],
  });
  /** An answer in a format, as this model writes it. */
  const written = (
    format: "WeatherForecast" | "ConversionResult",
    value: { readonly [key: string]: Json },
  ): Scripted => {
    if (mode === "tool") return call("respond_with_structured_output", value);
    const output = providers[name].lowerOutput({ name: format, schema: schemas[format].schema }, { model });
    return { text: JSON.stringify(output.encode(value)) };
  };

  test("math: one result goes into the next call", async () => {
    const { result, requests } = await run(mathAgent, [
      call("add", { a: 12, b: 7 }),
      call("multiply", { a: 19, b: 3 }),
      { text: "57" },
    ]);
    expect(result).toBe("57");
    expect(JSON.stringify(requests[2]?.body)).toContain("57");
  });

  test("weather: a structured answer without tools", async () => {
    const forecast = {
      city: "Bergen",
      temperatureCelsius: 7.5,
      conditions: "drizzle",
      precipitationChance: 0.9,
      recommendation: "Take a coat.",
    };
    const { result } = await run(weatherForecast, [written("WeatherForecast", forecast)]);
    expect(result).toBe("7.5 °C, rain 90 %. Take a coat.");
  });

  test("units: tools and a structured answer together", async () => {
    const conversion = {
      originalValue: 100,
      originalUnit: "km",
      convertedValue: 62.1371,
      targetUnit: "mi",
      formula: "100 × 0.621371",
    };
    const { result, requests } = await run(unitConverter, [
      call("kilometresToMiles", { kilometres: 100 }),
      ...(mode === "after-tools" ? [{ text: "62.1371 miles" }] : []),
      written("ConversionResult", conversion),
    ]);
    expect(result).toEqual(conversion);
    expect(JSON.stringify(requests[1]?.body)).toContain("62.137");
  });

  test("research: more calls than the default limit allows, up to the raised one", async () => {
    const fetches = Array.from({ length: 24 }, () => call("fetch_page", { address: "library/tides" }));
    const { result, requests } = await run(researchAgent, [
      call("search_web", { topic: "tides" }),
      ...fetches,
      { text: "At low tide." },
    ]);
    expect(result).toBe("At low tide.");
    expect(requests).toHaveLength(26);
  });

  test("activity: tokens and tool calls in the order in which they happen", async () => {
    const { result } = await run(activityFeed, [
      { text: "Looking. ", ...call("search_archive", { query: "lighthouse" }) },
      { text: "Three people." },
    ]);
    expect(result).toBe('… search_archive {"query":"lighthouse"}\n✓ search_archive\nLooking. Three people.');
  });

  test("logistics: two tools at once, and a second message that goes on with the same conversation", async () => {
    const { result, requests } = await run(logisticsAgent, [
      {
        toolCalls: [
          { name: "check_inventory", arguments: { sku: "SKU-990" } },
          { name: "calculate_shipping", arguments: { weightKg: 2.5, destination: "ca" } },
        ],
      },
      { text: "Yes; 21.25 dollars." },
      { text: "In stock, 21.25 dollars." },
    ]);
    expect(result).toBe("Yes; 21.25 dollars.\nIn stock, 21.25 dollars.\n(2 tool calls)");
    expect(JSON.stringify(requests[2]?.body)).toContain("east-region-1");
  });

  test("errors: a tool that throws does not end the conversation", async () => {
    const { result, requests } = await run(errorIsolation, [
      call("query_database", { table: "orders" }),
      call("read_copy", { table: "orders" }),
      { text: "42, as of yesterday." },
    ]);
    expect(result).toBe("42, as of yesterday.");
    expect(JSON.stringify(requests[1]?.body)).toContain("Database connection timeout");
  });
});
