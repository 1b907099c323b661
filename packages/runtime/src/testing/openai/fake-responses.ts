import { argumentText, fingerprint, pieces } from "../reading.js";
import type { FakeApi, Memory, ReceivedRequest, ScriptedReply } from "../scripted-reply.js";
import { checkResponsesRequest } from "./check-responses.js";
import { openaiFailure } from "./openai-failure.js";

interface Item {
  readonly [key: string]: unknown;
  readonly type: string;
  readonly id: string;
}

export const fakeResponses: FakeApi = {
  name: "openai-responses",
  accepts: (path) => path.endsWith("/responses"),
  check: checkResponsesRequest,
  isStream: ({ body }) => body.stream === true,
  streamType: "text/event-stream; charset=utf-8",
  noise: [": keep-alive\n\n", 'event: response.news\ndata: {"type":"response.news","sequence_number":0}\n\n'],
  write(reply, request, memory) {
    const response = responseOf(reply, request, memory);
    return request.body.stream === true ? streamOf(response) : [JSON.stringify(response)];
  },
  writeFailure: (failure) => JSON.stringify(openaiFailure(failure)),
  writeStreamFailure(failure) {
    const { code, message } = openaiFailure(failure).error;
    return event({ type: "error", code, message, param: null, sequence_number: 9 });
  },
};

function responseOf(reply: ScriptedReply, { body }: ReceivedRequest, memory: Memory) {
  const turn = memory.replies;
  const output: Item[] = [];
  const reasoningId = `rs_${turn}`;
  const follows = (id: string) => {
    if (reply.reasoning !== undefined) memory.reasoningOf.set(id, reasoningId);
    return id;
  };
  if (reply.reasoning !== undefined) {
    const encrypted_content = `gAAAA${fingerprint([reply.reasoning, turn])}`;
    memory.seals.set(encrypted_content, reasoningId);
    const summary = reply.reasoning === "" ? [] : [{ type: "summary_text", text: reply.reasoning }];
    output.push({ type: "reasoning", id: reasoningId, summary, encrypted_content });
  }
  if (reply.text !== undefined) {
    const part =
      reply.stop === "refusal"
        ? { type: "refusal", refusal: reply.text }
        : { type: "output_text", text: reply.text, annotations: [], logprobs: [] };
    output.push({
      type: "message",
      id: follows(`msg_${turn}`),
      role: "assistant",
      status: "completed",
      content: [part],
    });
  }
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    output.push({
      type: "function_call",
      id: follows(`fc_${turn}_${index}`),
      call_id: call.id ?? `call_${turn}_${index}`,
      name: call.name,
      arguments: argumentText(call.arguments),
      status: "completed",
    });
  }
  const usage = reply.usage ?? { inputTokens: 12, outputTokens: 7 };
  const isCut = reply.stop === "length";
  return {
    id: `resp_${turn}`,
    object: "response",
    created_at: 1,
    model: String(body.model),
    status: isCut ? "incomplete" : "completed",
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    error: null,
    output,
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}

function streamOf(response: ReturnType<typeof responseOf>): string[] {
  let sequence = 0;
  const send = (type: string, more: object) => event({ type, ...more, sequence_number: sequence++, obfuscation: "Xq" });
  const begun = { ...response, status: "in_progress", output: [], usage: null, incomplete_details: null };
  const events = [send("response.created", { response: begun }), send("response.in_progress", { response: begun })];
  for (const [output_index, item] of response.output.entries()) {
    const at = { item_id: item.id, output_index };
    events.push(send("response.output_item.added", { output_index, item: emptied(item) }));
    events.push(...itemEvents(item, (type, more) => send(type, { ...at, ...more })));
    events.push(send("response.output_item.done", { output_index, item }));
  }
  return [...events, send(`response.${response.status}`, { response })];
}

function itemEvents(item: Item, send: (type: string, more: object) => string): string[] {
  if (item.type === "reasoning") {
    return (item.summary as { text: string }[]).flatMap(({ text }, summary_index) => [
      send("response.reasoning_summary_part.added", { summary_index, part: { type: "summary_text", text: "" } }),
      ...pieces(text).map((delta) => send("response.reasoning_summary_text.delta", { summary_index, delta })),
      send("response.reasoning_summary_text.done", { summary_index, text }),
    ]);
  }
  if (item.type === "function_call") {
    const text = String(item.arguments);
    return [
      ...pieces(text, 5).map((delta) => send("response.function_call_arguments.delta", { delta })),
      send("response.function_call_arguments.done", { arguments: text }),
    ];
  }
  return (item.content as { type: string; text?: string; refusal?: string }[]).flatMap((part, content_index) => {
    const kind = part.type === "refusal" ? "refusal" : "output_text";
    const text = part.text ?? part.refusal ?? "";
    return [
      send("response.content_part.added", {
        content_index,
        part: { ...part, [kind === "refusal" ? kind : "text"]: "" },
      }),
      ...pieces(text).map((delta) => send(`response.${kind}.delta`, { content_index, delta, logprobs: [] })),
      send(`response.${kind}.done`, { content_index, [kind === "refusal" ? "refusal" : "text"]: text }),
      send("response.content_part.done", { content_index, part }),
    ];
  });
}

/** An item as it is announced, before its content has come. */
function emptied(item: Item): object {
  if (item.type === "reasoning") return { type: item.type, id: item.id, summary: [] };
  if (item.type === "function_call") return { ...item, arguments: "", status: "in_progress" };
  return { ...item, content: [], status: "in_progress" };
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
