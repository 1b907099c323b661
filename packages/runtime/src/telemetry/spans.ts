import type { Json } from "../manifest/json-schema.js";
import type { AssistantPart, Message, ToolResultPart, UserMessage } from "../model/messages.js";
import type { ModelReply } from "../model/model-events.js";
import type { ModelRequest } from "../model/provider.js";
import type { Usage } from "../model/usage.js";
import type { SpanAttributes, SpanStart } from "./telemetry.js";

// Source: open-telemetry/semantic-conventions v1.41.0, docs/gen-ai (status "Development"), and its JSON schemas of
// messages. Names that callsign has no value for are left out.

/** The conventions' names of providers; others have the name that callsign gives them. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "openai-chat": "openai",
  google: "gcp.gemini",
  gemini: "gcp.gemini",
};

export interface AgentSpan {
  readonly agent: string;
  readonly description?: string | undefined;
  readonly sessionId?: string | undefined;
  /** `provider/model`. */
  readonly model: string;
}

/** `invoke_agent NAME`: one run. */
export function agentSpan({ agent, description, sessionId, model }: AgentSpan): SpanStart {
  return {
    name: `invoke_agent ${agent}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.agent.description": description,
      "gen_ai.conversation.id": sessionId,
      ...modelAttributes(model),
    },
  };
}

export interface ModelSpan {
  /** `provider/model`. */
  readonly model: string;
  readonly sessionId?: string | undefined;
  readonly request: ModelRequest;
  readonly contents: boolean;
}

/** `chat MODEL`: one request to a model, with its repetitions. */
export function modelSpan({ model, sessionId, request, contents }: ModelSpan): SpanStart {
  const { maxTokens, temperature, topP, stopSequences, output, system, messages } = request;
  return {
    name: `chat ${request.model}`,
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      ...modelAttributes(model),
      "gen_ai.conversation.id": sessionId,
      "gen_ai.request.max_tokens": maxTokens,
      "gen_ai.request.temperature": temperature,
      "gen_ai.request.top_p": topP,
      "gen_ai.request.stop_sequences": stopSequences,
      "gen_ai.output.type": output === undefined ? "text" : "json",
      ...(contents
        ? {
            "gen_ai.system_instructions":
              system === undefined ? undefined : JSON.stringify([{ type: "text", content: system }]),
            "gen_ai.input.messages": JSON.stringify(messages.map(showMessage)),
          }
        : {}),
    },
  };
}

/** What a reply adds to the span of its request. */
export function replyAttributes(reply: ModelReply, { contents }: { readonly contents: boolean }): SpanAttributes {
  return {
    "gen_ai.response.model": reply.servedModel,
    "gen_ai.response.id": reply.responseId,
    "gen_ai.response.finish_reasons": [finishReason(reply)],
    ...usageAttributes(reply.usage),
    ...(contents
      ? {
          "gen_ai.output.messages": JSON.stringify([
            { ...showMessage(reply.message), finish_reason: finishReason(reply) },
          ]),
        }
      : {}),
  };
}

export function usageAttributes(usage: Usage): SpanAttributes {
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
  };
}

export interface ToolSpan {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly args: Json;
  readonly contents: boolean;
}

/** `execute_tool NAME`: one call. */
export function toolSpan({ id, name, description, args, contents }: ToolSpan): SpanStart {
  return {
    name: `execute_tool ${name}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.description": description,
      ...(contents ? { "gen_ai.tool.call.arguments": JSON.stringify(args) } : {}),
    },
  };
}

/** What the end of a call adds to its span. */
export function resultAttributes(result: Json, { contents }: { readonly contents: boolean }): SpanAttributes {
  return contents ? { "gen_ai.tool.call.result": JSON.stringify(result) } : {};
}

function modelAttributes(id: string): SpanAttributes {
  const slash = id.indexOf("/");
  const provider = id.slice(0, Math.max(slash, 0));
  return {
    "gen_ai.provider.name": Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : provider,
    "gen_ai.request.model": id.slice(slash + 1),
  };
}

function finishReason({ stop }: ModelReply): string {
  const words: Partial<Record<ModelReply["stop"], string>> = {
    end: "stop",
    tool: "tool_call",
    refusal: "content_filter",
    malformed: "error",
  };
  return words[stop] ?? stop;
}

function showMessage({ role, content }: Message): { readonly role: string; readonly parts: readonly Json[] } {
  const parts: readonly (AssistantPart | UserMessage["content"][number] | ToolResultPart)[] = content;
  return { role, parts: parts.flatMap((part) => showPart(part) ?? []) };
}

/** What only the provider can read is no content. */
function showPart(part: AssistantPart | UserMessage["content"][number] | ToolResultPart): Json | undefined {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text };
    case "tool_call":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.arguments };
    case "tool_result": {
      const texts = part.content.map((piece) => (piece.type === "text" ? piece.text : "(an image)"));
      return { type: "tool_call_response", id: part.callId, response: texts.join("\n") };
    }
    case "image":
      return "url" in part.source
        ? { type: "uri", modality: "image", uri: part.source.url }
        : { type: "blob", modality: "image", mime_type: part.mediaType ?? "image/png", content: "(left out)" };
    case "native":
      return undefined;
  }
}
