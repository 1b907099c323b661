import type { AssistantMessage, AssistantPart, ImagePart, TextPart, ToolResultPart } from "../../model/messages.js";
import type { ModelRequest } from "../../model/provider.js";
import { argumentsText, imageUrl, nativeOf, resultText, textOf } from "../history.js";
import { writeOnce } from "../write-once.js";
import { responsesOutputWire } from "./lower.js";
import { nearestEffort, openaiModel } from "./models.js";

/** A body for the Responses API, and what was asked for and is not in it. */
export interface ResponsesRequest {
  readonly body: { readonly [key: string]: unknown };
  readonly notes: readonly string[];
}

type Item = { readonly [key: string]: unknown };

export const RESPONSES_API = "openai-responses";

export function toResponsesRequest(request: ModelRequest): ResponsesRequest {
  const notes: string[] = [];
  const model = openaiModel(request.model);
  const { output, tools = [] } = request;
  const effort = request.reasoningEffort === undefined ? undefined : nearestEffort(request.reasoningEffort, model);
  if (effort !== request.reasoningEffort) {
    notes.push(
      effort === undefined
        ? `${request.model} does not reason; no effort is sent`
        : `effort ${request.reasoningEffort} is not available on ${request.model}; sent ${effort}`,
    );
  }
  const samples = model.reasons !== true || effort === "none";
  if (!samples && (request.temperature !== undefined || request.topP !== undefined)) {
    notes.push(`temperature and topP are not sent: ${request.model} refuses them while it reasons`);
  }
  if (request.stopSequences !== undefined) notes.push("stop sequences are not sent: the API has none");
  return {
    notes,
    body: {
      model: request.model,
      ...(request.system === undefined || request.system === "" ? {} : { instructions: request.system }),
      input: request.messages.flatMap((message) => toItems(message, "")),
      ...(tools.length === 0 ? {} : { tools: tools.map((tool) => tool.wire), ...toolSwitches(request) }),
      ...(effort === undefined ? {} : { reasoning: { effort, ...(effort === "none" ? {} : { summary: "auto" }) } }),
      // Refused by models that do not reason, and needed by servers that do not send it by themselves.
      ...(model.reasons === true ? { include: ["reasoning.encrypted_content"] } : {}),
      ...(output === undefined ? {} : { text: { format: responsesOutputWire(output) } }),
      ...(request.maxTokens === undefined ? {} : { max_output_tokens: request.maxTokens }),
      ...(samples && request.temperature !== undefined ? { temperature: request.temperature } : {}),
      ...(samples && request.topP !== undefined ? { top_p: request.topP } : {}),
      // The history is ours: it has to survive a change of process.
      store: false,
      stream: request.stream ?? true,
      ...request.extraBody,
    },
  };
}

function toolSwitches({ toolChoice = "auto", parallelToolCalls }: ModelRequest): Item {
  return {
    ...(toolChoice === "auto"
      ? {}
      : { tool_choice: typeof toolChoice === "string" ? toolChoice : { type: "function", name: toolChoice.tool } }),
    ...(parallelToolCalls === false ? { parallel_tool_calls: false } : {}),
  };
}

const toItems = writeOnce((message, _: ""): readonly Item[] => {
  switch (message.role) {
    case "system":
      return [{ type: "message", role: "developer", content: textOf(message.content) }];
    case "user":
      return [{ type: "message", role: "user", content: message.content.map(toInput) }];
    case "tool":
      return message.content.map(toOutput);
    case "assistant":
      return toAssistantItems(message);
  }
});

/**
 * Reasoning and what it led to go back together or not at all: an item with an id is refused without its reasoning
 * item, and reasoning is refused without the item that followed it.
 */
function toAssistantItems({ content }: AssistantMessage): readonly Item[] {
  const items = content.flatMap(toAssistantItem);
  const lastOther = items.findLastIndex((item) => item.type !== "reasoning");
  const kept = items.filter((item, index) => item.type !== "reasoning" || index < lastOther);
  if (kept.some((item) => item.type === "reasoning")) return kept;
  return kept.map(({ id: _, ...item }) => item);
}

function toAssistantItem(part: AssistantPart): readonly Item[] {
  const native = nativeOf(part, RESPONSES_API);
  switch (part.type) {
    case "text":
      if (native !== undefined) return [native];
      return part.text === ""
        ? []
        : [
            {
              type: "message",
              role: "assistant",
              content: [{ type: "output_text", text: part.text, annotations: [] }],
            },
          ];
    case "tool_call": {
      const item = native ?? { type: "function_call", call_id: part.id, name: part.name };
      return [{ ...item, arguments: argumentsText(part.arguments) }];
    }
    case "image":
      return [];
    default:
      return native === undefined ? [] : [native];
  }
}

function toInput(part: TextPart | ImagePart): Item {
  return part.type === "text"
    ? { type: "input_text", text: part.text }
    : { type: "input_image", image_url: imageUrl(part), detail: "auto" };
}

function toOutput(result: ToolResultPart): Item {
  const text = resultText(result);
  const images = result.content.filter((part) => part.type === "image");
  const output =
    images.length === 0 ? text : [...(text === "" ? [] : [{ type: "input_text", text }]), ...images.map(toInput)];
  return { type: "function_call_output", call_id: result.callId, output };
}
