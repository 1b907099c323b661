import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";
import { type Body, many, parameters, user, type WrongRequest } from "./wrong-request.js";

// One wrong request for each rule, sent by the provider's own SDK: the fake provider must not only agree with us.

let fake: FakeProvider;

beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

describe("the fake provider refuses by Anthropic's SDK", () => {
  const send = (body: Body, apiKey = "test") =>
    new Anthropic({ apiKey, baseURL: fake.url, maxRetries: 0 }).messages.create({
      model: "claude-sonnet-5",
      max_tokens: 1_000,
      messages: [user("hi")],
      ...body,
    } as never);
  const tool = { name: "f", description: "F.", input_schema: parameters };
  const strict = (input_schema: unknown) => ({ tools: [{ ...tool, strict: true, input_schema }] });
  const call = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "f", input });
  const result = (tool_use_id: string) => ({ type: "tool_result", tool_use_id, content: "ok" });

  const wrong: WrongRequest[] = [
    { rule: "a wrong key", body: {}, key: "wrong", says: /x-api-key/, error: Anthropic.AuthenticationError },
    { rule: "an unknown model", body: { model: "missing" }, says: /missing/, error: Anthropic.NotFoundError },
    { rule: "temperature", body: { temperature: 1 }, says: /temperature: Extra inputs are not permitted/ },
    { rule: "top_p", body: { top_p: 1 }, says: /top_p: Extra/ },
    { rule: "top_k", body: { top_k: 1 }, says: /top_k: Extra/ },
    { rule: "the old output_format", body: { output_format: {} }, says: /output_format: Extra/ },
    { rule: "no messages", body: { messages: [] }, says: /at least one message/ },
    { rule: "max_tokens of 0", body: { max_tokens: 0 }, says: /max_tokens/ },
    { rule: "a tool name with a dot", body: { tools: [{ ...tool, name: "a.b" }] }, says: /should match pattern/ },
    { rule: "two tools of one name", body: { tools: [tool, tool] }, says: /unique/ },
    {
      rule: "a union at the root",
      body: { tools: [{ ...tool, input_schema: { type: "object", anyOf: [{}] } }] },
      says: /'anyOf' is not supported at the root/,
    },
    {
      rule: "a root that is no object",
      body: { tools: [{ ...tool, input_schema: { type: "string" } }] },
      says: /type 'object'/,
    },
    {
      rule: "an open object in a strict tool",
      body: strict({ ...parameters, additionalProperties: true }),
      says: /additionalProperties/,
    },
    {
      rule: "minimum in a strict tool",
      body: strict({ ...parameters, properties: { a: { type: "number", minimum: 1 } } }),
      says: /'minimum' is not permitted/,
    },
    {
      rule: "minLength in a strict tool",
      body: strict({ ...parameters, properties: { a: { type: "string", minLength: 1 } } }),
      says: /minLength/,
    },
    {
      rule: "maxItems in a strict tool",
      body: strict({ ...parameters, properties: { a: { type: "array", items: { type: "string" }, maxItems: 1 } } }),
      says: /maxItems/,
    },
    {
      rule: "minItems above 1 in a strict tool",
      body: strict({ ...parameters, properties: { a: { type: "array", items: { type: "string" }, minItems: 2 } } }),
      says: /minItems/,
    },
    {
      rule: "prefixItems in a strict tool",
      body: strict({ ...parameters, properties: { a: { type: "array", items: { type: "string" }, prefixItems: [] } } }),
      says: /prefixItems/,
    },
    {
      rule: "oneOf in a strict tool",
      body: strict({ ...parameters, properties: { a: { oneOf: [{ type: "string" }] } } }),
      says: /oneOf/,
    },
    {
      rule: "uniqueItems in a strict tool",
      body: strict({
        ...parameters,
        properties: { a: { type: "array", items: { type: "string" }, uniqueItems: true } },
      }),
      says: /uniqueItems/,
    },
    {
      rule: "an object in an enum of a strict tool",
      body: strict({ ...parameters, properties: { a: { enum: [{}] } } }),
      says: /primitive/,
    },
    {
      rule: "recursion in a strict tool",
      body: strict({
        ...parameters,
        properties: { a: { $ref: "#/$defs/A" } },
        $defs: { A: { ...parameters, properties: { a: { $ref: "#/$defs/A" } } } },
      }),
      says: /recursive/,
    },
    {
      rule: "look-around in a strict tool",
      body: strict({ ...parameters, properties: { a: { type: "string", pattern: "(?=x)" } } }),
      says: /look-around/,
    },
    {
      rule: "an unknown format in a strict tool",
      body: strict({ ...parameters, properties: { a: { type: "string", format: "color" } } }),
      says: /format/,
    },
    {
      rule: "25 optional parameters in strict tools",
      body: strict({ ...parameters, properties: many(25), required: [] }),
      says: /grammar is too large/,
    },
    {
      rule: "21 strict tools",
      body: { tools: Array.from({ length: 21 }, (_, index) => ({ ...tool, name: `f${index}`, strict: true })) },
      says: /grammar is too large/,
    },
    {
      rule: "17 unions in strict tools",
      body: strict({
        ...parameters,
        properties: Object.fromEntries(Object.keys(many(17)).map((name) => [name, { type: ["string", "null"] }])),
        required: Object.keys(many(17)),
      }),
      says: /grammar is too large/,
    },
    {
      rule: "a forced choice on 5.5",
      body: { model: "claude-opus-5-5", tools: [tool], tool_choice: { type: "any" } },
      says: /tool_choice: 'any' is not supported/,
    },
    {
      rule: "a forced tool on Fable",
      body: { model: "claude-fable-5-2", tools: [tool], tool_choice: { type: "tool", name: "f" } },
      says: /tool_choice: 'tool'/,
    },
    {
      rule: "a forced choice beside enabled thinking",
      body: {
        model: "claude-sonnet-4-5",
        max_tokens: 5_000,
        tools: [tool],
        tool_choice: { type: "any" },
        thinking: { type: "enabled", budget_tokens: 2_000 },
      },
      says: /Thinking may not be enabled/,
    },
    {
      rule: "a choice of a tool that is not there",
      body: { tools: [tool], tool_choice: { type: "tool", name: "g" } },
      says: /'g' not found/,
    },
    { rule: "a choice without tools", body: { tool_choice: { type: "auto" } }, says: /while providing tools/ },
    {
      rule: "enabled thinking on a current model",
      body: { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 4_000 },
      says: /thinking.type/,
    },
    {
      rule: "thinking that is turned off on Opus 5.5",
      body: { model: "claude-opus-5-5", thinking: { type: "disabled" } },
      says: /thinking.type/,
    },
    {
      rule: "a budget below 1024",
      body: { model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 10 } },
      says: /1024/,
    },
    {
      rule: "a budget above max_tokens",
      body: { model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 2_000 } },
      says: /max_tokens/,
    },
    {
      rule: "an effort that the model lacks",
      body: { model: "claude-opus-4-6", output_config: { effort: "xhigh" } },
      says: /Supported levels: low, medium, high, max/,
    },
    {
      rule: "a name in an output format",
      body: { output_config: { format: { type: "json_schema", name: "x", schema: parameters } } },
      says: /Extra inputs/,
    },
    {
      rule: "an output format outside the grammar",
      body: { output_config: { format: { type: "json_schema", schema: { type: "object" } } } },
      says: /additionalProperties/,
    },
    {
      rule: "a call without result",
      body: { tools: [tool], messages: [user("hi"), { role: "assistant", content: [call("t1")] }, user("go on")] },
      says: /without `tool_result` blocks immediately after: t1/,
    },
    {
      rule: "a result without call",
      body: { tools: [tool], messages: [user([result("t9")])] },
      says: /unexpected `tool_use_id`.*t9/,
    },
    {
      rule: "two results for one call",
      body: {
        tools: [tool],
        messages: [user("hi"), { role: "assistant", content: [call("t1")] }, user([result("t1"), result("t1")])],
      },
      says: /single result/,
    },
    {
      rule: "results after text",
      body: {
        tools: [tool],
        messages: [
          user("hi"),
          { role: "assistant", content: [call("t1")] },
          user([{ type: "text", text: "x" }, result("t1")]),
        ],
      },
      says: /must come before/,
    },
    {
      rule: "two calls of one id",
      body: {
        tools: [tool],
        messages: [user("hi"), { role: "assistant", content: [call("t1"), call("t1")] }, user([result("t1")])],
      },
      says: /unique/,
    },
    {
      rule: "calls in the history without tools",
      body: { messages: [user("hi"), { role: "assistant", content: [call("t1")] }, user([result("t1")])] },
      says: /must define tools/,
    },
    {
      rule: "an input that is no object",
      body: {
        tools: [tool],
        messages: [user("hi"), { role: "assistant", content: [call("t1", "{}")] }, user([result("t1")])],
      },
      says: /valid dictionary/,
    },
    { rule: "an empty text block", body: { messages: [user([{ type: "text", text: "" }])] }, says: /non-empty/ },
    { rule: "a prefill", body: { messages: [user("hi"), { role: "assistant", content: "Well" }] }, says: /prefill/ },
    {
      rule: "a document in an assistant message",
      body: { messages: [user("hi"), { role: "assistant", content: [{ type: "document" }] }, user("x")] },
      says: /document/,
    },
    {
      rule: "citations on user text",
      body: { messages: [user([{ type: "text", text: "x", citations: [] }])] },
      says: /citations/,
    },
    {
      rule: "a signature that it did not write",
      body: {
        messages: [
          user("hi"),
          { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "forged" }] },
          user("x"),
        ],
      },
      says: /Invalid `signature`/,
    },
  ];

  it.each(wrong)("$rule", async ({ body, says, error, key }) => {
    const failure = await send(body, key).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(error ?? Anthropic.BadRequestError);
    expect((failure as Error).message).toMatch(says);
  });

  describe("a thinking block that comes back", () => {
    const thinkingTurn = async (model: string) => {
      fake.script({ reasoning: "Hmm.", toolCalls: [{ name: "f", arguments: { a: "x" } }] });
      const reply = await send({ model, tools: [tool], system: "Be brief." });
      const id = reply.content.find((block) => block.type === "tool_use")!.id;
      return [user("hi"), { role: "assistant", content: reply.content }, user([result(id)])];
    };

    it("under another system prompt, on a model that binds it", async () => {
      const messages = await thinkingTurn("claude-opus-5-5");
      const failure = await send({ model: "claude-opus-5-5", tools: [tool], system: "Be long.", messages }).catch(
        (thrown: unknown) => thrown,
      );
      expect((failure as Error).message).toMatch(/bound to a different conversation/);
    });

    it("under other tools, on a model that binds it", async () => {
      const messages = await thinkingTurn("claude-opus-5-5");
      const failure = await send({
        model: "claude-opus-5-5",
        tools: [{ ...tool, description: "G." }],
        system: "Be brief.",
        messages,
      }).catch((thrown: unknown) => thrown);
      expect((failure as Error).message).toMatch(/bound to a different conversation/);
    });

    it("with another text", async () => {
      const messages = JSON.parse(JSON.stringify(await thinkingTurn("claude-sonnet-5")).replace("Hmm.", "Aha."));
      const failure = await send({ tools: [tool], system: "Be brief.", messages }).catch((thrown: unknown) => thrown);
      expect((failure as Error).message).toMatch(/cannot be modified/);
    });

    it("but not when it is left as it was", async () => {
      const messages = await thinkingTurn("claude-opus-5-5");
      fake.script({ text: "done" });
      const reply = await send({ model: "claude-opus-5-5", tools: [tool], system: "Be brief.", messages });
      expect(reply.content).toEqual([{ type: "text", text: "done" }]);
    });
  });
});
