import { readFileSync } from "node:fs";
import { context, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ModelReply } from "../../src/model/model-events.js";
import { ProviderError } from "../../src/model/provider-error.js";
import { openTelemetry } from "../../src/telemetry/open-telemetry.js";
import { agentSpan, modelSpan, replyAttributes, resultAttributes, toolSpan } from "../../src/telemetry/spans.js";
import { noTelemetry } from "../../src/telemetry/telemetry.js";

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const manager = new AsyncLocalStorageContextManager();
beforeAll(() => void context.setGlobalContextManager(manager.enable()));
beforeEach(() => exporter.reset());
afterAll(() => context.disable());

const request = {
  model: "claude-x",
  system: "Be exact.",
  messages: [
    { role: "user", content: [{ type: "text", text: "1 + 2?" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "I add.", native: { api: "anthropic", value: { signature: "sealed" } } },
        { type: "native", native: { api: "anthropic", value: { data: "sealed" } } },
        { type: "tool_call", id: "c1", name: "add", arguments: '{"a":1,"b":2}' },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool_result", callId: "c1", name: "add", content: [{ type: "text", text: "3" }] }],
    },
  ],
  maxTokens: 100,
  stopSequences: ["END"],
} as const;
const reply: ModelReply = {
  message: { role: "assistant", content: [{ type: "text", text: "Three." }] },
  stop: "end",
  usage: { inputTokens: 20, outputTokens: 3, cachedInputTokens: 10 },
  servedModel: "claude-x-2026",
  responseId: "msg_1",
  notes: [],
};

async function run(contents: boolean) {
  const telemetry = await openTelemetry({ contents, tracerProvider });
  const agent = { agent: "math", model: "google/gemini-x", sessionId: "s1" };
  await telemetry.withSpan(agentSpan(agent), async () => {
    const start = modelSpan({ model: "anthropic/claude-x", request, contents, sessionId: "s1" });
    await telemetry.withSpan(start, async (span) => span.set(replyAttributes(reply, telemetry)));
    const tools = ["ok", "bad"].map((name) =>
      telemetry.withSpan(toolSpan({ id: name, name, args: { a: 1 }, contents }), async (span) => {
        span.set(resultAttributes({ sum: 3 }, telemetry));
        if (name === "bad") span.fail("tool_error");
      }),
    );
    await Promise.all(tools);
  });
  return exporter.getFinishedSpans();
}

test("a run is a tree of spans with the names and attributes of the conventions", async () => {
  const spans = await run(false);
  const [root] = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
  expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
    ["chat claude-x", SpanKind.CLIENT],
    ["execute_tool ok", SpanKind.INTERNAL],
    ["execute_tool bad", SpanKind.INTERNAL],
    ["invoke_agent math", SpanKind.INTERNAL],
  ]);
  const parents = spans.slice(0, 3).map(({ parentSpanContext }) => parentSpanContext?.spanId);
  expect(new Set(parents)).toEqual(new Set([root?.spanContext().spanId]));
  expect(spans[0]?.attributes).toEqual({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "claude-x",
    "gen_ai.conversation.id": "s1",
    "gen_ai.request.max_tokens": 100,
    "gen_ai.request.stop_sequences": ["END"],
    "gen_ai.output.type": "text",
    "gen_ai.response.model": "claude-x-2026",
    "gen_ai.response.id": "msg_1",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.output_tokens": 3,
    "gen_ai.usage.cache_read.input_tokens": 10,
  });
  expect(spans[2]).toMatchObject({
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "bad",
      "gen_ai.tool.call.id": "bad",
      "gen_ai.tool.type": "function",
      "error.type": "tool_error",
    },
    status: { code: SpanStatusCode.ERROR },
  });
  expect(root?.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "math",
    "gen_ai.provider.name": "gcp.gemini",
    "gen_ai.request.model": "gemini-x",
  });
});

test("contents are shown on request only, and nothing of what providers seal", async () => {
  const hidden = JSON.stringify((await run(false)).map(({ attributes }) => attributes));
  for (const content of ["1 + 2", "Be exact", "Three", "sum"]) expect(hidden).not.toContain(content);
  exporter.reset();
  const [chat, tool] = await run(true);
  expect(JSON.parse(String(chat?.attributes["gen_ai.input.messages"]))).toEqual([
    { role: "user", parts: [{ type: "text", content: "1 + 2?" }] },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", content: "I add." },
        { type: "tool_call", id: "c1", name: "add", arguments: '{"a":1,"b":2}' },
      ],
    },
    { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "3" }] },
  ]);
  expect(JSON.parse(String(chat?.attributes["gen_ai.output.messages"]))).toEqual([
    { role: "assistant", parts: [{ type: "text", content: "Three." }], finish_reason: "stop" },
  ]);
  expect(chat?.attributes["gen_ai.system_instructions"]).toBe('[{"type":"text","content":"Be exact."}]');
  expect(tool?.attributes).toMatchObject({
    "gen_ai.tool.call.arguments": '{"a":1}',
    "gen_ai.tool.call.result": '{"sum":3}',
  });
  expect(JSON.stringify(chat?.attributes)).not.toContain("sealed");
});

test("what is thrown is thrown on; the span says its code and never its message", async () => {
  const telemetry = await openTelemetry({ tracerProvider });
  const thrown = [
    new ProviderError("the secret plan", { code: "rate-limit", provider: "x", retryable: true }),
    new TypeError("the secret plan"),
    "the secret plan",
  ];
  for (const error of thrown) {
    const work = telemetry.withSpan(agentSpan({ agent: "a", model: "x/y" }), () => Promise.reject(error));
    await expect(work).rejects.toBe(error);
  }
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ attributes }) => attributes["error.type"])).toEqual(["rate-limit", "TypeError", "_OTHER"]);
  expect(JSON.stringify(spans.map(({ attributes, status, events }) => [attributes, status, events]))).not.toContain(
    "plan",
  );
});

test("noTelemetry runs the work and nothing else", async () => {
  const result = await noTelemetry.withSpan(agentSpan({ agent: "a", model: "x/y" }), async (span) => {
    span.set({ a: 1 });
    span.fail("x");
    return 7;
  });
  expect(result).toBe(7);
  expect(exporter.getFinishedSpans()).toEqual([]);
});

test("@opentelemetry/api is imported by one module, when it is asked for", () => {
  const source = readFileSync(new URL("../../src/telemetry/open-telemetry.ts", import.meta.url), "utf8");
  expect(source.match(/from "@opentelemetry/g)).toHaveLength(1);
  expect(source).toMatch(/^import type .* from "@opentelemetry\/api";$/m);
});
