import { isReceived, pieces, type Received } from "../reading.js";
import type { FakeApi, Memory, ReceivedRequest, ScriptedFailure, ScriptedReply } from "../scripted-reply.js";
import { checkGeminiRequest, geminiVersion, modelOf, sealOf } from "./check-request.js";

/** Gemini's API; `ids` makes calls carry an id, which most models do not. */
export function fakeGemini(options: { ids: boolean }): FakeApi {
  return {
    name: "gemini",
    accepts: (path) => /^\/v1(?:beta)?\/models\/[^/]+:(?:generateContent|streamGenerateContent)/.test(path),
    check: checkGeminiRequest,
    isStream: ({ path }) => path.includes(":streamGenerateContent"),
    streamType: "text/event-stream",
    noise: [": a comment\r\n\r\n"],
    write(reply, request, memory) {
      const parts = partsOf(reply, { ...options, model: modelOf(request.path), memory });
      return request.path.includes(":streamGenerateContent")
        ? streamOf(reply, parts, request)
        : [JSON.stringify(responseOf(reply, { parts, request, isLast: true }))];
    },
    writeFailure: (failure) => JSON.stringify(geminiFailure(failure)),
    writeStreamFailure: (failure) => `data: ${JSON.stringify(geminiFailure(failure))}\r\n\r\n`,
  };
}

function geminiFailure({ status, message, code, wait }: ScriptedFailure) {
  const names: Record<number, string> = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
  };
  const details =
    wait?.in === "body"
      ? { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${wait.ms / 1000}s` }] }
      : {};
  return {
    error: {
      code: status,
      message: message ?? `status ${status}`,
      status: code ?? names[status] ?? "UNKNOWN",
      ...details,
    },
  };
}

function partsOf(reply: ScriptedReply, options: { ids: boolean; model: string; memory: Memory }): Received[] {
  const { ids, model, memory } = options;
  const parts: Received[] = [];
  const signed = (part: Received): Received => {
    if (geminiVersion(model) < 2.5) return part;
    const thoughtSignature = Buffer.from(`signature ${memory.replies} ${sealOf(part)}`).toString("base64");
    memory.seals.set(thoughtSignature, sealOf(part));
    return { ...part, thoughtSignature };
  };
  if (reply.reasoning !== undefined) parts.push({ text: reply.reasoning, thought: true });
  if (reply.text !== undefined) parts.push({ text: reply.text });
  for (const [index, call] of (reply.toolCalls ?? []).entries()) {
    const args = typeof call.arguments === "string" ? JSON.parse(call.arguments || "{}") : call.arguments;
    const id = call.id ?? (ids ? `call-${memory.replies}-${index}` : undefined);
    const part = { functionCall: { ...(id === undefined ? {} : { id }), name: call.name, args } };
    parts.push(index === 0 ? signed(part) : part);
  }
  if (reply.reasoning !== undefined && (reply.toolCalls ?? []).length === 0) parts.push(signed({ text: "" }));
  return parts;
}

function streamOf(reply: ScriptedReply, parts: readonly Received[], request: ReceivedRequest): string[] {
  const chunks = parts.flatMap((part) =>
    typeof part.text === "string" && part.thoughtSignature === undefined
      ? pieces(part.text).map((text) => ({ ...part, text }))
      : [part],
  );
  const last = isReceived(chunks.at(-1)) && chunks.at(-1)?.thoughtSignature !== undefined && chunks.at(-1)?.text === "";
  const ahead = last ? chunks.slice(0, -1) : chunks;
  return [
    ...ahead.map((part) => event(responseOf(reply, { parts: [part], request, isLast: false }))),
    event(responseOf(reply, { parts: last ? chunks.slice(-1) : [{ text: "" }], request, isLast: true })),
  ];
}

function responseOf(
  reply: ScriptedReply,
  options: { parts: readonly Received[]; request: ReceivedRequest; isLast: boolean },
): object {
  const { parts, request, isLast } = options;
  const usage = reply.usage ?? { inputTokens: 12, outputTokens: 7 };
  const thoughts = usage.reasoningTokens ?? 0;
  const reasons = { length: "MAX_TOKENS", refusal: "SAFETY", malformed: "MALFORMED_FUNCTION_CALL", pause: "OTHER" };
  return {
    candidates: [
      {
        index: 0,
        ...(isLast && reply.stop === "refusal" ? {} : { content: { role: "model", parts } }),
        ...(isLast ? { finishReason: reply.stop === undefined ? "STOP" : reasons[reply.stop] } : {}),
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.inputTokens,
      candidatesTokenCount: isLast ? usage.outputTokens - thoughts : 1,
      ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
      ...(usage.cachedInputTokens === undefined ? {} : { cachedContentTokenCount: usage.cachedInputTokens }),
      totalTokenCount: usage.inputTokens + usage.outputTokens,
    },
    modelVersion: modelOf(request.path),
    responseId: "resp",
  };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\r\n\r\n`;
}
