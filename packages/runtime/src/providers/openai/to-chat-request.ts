import type { AssistantMessage, TextPart, ToolMessage, UserMessage } from "../../model/messages.js";
import type { ChatCompat, ModelRequest } from "../../model/provider.js";
import { argumentsText, imagesOf, imageUrl, loopStart, nativeOf, resultText, textOf } from "../history.js";
import { writeOnce } from "../write-once.js";
import { chatOutputWire } from "./lower.js";
import { nearestEffort, openaiModel } from "./models.js";

/** A body for Chat Completions, and what was asked for and is not in it. */
export interface ChatRequest {
  readonly body: { readonly [key: string]: unknown };
  readonly notes: readonly string[];
}

type WireMessage = { readonly [key: string]: unknown };

export const CHAT_API = "openai-chat";

export function toChatRequest(request: ModelRequest, compat: ChatCompat): ChatRequest {
  const notes: string[] = [];
  const { output, tools = [] } = request;
  const inPrompt = output !== undefined && compat.json === "object";
  const system = [
    ...(request.system === undefined || request.system === "" ? [] : [request.system]),
    ...(inPrompt ? [`Answer with JSON alone that fits this JSON Schema:\n${JSON.stringify(output.schema)}`] : []),
  ].join("\n\n");
  const effort = effortOf(request, { compat, notes });
  const samples = openaiModel(request.model).reasons !== true || effort === "none";
  if (!samples && (request.temperature !== undefined || request.topP !== undefined)) {
    notes.push(`temperature and topP are not sent: ${request.model} refuses them while it reasons`);
  }
  const loop = loopStart(request.messages);
  return {
    notes,
    body: {
      model: request.model,
      messages: [
        ...(system === "" ? [] : [{ role: "system", content: system }]),
        ...request.messages.flatMap((message, index) => toMessages(message, index >= loop ? "in-loop" : "before")),
      ],
      ...(tools.length === 0
        ? {}
        : { tools: tools.map((tool) => tool.wire), ...toolSwitches(request, { compat, notes }) }),
      ...(effort === undefined ? {} : { reasoning_effort: effort }),
      ...(output === undefined ? {} : { response_format: responseFormat(output, compat) }),
      ...(request.maxTokens === undefined ? {} : { [compat.maxTokens]: request.maxTokens }),
      ...(samples && request.temperature !== undefined ? { temperature: request.temperature } : {}),
      ...(samples && request.topP !== undefined ? { top_p: request.topP } : {}),
      ...(request.stopSequences === undefined ? {} : { stop: request.stopSequences }),
      stream: request.stream ?? true,
      ...((request.stream ?? true) && compat.streamUsage ? { stream_options: { include_usage: true } } : {}),
      ...request.extraBody,
    },
  };
}

function effortOf(
  request: ModelRequest,
  { compat, notes }: { compat: ChatCompat; notes: string[] },
): string | undefined {
  const model = openaiModel(request.model);
  const asked = request.reasoningEffort;
  if (model.chatToolsNeedNone && request.tools !== undefined && request.tools.length > 0) {
    if (asked !== undefined && asked !== "none") {
      notes.push(`${request.model} cannot reason beside tools on Chat Completions; use openai/${request.model}`);
    }
    return model.efforts.includes("none") ? "none" : undefined;
  }
  if (asked === undefined) return undefined;
  if (!compat.effort) {
    notes.push("reasoning effort is not sent: the server does not take it");
    return undefined;
  }
  const effort = nearestEffort(asked, model);
  if (effort !== asked) {
    notes.push(
      effort === undefined
        ? `${request.model} does not reason; no effort is sent`
        : `effort ${asked} is not available on ${request.model}; sent ${effort}`,
    );
  }
  return effort;
}

function toolSwitches(
  { toolChoice = "auto", parallelToolCalls }: ModelRequest,
  { compat, notes }: { compat: ChatCompat; notes: string[] },
): WireMessage {
  const single = parallelToolCalls === false;
  if (single && !compat.parallelSwitch) notes.push("calls one at a time cannot be asked for: the server has no switch");
  return {
    ...(toolChoice === "auto"
      ? {}
      : {
          tool_choice:
            typeof toolChoice === "string" ? toolChoice : { type: "function", function: { name: toolChoice.tool } },
        }),
    ...(single && compat.parallelSwitch ? { parallel_tool_calls: false } : {}),
  };
}

function responseFormat(output: NonNullable<ModelRequest["output"]>, { json }: ChatCompat): WireMessage {
  return json === "object" ? { type: "json_object" } : chatOutputWire(output);
}

const toMessages = writeOnce((message, place: "in-loop" | "before"): readonly WireMessage[] => {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: textOf(message.content) }];
    case "user":
      return [{ role: "user", content: userContent(message.content) }];
    case "tool":
      return toolMessages(message);
    case "assistant":
      return [assistantMessage(message, { inLoop: place === "in-loop" })];
  }
});

function userContent(content: UserMessage["content"]): unknown {
  if (imagesOf(content).length === 0) return textOf(content);
  return content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: imageUrl(part) } },
  );
}

/** Results hold text only: their images follow in a message of their own, after ALL results. */
function toolMessages({ content }: ToolMessage): readonly WireMessage[] {
  const results = content.map((result) => ({ role: "tool", tool_call_id: result.callId, content: resultText(result) }));
  const shown = content.flatMap((result) => {
    const images = imagesOf(result.content);
    const label: TextPart = { type: "text", text: `Images from ${result.name} (${result.callId}):` };
    return images.length === 0 ? [] : [label, ...images];
  });
  return shown.length === 0 ? results : [...results, { role: "user", content: userContent(shown) }];
}

function assistantMessage(message: AssistantMessage, { inLoop }: { inLoop: boolean }): WireMessage {
  const calls = message.content.flatMap((part) =>
    part.type === "tool_call"
      ? [
          {
            // What a server adds to a call (a signature of Gemini's) goes back with it.
            ...nativeOf(part, CHAT_API),
            id: part.id,
            type: "function",
            function: { name: part.name, arguments: argumentsText(part.arguments) },
          },
        ]
      : [],
  );
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  // Some servers refuse null, some an empty text: each gets what it wrote itself.
  const nothing = nativeOf(message, CHAT_API)?.content === "" || calls.length === 0 ? "" : null;
  return {
    role: "assistant",
    content: text === "" ? nothing : text,
    // Wanted back while the model is still at it, and refused or wasted afterwards.
    ...(inLoop ? reasoningFields(message) : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function reasoningFields(message: AssistantMessage): WireMessage {
  return Object.assign(
    {},
    ...message.content.map((part) => (part.type === "reasoning" ? (nativeOf(part, CHAT_API) ?? {}) : {})),
  ) as WireMessage;
}
