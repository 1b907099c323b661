import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agent, Schema, Tool } from "../../src/index.js";
import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";
import { providers } from "../../src/providers/index.js";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";

const models = [
  ["anthropic", "claude-opus-5-5", "native"],
  ["anthropic", "claude-sonnet-4-5", "native"],
  ["anthropic", "claude-3-5-haiku-latest", "tool"],
  ["openai", "gpt-6-luna", "native"],
  ["openai-chat", "some-model", "native"],
  ["google", "gemini-3.8-flash", "native"],
  ["google", "gemini-2.5-flash", "after-tools"],
  ["ollama", "qwen3", "after-tools"],
] as const;

interface Forecast {
  city: string;
  days: [number, string][];
  wind?: number;
}

const schema: JsonSchema = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    days: {
      type: "array",
      items: {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "string" }],
        items: false,
        minItems: 2,
        maxItems: 2,
      },
    },
    wind: { type: "number" },
  },
  required: ["city", "days"],
  additionalProperties: false,
};
const answer = { city: "Oslo", days: [[1, "sun"]] };

describe.each(models)("an agent on %s with %s", (name, model, mode) => {
  let fake: FakeProvider;
  beforeAll(async () => {
    fake = await startFakeProvider();
  });
  afterAll(() => fake.close());

  const ping = new Tool({
    name: "ping",
    description: "Pings.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    execute: () => "pong",
  });
  const settings = () => ({ model: `${name}/${model}`, apiKey: "test", baseUrl: fake.url });
  const responseFormat = new Schema<Forecast>({ name: "Forecast", schema });
  const entry = providers[name];

  /** The answer as the model writes it in this mode. */
  const written = (value: Json) => {
    if (mode === "tool") {
      return { toolCalls: [{ name: "respond_with_structured_output", arguments: value as { [key: string]: Json } }] };
    }
    return {
      text: JSON.stringify(entry.lowerOutput({ name: "Forecast", schema }, { model, baseUrl: fake.url }).encode(value)),
    };
  };

  it("answers in a format, with tools", async () => {
    const before = fake.requests.length;
    fake.script({ toolCalls: [{ name: "ping", arguments: {} }] });
    // Tools first; what is said after them is asked for once more, in the format.
    if (mode === "after-tools") fake.script({ text: "Sunny." });
    fake.script(written(answer));
    const assistant = agent("Be brief.", { ...settings(), tools: [ping as Tool<object>], responseFormat });
    expect(await assistant("weather?")).toEqual(answer);
    expect(fake.refusals).toEqual([]);
    expect(fake.requests.length - before).toBe(mode === "after-tools" ? 3 : 2);
  });

  it("answers in a format, without tools", async () => {
    fake.script(written(answer));
    const assistant = agent("Be brief.", { ...settings(), responseFormat });
    expect(await assistant("weather?")).toEqual(answer);
    expect(fake.refusals).toEqual([]);
  });

  it("gets one chance to mend an answer that does not fit", async () => {
    fake.script(written({ ...answer, city: "O" }), written(answer));
    const assistant = agent("Be brief.", { ...settings(), responseFormat });
    expect(await assistant("weather?")).toEqual(answer);
    expect(fake.refusals).toEqual([]);
  });

  it("gives a last answer when no call is left, with a request that the provider takes", async () => {
    const call = {
      toolCalls: [
        { name: "ping", arguments: {} },
        { name: "ping", arguments: {} },
      ],
    };
    fake.script(call, { text: "That is all." });
    const assistant = agent("Be brief.", { ...settings(), tools: [ping as Tool<object>], maxToolCalls: 1 });
    expect(await assistant("go")).toBe("That is all.");
    expect(fake.refusals).toEqual([]);
  });

  it("reasons, calls in parallel and goes on over several turns of one conversation", async () => {
    const step = (reasoning: string) => ({
      reasoning,
      toolCalls: [
        { name: "ping", arguments: {} },
        { name: "ping", arguments: {} },
      ],
    });
    fake.script(step("One."), step("Two."), { reasoning: "Three.", text: "Done." });
    const assistant = agent("Be brief.", { ...settings(), tools: [ping as Tool<object>], reasoningEffort: "medium" });
    expect(await assistant("go")).toBe("Done.");
    expect(fake.refusals).toEqual([]);
  });

  it("tries again when the provider is busy, as it asks for", async () => {
    const wait = name === "google" ? ({ in: "body", ms: 20 } as const) : ({ in: "milliseconds", ms: 20 } as const);
    fake.script({ status: 429, wait }, { status: 503, wait }, { text: "At last." });
    const before = fake.requests.length;
    expect(await agent("Be brief.", settings())("go")).toBe("At last.");
    expect(fake.requests.length - before).toBe(3);
  });
});
