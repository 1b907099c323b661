import { argumentText, fingerprint, isReceived, objectsOf, pieces } from "../reading.js";
import type { FakeApi, Memory, ReceivedRequest, ScriptedFailure, ScriptedReply } from "../scripted-reply.js";
import { boundPrefix, checkAnthropicRequest } from "./check-request.js";

interface Block {
  readonly [key: string]: unknown;
  readonly type: string;
}

export const fakeAnthropic: FakeApi = {
  name: "anthropic",
  accepts: (path) => path === "/v1/messages",
  check: checkAnthropicRequest,
  isStream: ({ body }) => body.stream === true,
  streamType: "text/event-stream; charset=utf-8",
  noise: ['event: ping\ndata: {"type":"ping"}\n\n', ": a comment\n\n", 'event: news\ndata: {"type":"news"}\n\n'],
  write(reply, request, memory) {
    const message = messageOf(reply, request, memory);
    return request.body.stream === true ? streamOf(message) : [JSON.stringify(message)];
  },
  writeFailure: (failure) => JSON.stringify(errorOf(failure)),
  writeStreamFailure: (failure) => event("error", errorOf(failure)),
};

function errorOf({ status, message, code }: ScriptedFailure) {
  const types: Record<number, string> = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
  };
  const type = code ?? types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type, message: message ?? type }, request_id: "req_fake" };
}

function messageOf(reply: ScriptedReply, request: ReceivedRequest, memory: Memory) {
  const { body } = request;
  const content: Block[] = [];
  if (reply.reasoning !== undefined) {
    const prefix = boundPrefix(body, objectsOf(body.messages).length);
    const signature = `Eq${fingerprint([reply.reasoning, prefix, memory.replies])}==`;
    memory.seals.set(signature, JSON.stringify([reply.reasoning, prefix]));
    content.push({ type: "thinking", thinking: reply.reasoning, signature });
  }
  if (reply.text !== undefined) content.push({ type: "text", text: reply.text });
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const id = call.id ?? `toolu_${memory.replies}_${index}`;
    const seal = content.find((block) => block.type === "thinking")?.signature;
    if (typeof seal === "string") memory.reasoningOf.set(id, seal);
    content.push({ type: "tool_use", id, name: call.name, input: call.arguments });
  }
  const usage = reply.usage ?? { inputTokens: 12, outputTokens: 7 };
  return {
    id: `msg_${memory.replies}`,
    type: "message",
    role: "assistant",
    model: String(body.model),
    content,
    stop_reason: stopReason(reply),
    stop_sequence: null,
    ...(reply.stop === "refusal"
      ? { stop_details: { type: "refusal", category: "cyber", explanation: "This request was refused." } }
      : {}),
    usage: {
      input_tokens: usage.inputTokens - (usage.cachedInputTokens ?? 0),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: usage.cachedInputTokens ?? 0,
      output_tokens: usage.outputTokens,
      ...(usage.reasoningTokens === undefined
        ? {}
        : { output_tokens_details: { thinking_tokens: usage.reasoningTokens } }),
    },
  };
}

function stopReason(reply: ScriptedReply): string {
  if (reply.stop === "length") return "max_tokens";
  if (reply.stop === "refusal") return "refusal";
  if (reply.stop === "pause") return "pause_turn";
  return (reply.toolCalls ?? []).length > 0 ? "tool_use" : "end_turn";
}

function streamOf(message: ReturnType<typeof messageOf>): string[] {
  const { content, stop_reason, usage } = message;
  const details = "stop_details" in message ? { stop_details: message.stop_details } : {};
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [event("message_start", { type: "message_start", message: start })];
  for (const [index, block] of content.entries()) events.push(...blockEvents(block, index));
  events.push(
    event("message_delta", { type: "message_delta", delta: { stop_reason, stop_sequence: null, ...details }, usage }),
    event("message_stop", { type: "message_stop" }),
  );
  return events;
}

function blockEvents(block: Block, index: number): string[] {
  const start = (content_block: Block) =>
    event("content_block_start", { type: "content_block_start", index, content_block });
  const delta = (part: Block) => event("content_block_delta", { type: "content_block_delta", index, delta: part });
  const stop = event("content_block_stop", { type: "content_block_stop", index });
  switch (block.type) {
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...pieces(String(block.thinking)).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block.signature }),
        stop,
      ];
    case "text":
      return [
        start({ type: "text", text: "" }),
        ...pieces(String(block.text)).map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    default: {
      // No arguments are no characters at all, as the real API sends it.
      const isEmpty = isReceived(block.input) && Object.keys(block.input).length === 0;
      const text = isEmpty ? "" : argumentText(block.input);
      return [
        start({ ...block, input: {} }),
        ...["", ...pieces(text, 6)].map((partial_json) => delta({ type: "input_json_delta", partial_json })),
        stop,
      ];
    }
  }
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
