import { badRequest, isReceived, objectsOf, pieces, type Received } from "../reading.js";
import { ollamaSchemaProblems } from "../rules/plain-schema.js";
import type {
  FakeApi,
  FakeProviderOptions,
  Memory,
  ReceivedRequest,
  Refusal,
  ScriptedReply,
} from "../scripted-reply.js";

/** Ollama's native chat API. A request with `format` never gets a tool call, as on the real server. */
export function fakeOllama(options: FakeProviderOptions): FakeApi {
  return {
    name: "ollama",
    accepts: (path) => path === "/api/chat",
    check: (request) => checkOllamaRequest(request, options),
    isStream: ({ body }) => body.stream !== false,
    streamType: "application/x-ndjson",
    noise: ["\n"],
    write(reply, request, memory) {
      const lines = linesOf(reply, request, { options, memory });
      return request.body.stream === false
        ? [JSON.stringify(whole(lines))]
        : lines.map((line) => `${JSON.stringify(line)}\n`);
    },
    writeFailure: ({ status, message }) => JSON.stringify({ error: message ?? `status ${status}` }),
    writeStreamFailure: ({ status, message }) => `${JSON.stringify({ error: message ?? `status ${status}` })}\n`,
  };
}

function checkOllamaRequest({ body }: ReceivedRequest, options: FakeProviderOptions): Refusal | undefined {
  const model = String(body.model ?? "");
  if (model === "") return badRequest("model is required");
  if (model.startsWith("missing")) return { status: 404, message: `model '${model}' not found` };
  const names = (list: readonly string[] | undefined) => (list ?? []).some((part) => model.includes(part));
  const tools = objectsOf(body.tools);
  if (tools.length > 0 && names(options.ollamaWithoutTools))
    return badRequest(`registry.ollama.ai/library/${model} does not support tools`);
  if (body.think !== undefined && body.think !== false && names(options.ollamaWithoutThinking)) {
    return badRequest(`"${model}" does not support thinking`);
  }
  if (body.think !== undefined && ![true, false, "low", "medium", "high", "max"].includes(body.think as string)) {
    return badRequest(`invalid think value: ${JSON.stringify(body.think)}`);
  }
  for (const tool of tools) {
    const declared = isReceived(tool.function) ? tool.function : {};
    const problems =
      typeof declared.name === "string" ? ollamaSchemaProblems(declared.parameters) : ["a tool needs a name"];
    if (problems.length > 0) return badRequest(`tool ${String(declared.name)}: ${problems[0]}`);
  }
  for (const message of objectsOf(body.messages)) {
    const refusal = checkMessage(message);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function checkMessage(message: Received): Refusal | undefined {
  if (!["system", "user", "assistant", "tool"].includes(String(message.role)))
    return badRequest(`invalid role: ${String(message.role)}`);
  if (typeof message.content !== "string")
    return badRequest("json: cannot unmarshal into Go struct field ChatRequest.messages.content of type string");
  const images = Array.isArray(message.images) ? message.images : [];
  if (images.some((image) => !/^[A-Za-z0-9+/]+=*$/.test(String(image))))
    return badRequest("illegal base64 data at input byte 4");
  for (const call of objectsOf(message.tool_calls)) {
    const called = isReceived(call.function) ? call.function : {};
    if (!isReceived(called.arguments)) {
      return badRequest(
        "json: cannot unmarshal string into Go struct field ToolCallFunction.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
      );
    }
  }
  return undefined;
}

function linesOf(
  reply: ScriptedReply,
  { body }: ReceivedRequest,
  { options, memory }: { options: FakeProviderOptions; memory: Memory },
): Received[] {
  const line = (message: Received, more: Received = { done: false }): Received => ({
    model: body.model,
    created_at: "2026-11-29T00:00:00Z",
    message: { role: "assistant", content: "", ...message },
    ...more,
  });
  const lines = [
    ...pieces(reply.reasoning ?? "").map((thinking) => line({ thinking })),
    ...pieces(reply.text ?? "").map((content) => line({ content })),
  ];
  // The grammar of `format` wins over the tools: no call can be written.
  const calls = body.format === undefined ? (reply.toolCalls ?? []) : [];
  for (const [index, call] of calls.entries()) {
    const args = typeof call.arguments === "string" ? JSON.parse(call.arguments || "{}") : call.arguments;
    const place = index === 0 ? {} : { index };
    const id = options.oldOllama === true ? {} : { id: call.id ?? `call_${memory.replies}${index}` };
    lines.push(line({ tool_calls: [{ ...id, function: { ...place, name: call.name, arguments: args } }] }));
  }
  const usage = reply.usage ?? { inputTokens: 12, outputTokens: 7 };
  const end = {
    done: true,
    done_reason: reply.stop === "length" ? "length" : "stop",
    total_duration: 3,
    prompt_eval_count: usage.inputTokens,
    eval_count: usage.outputTokens,
  };
  return [...lines, line({}, end)];
}

/** The lines of a stream as the one object of a reply that is not streamed. */
function whole(lines: readonly Received[]): Received {
  const messages = lines.map((line) => line.message as Received);
  const joined = (name: string) => messages.map((message) => message[name] ?? "").join("");
  const calls = messages.flatMap((message) => objectsOf(message.tool_calls));
  const thinking = joined("thinking");
  return {
    ...lines.at(-1),
    message: {
      role: "assistant",
      content: joined("content"),
      ...(thinking === "" ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  };
}
