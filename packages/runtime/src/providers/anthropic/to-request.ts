import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart, ImagePart, TextPart, ToolResultPart } from "../../model/messages.js";
import type { ModelRequest, ReasoningEffort } from "../../model/provider.js";
import { argumentsObject, imageUrl, nativeOf, textOf } from "../history.js";
import { writeOnce } from "../write-once.js";
import { anthropicOutputWire, hasRoomBeside } from "./lower.js";
import { type ClaudeModel, claudeModel } from "./models.js";

/** A body for the Messages API, and what was asked for and is not in it. */
export interface AnthropicRequest {
  readonly body: { readonly [key: string]: unknown };
  readonly notes: readonly string[];
}

type Block = { readonly [key: string]: unknown; readonly type: string };

/** Tokens for thinking where a model takes a budget instead of an effort. */
const BUDGETS: Partial<Record<ReasoningEffort, number>> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384 };
const LARGEST_BUDGET = 24_576;

export function toAnthropicRequest(request: ModelRequest): AnthropicRequest {
  const notes: string[] = [];
  const model = claudeModel(request.model);
  if (request.temperature !== undefined || request.topP !== undefined) {
    notes.push("temperature and topP are not sent: this version of the API refuses them");
  }
  const choice = toolChoice(request, { model, notes });
  const thinking = thinkingOf(request, { model, notes, isForced: choice?.type === "any" || choice?.type === "tool" });
  const { output } = request;
  const isEnforced = output?.strict === true && hasRoomBeside(output, request.tools ?? []);
  const inPrompt = output !== undefined && !isEnforced;
  if (inPrompt)
    notes.push(`the format ${output.name} does not fit the provider's grammar; it is asked for in the prompt`);
  const system = [
    ...(request.system === undefined || request.system === "" ? [] : [request.system]),
    ...(inPrompt ? [`Answer with JSON alone that fits this JSON Schema:\n${JSON.stringify(output.schema)}`] : []),
  ].join("\n\n");
  const config = {
    ...(thinking.effort === undefined ? {} : { effort: thinking.effort }),
    ...(isEnforced ? { format: anthropicOutputWire(output) } : {}),
  };
  return {
    notes,
    body: {
      model: request.model,
      max_tokens: thinking.maxTokens,
      ...(system === "" ? {} : { system }),
      messages: beginWithUser(request.messages.flatMap((message) => toMessages(message, request.model))),
      ...(request.tools === undefined || request.tools.length === 0
        ? {}
        : { tools: request.tools.map((tool) => tool.wire) }),
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
      ...(Object.keys(config).length === 0 ? {} : { output_config: config }),
      ...(request.stopSequences === undefined ? {} : { stop_sequences: request.stopSequences }),
      stream: request.stream ?? true,
      ...request.extraBody,
    },
  };
}

/** The API takes no conversation that the assistant begins: one whose beginning was cut, or that people began. */
function beginWithUser<M extends { readonly role: unknown }>(messages: readonly M[]): readonly object[] {
  if (messages.length === 0 || messages[0]?.role === "user") return messages;
  const text = "(What was said before is not shown.)";
  return [{ role: "user", content: [{ type: "text", text }] }, ...messages];
}

function toolChoice(
  request: ModelRequest,
  { model, notes }: { model: ClaudeModel; notes: string[] },
): Block | undefined {
  if (request.tools === undefined || request.tools.length === 0) return undefined;
  const asked = request.toolChoice ?? "auto";
  if (asked === "none") return { type: "none" };
  const single = request.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (asked === "auto") return request.parallelToolCalls === false ? { type: "auto", ...single } : undefined;
  if (!model.forcedChoice) {
    notes.push(`a forced tool call is not available on ${request.model}; sent auto`);
    return { type: "auto", ...single };
  }
  return asked === "required" ? { type: "any", ...single } : { type: "tool", name: asked.tool, ...single };
}

function thinkingOf(
  request: ModelRequest,
  { model, notes, isForced }: { model: ClaudeModel; notes: string[]; isForced: boolean },
): { readonly thinking?: Block; readonly effort?: ReasoningEffort; readonly maxTokens: number } {
  const maxTokens = request.maxTokens ?? model.defaultMaxTokens;
  const asked = request.reasoningEffort;
  if (asked === undefined) return { maxTokens };
  if (asked === "none") {
    if (model.off === "omit") return { maxTokens };
    if (model.off !== undefined) return { thinking: { type: model.off }, maxTokens };
    notes.push(`reasoning cannot be turned off on ${request.model}; sent effort low`);
    return { thinking: { type: "adaptive" }, effort: "low", maxTokens };
  }
  const effort = nearest(asked, model.efforts);
  if (effort !== undefined && effort !== asked)
    notes.push(`effort ${asked} is not available on ${request.model}; sent ${effort}`);
  const withEffort = effort === undefined ? {} : { effort };
  if (model.thinking === "none") {
    notes.push(`${request.model} does not reason; no effort is sent`);
    return { maxTokens };
  }
  // The thoughts are left out unless they are asked for.
  if (model.thinking === "adaptive")
    return { thinking: { type: "adaptive", display: "summarized" }, ...withEffort, maxTokens };
  if (isForced) {
    notes.push(`${request.model} does not reason before a forced tool call; no budget is sent`);
    return { ...withEffort, maxTokens };
  }
  const budget = BUDGETS[asked] ?? LARGEST_BUDGET;
  if (request.maxTokens === undefined) {
    return {
      thinking: { type: "enabled", budget_tokens: budget },
      ...withEffort,
      maxTokens: Math.max(maxTokens, budget + 4_096),
    };
  }
  if (maxTokens <= 1_024) {
    notes.push(`maxTokens ${maxTokens} leaves no room for reasoning; none is asked for`);
    return { ...withEffort, maxTokens };
  }
  return {
    thinking: { type: "enabled", budget_tokens: Math.max(1_024, Math.min(budget, Math.floor(maxTokens / 2))) },
    ...withEffort,
    maxTokens,
  };
}

const LEVELS: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The level itself, else the next one below, else the lowest there is. */
function nearest(asked: ReasoningEffort, available: readonly ReasoningEffort[]): ReasoningEffort | undefined {
  const wanted = LEVELS.indexOf(asked);
  return available.findLast((level) => LEVELS.indexOf(level) <= wanted) ?? available[0];
}

const toMessages = writeOnce((message, model: string): readonly { role: string; content: unknown }[] => {
  switch (message.role) {
    case "system": {
      const text = textOf(message.content);
      // Only newer models have the role inside the conversation.
      const isKnown = claudeModel(model).efforts.includes("xhigh");
      return text === "" ? [] : [{ role: isKnown ? "system" : "user", content: [{ type: "text", text }] }];
    }
    case "user": {
      const content = message.content.flatMap(toInputBlock);
      return content.length === 0 ? [] : [{ role: "user", content }];
    }
    case "tool":
      return message.content.length === 0 ? [] : [{ role: "user", content: message.content.map(toResultBlock) }];
    case "assistant": {
      const content = message.content.flatMap(toAssistantBlock);
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
  }
});

function toAssistantBlock(part: AssistantPart): Block[] {
  const native = nativeOf(part, "anthropic");
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ ...native, type: "text", text: part.text }];
    case "tool_call":
      return [
        { ...native, type: "tool_use", id: callId(part.id), name: part.name, input: argumentsObject(part.arguments) },
      ];
    case "image":
      return [];
    default:
      // Thinking and hidden blocks go back byte by byte, or not at all.
      return native === undefined ? [] : [native as Block];
  }
}

function toResultBlock(result: ToolResultPart): Block {
  const content = result.content.flatMap(toInputBlock);
  const [first] = content;
  const isText = content.length === 1 && first?.type === "text";
  return {
    type: "tool_result",
    tool_use_id: callId(result.callId),
    ...(content.length === 0 ? {} : { content: isText ? first.text : content }),
    ...(result.isError === true ? { is_error: true } : {}),
  };
}

function toInputBlock(part: TextPart | ImagePart): Block[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  const source: { [key: string]: Json } =
    "url" in part.source
      ? { type: "url", url: imageUrl(part) }
      : { type: "base64", media_type: part.mediaType ?? "image/png", data: part.source.base64 };
  return [{ type: "image", source }];
}

/** Ids of other providers may have characters that this one refuses. */
function callId(id: string): string {
  return id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}
