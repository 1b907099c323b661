import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";

// One wrong request for each rule, sent by the provider's own SDK: the fake provider must not only agree with us.

let fake: FakeProvider;

beforeAll(async () => {
  fake = await startFakeProvider({ ollamaWithoutTools: ["plain"], ollamaWithoutThinking: ["plain"] });
});
afterAll(() => fake.close());

type Body = Record<string, unknown>;
interface Wrong {
  readonly rule: string;
  readonly body: Body;
  readonly says: RegExp;
  readonly error?: unknown;
  readonly key?: string;
}

const parameters = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};
const user = (content: unknown) => ({ role: "user", content });
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]));

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

  const wrong: Wrong[] = [
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

describe("the fake provider refuses by OpenAI's SDK", () => {
  const client = (apiKey = "test") => new OpenAI({ apiKey, baseURL: `${fake.url}/v1`, maxRetries: 0 });
  const strictTool = (schema: unknown) => ({ type: "function", name: "f", parameters: schema, strict: true });
  const nested = (levels: number): unknown =>
    levels === 0
      ? { type: "string" }
      : { type: "object", properties: { a: nested(levels - 1) }, required: ["a"], additionalProperties: false };

  describe("on Responses", () => {
    const send = (body: Body, key?: string) =>
      client(key).responses.create({ model: "gpt-6-luna", input: "hi", store: false, ...body } as never);
    const call = (id: string) => ({ type: "function_call", call_id: id, name: "f", arguments: "{}" });
    const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" });
    const strict = (schema: unknown) => ({ tools: [strictTool(schema)] });

    const wrong: Wrong[] = [
      { rule: "a wrong key", body: {}, key: "wrong", says: /API key/, error: OpenAI.AuthenticationError },
      { rule: "an unknown model", body: { model: "missing" }, says: /does not exist/, error: OpenAI.NotFoundError },
      {
        rule: "an optional property in a strict tool",
        body: strict({ ...parameters, required: [] }),
        says: /'required' is required to be supplied/,
      },
      {
        rule: "an open object in a strict tool",
        body: strict({ ...parameters, additionalProperties: true }),
        says: /'additionalProperties' is required/,
      },
      {
        rule: "prefixItems in a strict tool",
        body: strict({
          ...parameters,
          properties: { a: { type: "array", items: { type: "string" }, prefixItems: [] } },
        }),
        says: /prefixItems/,
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
        rule: "oneOf in a strict tool",
        body: strict({ ...parameters, properties: { a: { oneOf: [] } } }),
        says: /oneOf/,
      },
      {
        rule: "not in a strict tool",
        body: strict({ ...parameters, properties: { a: { type: "string", not: {} } } }),
        says: /'not'/,
      },
      {
        rule: "patternProperties in a strict tool",
        body: strict({ ...parameters, patternProperties: {} }),
        says: /patternProperties/,
      },
      {
        rule: "default in a strict tool",
        body: strict({ ...parameters, properties: { a: { type: "string", default: "x" } } }),
        says: /'default' is not permitted/,
      },
      {
        rule: "the format uri in a strict tool",
        body: strict({ ...parameters, properties: { a: { type: "string", format: "uri" } } }),
        says: /not a valid format/,
      },
      {
        rule: "a reference with a description in a strict tool",
        body: strict({
          ...parameters,
          properties: { a: { $ref: "#/$defs/A", description: "x" } },
          $defs: { A: { type: "string" } },
        }),
        says: /\$ref cannot have keywords 'description'/,
      },
      {
        rule: "a property without type in a strict tool",
        body: strict({ ...parameters, properties: { a: {} } }),
        says: /must have a 'type' key/,
      },
      { rule: "eleven levels in a strict tool", body: strict(nested(11)), says: /nested too deep/ },
      {
        rule: "5001 properties in a strict tool",
        body: strict({ ...parameters, properties: many(5_001), required: Object.keys(many(5_001)) }),
        says: /too many properties/,
      },
      {
        rule: "1001 values of an enum in a strict tool",
        body: strict({ ...parameters, properties: { a: { type: "string", enum: Object.keys(many(1_001)) } } }),
        says: /too many enum values/,
      },
      {
        rule: "a schema that is not strict where strict is left out",
        body: { tools: [{ type: "function", name: "f", parameters: { ...parameters, required: [] } }] },
        says: /'required'/,
      },
      {
        rule: "a union at the root",
        body: { tools: [{ ...strictTool({ type: "object", anyOf: [] }), strict: false }] },
        says: /root/,
      },
      {
        rule: "the tool form of Chat Completions",
        body: { tools: [{ type: "function", function: { name: "f" } }] },
        says: /tools\[0\].name/,
      },
      {
        rule: "the tool choice of Chat Completions",
        body: { tools: [strictTool(parameters)], tool_choice: { type: "function", function: { name: "f" } } },
        says: /tool_choice.function/,
      },
      {
        rule: "a choice of a tool that is not there",
        body: { tools: [strictTool(parameters)], tool_choice: { type: "function", name: "g" } },
        says: /'g' not found/,
      },
      { rule: "required without tools", body: { tool_choice: "required" }, says: /must be specified with 'tools'/ },
      { rule: "max_tokens", body: { max_tokens: 5 }, says: /Unknown parameter: 'max_tokens'/ },
      { rule: "response_format", body: { response_format: {} }, says: /Unknown parameter/ },
      { rule: "temperature on a reasoning model", body: { temperature: 1 }, says: /'temperature' is not supported/ },
      {
        rule: "effort none where the model has none",
        body: { model: "gpt-6-astra", reasoning: { effort: "none" } },
        says: /'none' is not supported/,
      },
      {
        rule: "effort on a model that does not reason",
        body: { model: "gpt-4.1", reasoning: { effort: "low" } },
        says: /reasoning_effort/,
      },
      {
        rule: "sealed reasoning on a model that does not reason",
        body: { model: "gpt-4.1", include: ["reasoning.encrypted_content"] },
        says: /Encrypted content is not supported/,
      },
      {
        rule: "a format's schema outside the strict rules",
        body: { text: { format: { type: "json_schema", name: "x", strict: true, schema: { type: "object" } } } },
        says: /additionalProperties/,
      },
      {
        rule: "a format's name with a space",
        body: { text: { format: { type: "json_schema", name: "x y", schema: parameters } } },
        says: /does not match pattern/,
      },
      {
        rule: "a call without output",
        body: { input: [user("hi"), call("c1")] },
        says: /No tool output found for function call c1/,
      },
      { rule: "an output without call", body: { input: [user("hi"), output("c1")] }, says: /No tool call found/ },
      {
        rule: "two outputs for one call",
        body: { input: [user("hi"), call("c1"), output("c1"), output("c1")] },
        says: /Duplicate/,
      },
      {
        rule: "arguments that are no string",
        body: { input: [user("hi"), { ...call("c1"), arguments: {} }, output("c1")] },
        says: /expected a string/,
      },
      { rule: "a message of role tool", body: { input: [{ role: "tool", content: "x" }] }, says: /'tool'/ },
      {
        rule: "reasoning without what it led to",
        body: {
          input: [user("hi"), { type: "reasoning", id: "rs_x", summary: [], encrypted_content: "x" }, user("x")],
        },
        says: /without its required following item/,
      },
      {
        rule: "reasoning by id alone without a store",
        body: {
          input: [
            user("hi"),
            { type: "reasoning", id: "rs_x", summary: [] },
            { ...call("c1"), id: "fc_x" },
            output("c1"),
          ],
        },
        says: /not persisted/,
        error: OpenAI.NotFoundError,
      },
      {
        rule: "sealed reasoning that it did not write",
        body: {
          input: [
            user("hi"),
            { type: "reasoning", id: "rs_x", summary: [], encrypted_content: "forged" },
            call("c1"),
            output("c1"),
          ],
        },
        says: /could not be verified/,
      },
    ];

    it.each(wrong)("$rule", async ({ body, says, error, key }) => {
      const failure = await send(body, key).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(error ?? OpenAI.BadRequestError);
      expect((failure as Error).message).toMatch(says);
    });

    it("an item with an id whose reasoning is left out", async () => {
      fake.script({ reasoning: "Hmm.", toolCalls: [{ name: "f", arguments: { a: "x" } }] });
      const tools = [strictTool(parameters)];
      const reply = await send({ tools });
      const called = reply.output.find((item) => item.type === "function_call")!;
      const input = [user("hi"), called, output(called.call_id)];
      const failure = await send({ tools, input }).catch((thrown: unknown) => thrown);
      expect((failure as Error).message).toMatch(/without its required 'reasoning' item/);
      fake.script({ text: "ok" });
      await send({ tools, input: [user("hi"), ...reply.output, output(called.call_id)] });
    });
  });

  describe("on Chat Completions", () => {
    const send = (body: Body, key?: string) =>
      client(key).chat.completions.create({ model: "gpt-4.1", messages: [user("hi")], ...body } as never);
    const tool = { type: "function", function: { name: "f", parameters } };
    const call = (id: string, text: unknown = "{}") => ({
      id,
      type: "function",
      function: { name: "f", arguments: text },
    });
    const result = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "ok" });
    const assistant = (...tool_calls: unknown[]) => ({ role: "assistant", content: null, tool_calls });

    const wrong: Wrong[] = [
      { rule: "a wrong key", body: {}, key: "wrong", says: /API key/, error: OpenAI.AuthenticationError },
      { rule: "no messages", body: { messages: [] }, says: /messages/ },
      {
        rule: "max_tokens on a reasoning model",
        body: { model: "gpt-5.1", max_tokens: 1 },
        says: /max_completion_tokens/,
      },
      {
        rule: "stream_options without a stream",
        body: { stream_options: { include_usage: true } },
        says: /stream_options/,
      },
      {
        rule: "tools beside reasoning on GPT-5.4 and later",
        body: { model: "gpt-5.4", tools: [tool] },
        says: /Function tools with reasoning_effort are not supported/,
      },
      {
        rule: "a description of more than 1024 characters",
        body: { tools: [{ type: "function", function: { name: "f", description: "x".repeat(1_025) } }] },
        says: /string too long/,
      },
      {
        rule: "a name with a dot",
        body: { tools: [{ type: "function", function: { name: "a.b" } }] },
        says: /does not match pattern/,
      },
      { rule: "129 tools", body: { tools: Array.from({ length: 129 }, () => tool) }, says: /array too long/ },
      { rule: "an empty list of tools", body: { tools: [] }, says: /empty array/ },
      {
        rule: "a strict tool outside the rules",
        body: {
          tools: [
            { type: "function", function: { name: "f", strict: true, parameters: { ...parameters, required: [] } } },
          ],
        },
        says: /'required'/,
      },
      { rule: "a choice without tools", body: { tool_choice: "auto" }, says: /only allowed when 'tools'/ },
      {
        rule: "a choice of a tool that is not there",
        body: { tools: [tool], tool_choice: { type: "function", function: { name: "g" } } },
        says: /'g' not found/,
      },
      { rule: "parallel_tool_calls without tools", body: { parallel_tool_calls: false }, says: /parallel_tool_calls/ },
      { rule: "json_object without the word", body: { response_format: { type: "json_object" } }, says: /'json'/ },
      {
        rule: "a format outside the strict rules",
        body: {
          response_format: {
            type: "json_schema",
            json_schema: { name: "x", strict: true, schema: { type: "object" } },
          },
        },
        says: /additionalProperties/,
      },
      {
        rule: "a call without result",
        body: { messages: [user("hi"), assistant(call("c1")), user("x")] },
        says: /did not have response messages: c1/,
      },
      {
        rule: "a call without result at the end",
        body: { messages: [user("hi"), assistant(call("c1"), call("c2")), result("c1")] },
        says: /c2/,
      },
      {
        rule: "a result without call",
        body: { messages: [user("hi"), result("c1")] },
        says: /must be a response to a preceeding message/,
      },
      { rule: "an empty list of calls", body: { messages: [user("hi"), assistant(), user("x")] }, says: /empty array/ },
      {
        rule: "arguments that are no string",
        body: { messages: [user("hi"), assistant(call("c1", {})), result("c1")] },
        says: /expected a string/,
      },
      {
        rule: "an image in a result",
        body: { messages: [user("hi"), assistant(call("c1")), { ...result("c1"), content: [{ type: "image_url" }] }] },
        says: /text only/,
      },
      {
        rule: "an assistant message of nothing",
        body: { messages: [user("hi"), { role: "assistant", content: null }, user("x")] },
        says: /expected a string, got null/,
      },
    ];

    it.each(wrong)("$rule", async ({ body, says, error, key }) => {
      const failure = await send(body, key).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(error ?? OpenAI.BadRequestError);
      expect((failure as Error).message).toMatch(says);
    });
  });
});

describe("the fake provider refuses by Gemini's SDK", () => {
  const send = (body: Body, apiKey = "test") =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: fake.url } }).models.generateContent({
      model: "gemini-3.8-flash",
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      ...body,
    } as never);
  const declared = (parametersJsonSchema?: unknown, more: Body = {}) => ({
    tools: [
      {
        functionDeclarations: [
          { name: "f", ...(parametersJsonSchema === undefined ? {} : { parametersJsonSchema }), ...more },
        ],
      },
    ],
  });
  const question = { role: "user", parts: [{ text: "hi" }] };
  const call = (more: Body = {}) => ({ functionCall: { name: "f", args: {} }, ...more });
  const result = { functionResponse: { name: "f", response: { output: "ok" } } };
  const signed = { thoughtSignature: "skip_thought_signature_validator" };

  const wrong: (Wrong & { status?: number })[] = [
    { rule: "a wrong key", body: {}, key: "wrong", says: /API key not valid/ },
    { rule: "an unknown model", body: { model: "missing" }, says: /not found/, status: 404 },
    {
      rule: "a name with a space",
      body: { config: declared(undefined, { name: "a b" }) },
      says: /Invalid function name/,
    },
    {
      rule: "both forms of parameters",
      body: { config: declared({ type: "object" }, { parameters: { type: "OBJECT" } }) },
      says: /Only one of/,
    },
    {
      rule: "const in a schema",
      body: { config: declared({ type: "object", properties: { a: { const: 1 } } }) },
      says: /const/,
    },
    {
      rule: "exclusiveMinimum in a schema",
      body: { config: declared({ type: "object", properties: { a: { type: "number", exclusiveMinimum: 1 } } }) },
      says: /exclusiveMinimum/,
    },
    {
      rule: "a boolean in an enum",
      body: { config: declared({ type: "object", properties: { a: { enum: [true] } } }) },
      says: /strings and numbers/,
    },
    {
      rule: "a reference with a description",
      body: {
        config: declared({
          type: "object",
          properties: { a: { $ref: "#/$defs/A", description: "x" } },
          $defs: { A: { type: "string" } },
        }),
      },
      says: /beside \$ref/,
    },
    {
      rule: "recursion through a required property",
      body: {
        config: declared({
          type: "object",
          properties: { a: { $ref: "#/$defs/A" } },
          $defs: { A: { type: "object", properties: { a: { $ref: "#/$defs/A" } }, required: ["a"] } },
        }),
      },
      says: /recursion/,
    },
    {
      rule: "an allowed function that is not declared",
      body: {
        config: { ...declared(), toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["g"] } } },
      },
      says: /not declared/,
    },
    {
      rule: "allowed functions in mode AUTO",
      body: {
        config: { ...declared(), toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["f"] } } },
      },
      says: /mode is ANY/,
    },
    {
      rule: "JSON beside tools on 2.5",
      body: { model: "gemini-2.5-flash", config: { ...declared(), responseMimeType: "application/json" } },
      says: /'application\/json' is unsupported/,
    },
    {
      rule: "a schema without the JSON type",
      body: { config: { responseJsonSchema: { type: "object" } } },
      says: /response_mime_type/,
    },
    {
      rule: "budget and level",
      body: { config: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } } },
      says: /only set only one/,
    },
    {
      rule: "a level on 2.5",
      body: { model: "gemini-2.5-flash", config: { thinkingConfig: { thinkingLevel: "LOW" } } },
      says: /Thinking level is not supported/,
    },
    {
      rule: "no thinking on 2.5 pro",
      body: { model: "gemini-2.5-pro", config: { thinkingConfig: { thinkingBudget: 0 } } },
      says: /Budget 0 is invalid/,
    },
    {
      rule: "MINIMAL where the model lacks it",
      body: { model: "gemini-4-argon", config: { thinkingConfig: { thinkingLevel: "MINIMAL" } } },
      says: /MINIMAL/,
    },
    {
      rule: "fewer results than calls",
      body: {
        contents: [question, { role: "model", parts: [call(signed), call()] }, { role: "user", parts: [result] }],
      },
      says: /number of function response parts/,
    },
    {
      rule: "a call after a model's turn",
      body: {
        contents: [
          question,
          { role: "model", parts: [{ text: "x" }] },
          { role: "model", parts: [call(signed)] },
          { role: "user", parts: [result] },
        ],
      },
      says: /immediately after a user turn/,
    },
    {
      rule: "a call without signature on 3",
      body: { contents: [question, { role: "model", parts: [call()] }, { role: "user", parts: [result] }] },
      says: /missing a thought_signature/,
    },
    {
      rule: "a signature that it did not write",
      body: {
        contents: [
          question,
          { role: "model", parts: [call({ thoughtSignature: "Zm9yZ2Vk" })] },
          { role: "user", parts: [result] },
        ],
      },
      says: /not valid for its part/,
    },
    {
      rule: "a model's turn at the end",
      body: { contents: [question, { role: "model", parts: [{ text: "x" }] }] },
      says: /last turn is a user turn/,
    },
    {
      rule: "an image in a result on 2.5",
      body: {
        model: "gemini-2.5-flash",
        contents: [
          question,
          { role: "model", parts: [call()] },
          {
            role: "user",
            parts: [
              {
                functionResponse: {
                  ...result.functionResponse,
                  parts: [{ inlineData: { mimeType: "image/png", data: "AA==" } }],
                },
              },
            ],
          },
        ],
      },
      says: /Multimodal/,
    },
  ];

  beforeEach(() => {
    for (const name of ["GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"])
      delete process.env[name];
  });

  it.each(wrong)("$rule", async ({ body, says, key, status }) => {
    const failure = await send(body, key).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ApiError);
    expect((failure as ApiError).status).toBe(status ?? 400);
    expect((failure as Error).message).toMatch(says);
  });

  it("a signed call that was changed", async () => {
    fake.script({ toolCalls: [{ name: "f", arguments: { a: "x" } }] });
    const reply = await send({ config: declared(parameters) });
    const content = reply.candidates![0]!.content!;
    const changed = JSON.parse(JSON.stringify(content).replace('"x"', '"y"'));
    const failure = await send({
      config: declared(parameters),
      contents: [question, changed, { role: "user", parts: [result] }],
    }).catch((thrown: unknown) => thrown);
    expect((failure as Error).message).toMatch(/not valid for its part/);
    fake.script({ text: "ok" });
    await send({ config: declared(parameters), contents: [question, content, { role: "user", parts: [result] }] });
  });
});

describe("the fake provider refuses by Ollama's SDK", () => {
  const send = (body: Body) =>
    new Ollama({ host: fake.url }).chat({ model: "qwen3", messages: [user("hi")], ...body } as never);
  const tool = (schema: unknown) => ({
    tools: [{ type: "function", function: { name: "f", description: "F.", parameters: schema } }],
  });

  const wrong: (Wrong & { status?: number })[] = [
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
