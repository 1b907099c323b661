import type { AssistantPart, ImagePart, Message, TextPart, ToolResultPart } from "../../model/messages.js";
import type { ModelRequest, ReasoningEffort } from "../../model/provider.js";
import { argumentsObject, imagesOf, nativeOf, textOf } from "../history.js";
import { writeOnce } from "../write-once.js";
import { geminiOutputWire } from "./lower.js";
import { type GeminiModel, geminiModel } from "./models.js";

/** What the SDK's generateContent takes, and what was asked for and is not in it. */
export interface GeminiRequest {
  readonly contents: readonly Content[];
  readonly config: { readonly [key: string]: unknown };
  readonly notes: readonly string[];
}

interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly Part[];
}

type Part = { readonly [key: string]: unknown };

export const GEMINI_API = "gemini";

/** Stands for the signature of a call that another model made. */
const NO_SIGNATURE = "skip_thought_signature_validator";
const BUDGETS: Partial<Record<ReasoningEffort, number>> = { minimal: 512, low: 1_024, medium: 8_192, high: 16_384 };
const LARGEST_BUDGET = 24_576;

export function toGeminiRequest(request: ModelRequest): GeminiRequest {
  const notes: string[] = [];
  const model = geminiModel(request.model);
  const { tools = [], output } = request;
  const outputIsSent = output !== undefined && (tools.length === 0 || model.isThree);
  if (output !== undefined && !outputIsSent) {
    notes.push(`${request.model} refuses a format beside tools; the format is not sent`);
  }
  if (request.parallelToolCalls === false && tools.length > 0) {
    notes.push("calls one at a time cannot be asked for: the API has no switch");
  }
  const thinking = thinkingOf(request, { model, notes });
  return {
    contents: toContents(request.messages, model),
    notes,
    config: {
      ...(request.system === undefined || request.system === ""
        ? {}
        : { systemInstruction: { parts: [{ text: request.system }] } }),
      ...(tools.length === 0
        ? {}
        : { tools: [{ functionDeclarations: tools.map((tool) => tool.wire) }], ...toolConfig(request) }),
      ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
      ...(outputIsSent ? geminiOutputWire(output) : {}),
      ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.topP === undefined ? {} : { topP: request.topP }),
      ...(request.stopSequences === undefined ? {} : { stopSequences: request.stopSequences }),
    },
  };
}

function toolConfig({ toolChoice = "auto" }: ModelRequest): object {
  if (toolChoice === "auto") return {};
  const config =
    toolChoice === "none"
      ? { mode: "NONE" }
      : toolChoice === "required"
        ? { mode: "ANY" }
        : { mode: "ANY", allowedFunctionNames: [toolChoice.tool] };
  return { toolConfig: { functionCallingConfig: config } };
}

function thinkingOf(
  { reasoningEffort: asked, model: name }: ModelRequest,
  { model, notes }: { model: GeminiModel; notes: string[] },
): object | undefined {
  if (asked === undefined) return undefined;
  if (model.thinking === "none") {
    if (asked !== "none") notes.push(`${name} does not reason; no effort is sent`);
    return undefined;
  }
  if (model.thinking === "budget") {
    const budget = asked === "none" ? 0 : (BUDGETS[asked] ?? LARGEST_BUDGET);
    if (budget < model.leastBudget) notes.push(`reasoning cannot be turned off on ${name}; sent the least budget`);
    const thinkingBudget = Math.max(budget, model.leastBudget);
    return { thinkingBudget, ...(asked === "none" ? {} : { includeThoughts: true }) };
  }
  const order: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
  const level = model.levels.findLast((each) => order.indexOf(each) <= order.indexOf(asked)) ?? model.levels[0]!;
  if (level !== asked) notes.push(`effort ${asked} is not available on ${name}; sent ${level}`);
  return { thinkingLevel: level.toUpperCase(), ...(asked === "none" ? {} : { includeThoughts: true }) };
}

function toContents(messages: readonly Message[], model: GeminiModel): readonly Content[] {
  const ids = ownIds(messages);
  return messages.flatMap((message) => toContent(message, { model, ids }));
}

/** Ids that the provider itself gave; the others are ours and stay here. */
function ownIds(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool_call"));
  return new Map(
    calls.flatMap((part) => {
      const id = callOf(part)?.id;
      return typeof id === "string" ? [[part.id, id] as const] : [];
    }),
  );
}

interface Conversation {
  readonly model: GeminiModel;
  /** The provider's ids of calls, by ours. */
  readonly ids: ReadonlyMap<string, string>;
}

const toContent = writeOnce(writeContent, ({ model, ids }: Conversation, message) => {
  const called = message.role === "tool" ? message.content.map(({ callId }) => ids.get(callId)) : [];
  return JSON.stringify([model.isThree, ...called]);
});

function writeContent(message: Message, options: Conversation): readonly Content[] {
  switch (message.role) {
    case "system":
      return [{ role: "user", parts: [{ text: textOf(message.content) }] }];
    case "user":
      return [{ role: "user", parts: message.content.map(toPart) }];
    case "tool":
      return [{ role: "user", parts: toResponses(message.content, options) }];
    case "assistant": {
      const parts = signed(message.content.flatMap(toModelPart), options.model);
      return parts.length === 0 ? [] : [{ role: "model", parts }];
    }
  }
}

function toModelPart(part: AssistantPart): readonly Part[] {
  const native = nativeOf(part, GEMINI_API);
  switch (part.type) {
    case "text":
      if (native !== undefined) return [native];
      return part.text === "" ? [] : [{ text: part.text }];
    case "tool_call": {
      if (native !== undefined) return [native];
      return [{ functionCall: { name: part.name, args: argumentsObject(part.arguments) } }];
    }
    case "image":
      return native === undefined ? [] : [native];
    default:
      return native === undefined ? [] : [native];
  }
}

/** The first call of a step must be signed, also when another model made it. */
function signed(parts: readonly Part[], model: GeminiModel): readonly Part[] {
  const first = parts.findIndex((part) => part.functionCall !== undefined);
  if (first === -1 || !model.isThree || parts[first]!.thoughtSignature !== undefined) return parts;
  return parts.map((part, index) => (index === first ? { ...part, thoughtSignature: NO_SIGNATURE } : part));
}

function toResponses(results: readonly ToolResultPart[], { ids, model }: Conversation): readonly Part[] {
  const responses = results.map((result): Part => {
    const id = ids.get(result.callId);
    const images = model.isThree ? imagesOf(result.content) : [];
    const text = textOf(result.content);
    return {
      functionResponse: {
        ...(id === undefined ? {} : { id }),
        name: result.name,
        response: result.isError === true ? { error: text } : { output: text },
        ...(images.length === 0 ? {} : { parts: images.map(toPart) }),
      },
    };
  });
  const beside = model.isThree ? [] : results.flatMap((result) => imagesOf(result.content)).map(toPart);
  return [...responses, ...beside];
}

function toPart(part: TextPart | ImagePart): Part {
  if (part.type === "text") return { text: part.text };
  const mimeType = part.mediaType ?? "image/png";
  return "url" in part.source
    ? { fileData: { fileUri: part.source.url, mimeType } }
    : { inlineData: { mimeType, data: part.source.base64 } };
}

function callOf(part: AssistantPart): { readonly id?: unknown } | undefined {
  return nativeOf(part, GEMINI_API)?.functionCall as { readonly id?: unknown } | undefined;
}
