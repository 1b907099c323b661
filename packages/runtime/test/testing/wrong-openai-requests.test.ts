import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";
import { type Body, many, parameters, user, type WrongRequest } from "./wrong-request.js";

// One wrong request for each rule, sent by the provider's own SDK: the fake provider must not only agree with us.

let fake: FakeProvider;

beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

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

    const wrong: WrongRequest[] = [
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
        says: /root\b/,
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

    const wrong: WrongRequest[] = [
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
