import { Ollama } from "ollama";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";
import { type Body, user, type WrongRequest } from "./wrong-request.js";

// One wrong request for each rule, sent by the provider's own SDK: the fake provider must not only agree with us.

let fake: FakeProvider;

beforeAll(async () => {
  fake = await startFakeProvider({ ollamaWithoutTools: ["plain"], ollamaWithoutThinking: ["plain"] });
});
afterAll(() => fake.close());

describe("the fake provider refuses by Ollama's SDK", () => {
  const send = (body: Body) =>
    new Ollama({ host: fake.url }).chat({ model: "qwen3", messages: [user("hi")], ...body } as never);
  const tool = (schema: unknown) => ({
    tools: [{ type: "function", function: { name: "f", description: "F.", parameters: schema } }],
  });

  const wrong: WrongRequest[] = [
    { rule: "an unknown model", body: { model: "missing" }, says: /not found/, status: 404 },
    {
      rule: "tools on a model without",
      body: { model: "plain", ...tool({ type: "object", properties: {} }) },
      says: /does not support tools/,
    },
    { rule: "thinking on a model without", body: { model: "plain", think: true }, says: /does not support thinking/ },
    { rule: "a think level that does not exist", body: { think: "xhigh" }, says: /invalid think value/ },
    {
      rule: "arguments as text",
      body: {
        messages: [
          user("hi"),
          { role: "assistant", content: "", tool_calls: [{ function: { name: "f", arguments: "{}" } }] },
        ],
      },
      says: /cannot unmarshal string/,
    },
    {
      rule: "a message without text",
      body: { messages: [{ role: "user", content: null }] },
      says: /content of type string/,
    },
    { rule: "an unknown role", body: { messages: [{ role: "developer", content: "x" }] }, says: /invalid role/ },
    {
      rule: "a keyword that the server forgets",
      body: tool({ type: "object", properties: { a: { const: 1 } } }),
      says: /forgets 'const'/,
    },
  ];

  it.each(wrong)("$rule", async ({ body, says, status }) => {
    const failure = (await send(body).catch((thrown: unknown) => thrown)) as Error & { status_code: number };
    expect(failure.name).toBe("ResponseError");
    expect(failure.status_code).toBe(status ?? 400);
    expect(failure.message).toMatch(says);
  });

  it("nothing when format and tools meet, but it never calls a tool then", async () => {
    fake.script({ text: "{}", toolCalls: [{ name: "f", arguments: {} }] });
    const reply = await send({ format: "json", ...tool({ type: "object", properties: {} }) });
    expect((reply as unknown as { message: { tool_calls?: unknown } }).message.tool_calls).toBeUndefined();
  });
});
