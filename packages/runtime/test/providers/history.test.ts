import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AssistantMessage, Message, ModelReply, ModelRequest, Provider } from "../../src/model/index.js";
import { AnthropicReader } from "../../src/providers/anthropic/from-stream.js";
import { toAnthropicRequest } from "../../src/providers/anthropic/to-request.js";
import { type GeminiChunk, GeminiReader } from "../../src/providers/gemini/from-stream.js";
import { toGeminiRequest } from "../../src/providers/gemini/to-request.js";
import { madeCallId, withoutReasoning } from "../../src/providers/history.js";
import { providers } from "../../src/providers/index.js";
import { ResponsesReader } from "../../src/providers/openai/from-responses-stream.js";
import { toResponsesRequest } from "../../src/providers/openai/to-responses-request.js";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";
import { ask } from "./ask-recording.js";

const asked = { provider: "p", model: "m", notes: [] };
const question: Message = { role: "user", content: [{ type: "text", text: "hi" }] };

function saved<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function results(message: AssistantMessage): Message {
  const calls = message.content.filter((part) => part.type === "tool_call");
  return {
    role: "tool",
    content: calls.map(({ id, name }) => ({
      type: "tool_result",
      callId: id,
      name,
      content: [{ type: "text", text: "ok" }],
    })),
  };
}

function turn(model: string, message: AssistantMessage): ModelRequest {
  const history = saved([question, message, results(message)]);
  return { model, messages: history };
}

describe("Anthropic's thinking", () => {
  it("goes back in order and unchanged, hidden blocks and odd fields too (RC-B04)", () => {
    const reader = new AnthropicReader();
    const events = [
      { type: "message_start", message: { id: "msg_1", model: "m", usage: { input_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "First " } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "look." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "EqQBsig==" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "b64-redacted" } },
      { type: "content_block_stop", index: 1 },
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "toolu_1", name: "look", input: {}, caller: { type: "direct" } },
      },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"key":"k"}' } },
      { type: "content_block_stop", index: 2 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ];
    const seen = events.flatMap((event) => reader.push(event as never) ?? []);
    expect(seen).toEqual([
      { type: "reasoning", text: "First " },
      { type: "reasoning", text: "look." },
    ]);
    const { message } = reader.reply(asked);
    const { messages } = toAnthropicRequest(turn("claude-opus-5-5", message)).body as { messages: unknown[] };
    expect(JSON.stringify(messages[1])).toBe(
      JSON.stringify({
        role: "assistant",
        content: [
          { type: "thinking", thinking: "First look.", signature: "EqQBsig==" },
          { type: "redacted_thinking", data: "b64-redacted" },
          { caller: { type: "direct" }, type: "tool_use", id: "toolu_1", name: "look", input: { key: "k" } },
        ],
      }),
    );
    expect(messages[2]).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "ok" }],
    });
  });

  it("goes back when a turn was paused, so that the provider goes on with it", () => {
    const reader = new AnthropicReader();
    const content = [
      { type: "text", text: "Searching." },
      { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } },
    ];
    for (const _ of reader.readWhole({ content, stop_reason: "pause_turn", usage: {} })) expect(_.type).toBe("text");
    const reply = reader.reply(asked);
    expect(reply.stop).toBe("pause");
    const { messages } = toAnthropicRequest({
      model: "claude-sonnet-5",
      messages: [question, saved(reply.message)],
    }).body;
    expect((messages as unknown[])[1]).toEqual({ role: "assistant", content });
  });
});

describe("Gemini's signatures", () => {
  it("stay in the part in which they came, in the order received (RC-B03)", () => {
    const reader = new GeminiReader((position) => `call_0_${position}`);
    const parts = [
      { text: "Two towns.", thought: true },
      { functionCall: { name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2lnLTE=" },
      { functionCall: { name: "weather", args: { city: "Rome" } } },
    ];
    const chunks: GeminiChunk[] = parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] }));
    chunks.push({ candidates: [{ content: { parts: [{ text: "" }] }, finishReason: "STOP" }] });
    for (const chunk of chunks) reader.push(chunk);
    const reply = reader.reply(asked);
    expect(reply.stop).toBe("tool");
    const { contents } = toGeminiRequest(turn("gemini-3.8-flash", reply.message));
    expect(contents.slice(1)).toEqual([
      { role: "model", parts: parts.slice(1) },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "weather", response: { output: "ok" } } },
          { functionResponse: { name: "weather", response: { output: "ok" } } },
        ],
      },
    ]);
  });

  it("keep an empty text that carries one, and never join it with another", () => {
    const reader = new GeminiReader(() => "id");
    for (const part of [{ text: "a" }, { text: "b" }, { text: "", thoughtSignature: "c2ln" }]) {
      reader.push({ candidates: [{ content: { parts: [part] }, finishReason: "STOP" }] });
    }
    const { message } = reader.reply(asked);
    const { contents } = toGeminiRequest({ model: "gemini-3.8-flash", messages: [question, saved(message), question] });
    expect(contents[1]).toEqual({ role: "model", parts: [{ text: "ab" }, { text: "", thoughtSignature: "c2ln" }] });
  });

  it("put arguments together that come in pieces", () => {
    const reader = new GeminiReader((position) => `call_0_${position}`);
    const calls = [
      { name: "f", willContinue: true },
      { partialArgs: [{ jsonPath: "$.a[0].b", stringValue: "x" }], willContinue: true },
      { partialArgs: [{ jsonPath: "$.a[0].b", stringValue: "y" }], willContinue: true },
      {
        partialArgs: [
          { jsonPath: "$.n", numberValue: 1 },
          { jsonPath: "$.__proto__.c", boolValue: true },
        ],
        willContinue: true,
      },
      {},
      { name: "g", args: {} },
    ];
    for (const functionCall of calls) reader.push({ candidates: [{ content: { parts: [{ functionCall }] } }] });
    reader.push({ candidates: [{ finishReason: "STOP" }] });
    const found = reader
      .reply(asked)
      .message.content.map((part) => (part.type === "tool_call" ? [part.name, part.arguments] : []));
    expect(found).toEqual([
      ["f", '{"a":[{"b":"xy"}],"n":1,"__proto__":{"c":true}}'],
      ["g", "{}"],
    ]);
    expect(({} as Record<string, unknown>).c).toBeUndefined();
  });
});

describe("the items of Responses", () => {
  const item = (type: string, more: object) => ({ type, ...more });
  const output = [
    item("reasoning", { id: "rs_1", summary: [], encrypted_content: "gAAAA" }),
    item("message", {
      id: "msg_1",
      role: "assistant",
      status: "completed",
      phase: "commentary",
      content: [{ type: "output_text", text: "I look.", annotations: [] }],
    }),
    item("function_call", { id: "fc_1", call_id: "call_1", name: "f", arguments: '{"a":1}', status: "completed" }),
  ];
  const message = (items: readonly unknown[]): AssistantMessage => {
    const reader = new ResponsesReader();
    for (const _ of reader.readWhole({ status: "completed", output: items as never })) expect(_.type).toBe("text");
    return saved(reader.reply(asked).message);
  };
  const input = (of: AssistantMessage) => toResponsesRequest(turn("gpt-6-luna", of)).body.input as unknown[];

  it("go back unchanged", () => {
    expect(JSON.stringify(input(message(output)).slice(1, 4))).toBe(JSON.stringify(output));
  });

  it("go back without their ids when the reasoning is left out", () => {
    const items = input(withoutReasoning(message(output)));
    expect(items.slice(1, 3)).toEqual([
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look.", annotations: [] }] },
      { type: "function_call", call_id: "call_1", name: "f", arguments: '{"a":1}' },
    ]);
  });

  it("leave out reasoning that led to nothing", () => {
    const items = toResponsesRequest({
      model: "gpt-6-luna",
      messages: [question, message(output.slice(0, 1)), question],
    }).body.input as unknown[];
    expect(items).toHaveLength(2);
  });
});

describe("a history under other instructions", () => {
  let fake: FakeProvider;
  beforeAll(async () => {
    fake = await startFakeProvider({ geminiIds: true, oldOllama: true });
  });
  afterAll(() => fake.close());

  const send = async (provider: Provider, request: ModelRequest): Promise<ModelReply> => {
    for await (const event of provider.stream(request)) if (event.type === "reply") return event.reply;
    throw new Error("no reply");
  };
  const tool = {
    name: "f",
    module: "t.ts",
    export: "f",
    call: [],
    parameters: { type: "object", properties: {}, additionalProperties: false },
  } as const;

  it.each([
    ["anthropic", "claude-opus-5-5"],
    ["openai", "gpt-6-luna"],
    ["google", "gemini-3.8-flash"],
  ] as const)("is taken by %s once its reasoning is dropped", async (name, model) => {
    const provider = await providers[name].open({ apiKey: "test", baseUrl: fake.url });
    const tools = providers[name].lowerTools([tool as never], { model });
    fake.script({ reasoning: "Hmm.", toolCalls: [{ name: "f", arguments: {} }] }, { text: "ok" });
    const first = await send(provider, { model, tools, system: "Be brief.", messages: [question] });
    const { message } = first;
    const messages = [question, withoutReasoning(message), results(message)];
    const second = await send(provider, { model, tools, system: "Be long.", messages });
    expect(second.stop).toBe("end");
    expect(JSON.stringify(fake.requests.at(-1)!.body)).not.toContain("Hmm.");
  });

  it("gives Gemini its own ids back, and none that are ours", async () => {
    const provider = await providers.google.open({ apiKey: "test", baseUrl: fake.url });
    fake.script({ toolCalls: [{ name: "f", arguments: {} }] }, { text: "ok" });
    const model = "gemini-3.8-flash";
    const { message } = await send(provider, { model, messages: [question] });
    await send(provider, { model, messages: [question, message, results(message)] });
    const call = message.content.find((part) => part.type === "tool_call")!;
    expect(JSON.stringify(fake.requests.at(-1)!.body)).toContain(`"functionResponse":{"id":"${call.id}"`);
  });

  it("makes the same ids again for an Ollama server without them", async () => {
    const provider = await providers.ollama.open({ baseUrl: fake.url });
    const calls = [
      { name: "f", arguments: {} },
      { name: "f", arguments: {} },
    ];
    fake.script({ toolCalls: calls }, { toolCalls: calls });
    const ids = async () => {
      const { message } = await send(provider, { model: "qwen3", messages: [question] });
      return message.content.map((part) => (part.type === "tool_call" ? part.id : ""));
    };
    expect(await ids()).toEqual([madeCallId([question], 0), madeCallId([question], 1)]);
    expect(await ids()).toEqual(["call_0_0", "call_0_1"]);
  });
});

describe("RC-B10: borders of chunks inside characters and line ends", () => {
  const file = new URL("../../../../../shared/cases/RC-B10.json", import.meta.url);

  it("changes nothing in the reply", async () => {
    if (!existsSync(file)) return;
    const { script } = JSON.parse(readFileSync(file, "utf8")) as { script: { bytesHex: string[] }[] };
    const chunks = script[0]!.bytesHex.map((hex) => Buffer.from(hex, "hex"));
    let end = 0;
    const cuts = chunks.map((chunk) => (end += chunk.length)).slice(0, -1);
    const answer = { status: 200, contentType: "text/event-stream", body: Buffer.concat(chunks), cuts };
    const heard = await ask("anthropic", answer, { model: "m", stream: true });
    expect(heard.error).toBeUndefined();
    const parts = heard.reply!.message.content;
    expect(heard.text + parts.map((part) => (part.type === "tool_call" ? part.arguments : "")).join("")).not.toContain(
      "\ufffd",
    );
    expect(heard.text).toBe("Grüße 🚀 日本\u2028.");
  });
});
