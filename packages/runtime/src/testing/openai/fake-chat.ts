import { argumentText, isReceived, pieces } from "../reading.js";
import type { FakeApi, Memory, ReceivedRequest, ScriptedReply } from "../scripted-reply.js";
import { checkChatRequest } from "./check-chat.js";
import { openaiFailure } from "./openai-failure.js";

export const fakeChat: FakeApi = {
  name: "openai-chat",
  accepts: (path) => path.endsWith("/chat/completions"),
  check: (request) => checkChatRequest(request),
  isStream: ({ body }) => body.stream === true,
  streamType: "text/event-stream; charset=utf-8",
  noise: [": OPENROUTER PROCESSING\n\n", 'data: {"choices":[],"prompt_filter_results":[]}\n\n'],
  write: (reply, request, memory) =>
    request.body.stream === true
      ? streamOf(reply, request, memory)
      : [JSON.stringify(completionOf(reply, request, memory))],
  writeFailure: (failure) => JSON.stringify(openaiFailure(failure)),
  writeStreamFailure: (failure) => `data: ${JSON.stringify(openaiFailure(failure))}\n\n`,
};

function completionOf(reply: ScriptedReply, { body }: ReceivedRequest, memory: Memory) {
  const calls = callsOf(reply, memory);
  const isRefusal = reply.stop === "refusal";
  const message = {
    role: "assistant",
    content: isRefusal ? null : (reply.text ?? null),
    refusal: isRefusal ? (reply.text ?? "I cannot help with that.") : null,
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: `chatcmpl-${memory.replies}`,
    object: "chat.completion",
    created: 1,
    model: String(body.model),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
    usage: usageOf(reply),
  };
}

function streamOf(reply: ScriptedReply, { body }: ReceivedRequest, memory: Memory): string[] {
  const chunk = (more: object) =>
    `data: ${JSON.stringify({
      id: `chatcmpl-${memory.replies}`,
      object: "chat.completion.chunk",
      created: 1,
      model: String(body.model),
      ...more,
      obfuscation: "Xq7",
    })}\n\n`;
  const delta = (part: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: part, finish_reason }] });
  const chunks = [delta({ role: "assistant", content: "" })];
  for (const reasoning_content of pieces(reply.reasoning ?? "")) chunks.push(delta({ reasoning_content }));
  const textKey = reply.stop === "refusal" ? "refusal" : "content";
  for (const text of pieces(reply.text ?? "")) chunks.push(delta({ [textKey]: text }));
  for (const [index, call] of callsOf(reply, memory).entries()) {
    const { arguments: text, name } = call.function;
    chunks.push(delta({ tool_calls: [{ index, id: call.id, type: "function", function: { name, arguments: "" } }] }));
    for (const part of pieces(text, 5)) chunks.push(delta({ tool_calls: [{ index, function: { arguments: part } }] }));
  }
  chunks.push(delta({}, finishReason(reply)));
  if (isReceived(body.stream_options) && body.stream_options.include_usage === true) {
    chunks.push(chunk({ choices: [], usage: usageOf(reply) }));
  }
  return [...chunks, "data: [DONE]\n\n"];
}

function callsOf(reply: ScriptedReply, memory: Memory) {
  return (reply.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${memory.replies}_${index}`,
    type: "function",
    function: { name: call.name, arguments: argumentText(call.arguments) },
  }));
}

function finishReason(reply: ScriptedReply): string {
  if (reply.stop === "length") return "length";
  if (reply.stop === "refusal") return "stop";
  return (reply.toolCalls ?? []).length > 0 ? "tool_calls" : "stop";
}

function usageOf(reply: ScriptedReply) {
  const usage = reply.usage ?? { inputTokens: 12, outputTokens: 7 };
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}
