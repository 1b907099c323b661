import type { AssistantMessage, ImagePart, Message, TextPart } from "../../model/messages.js";
import type { ModelRequest } from "../../model/provider.js";
import { argumentsObject, imagesOf, loopStart, nativeOf, resultText } from "../history.js";
import { writeOnce } from "../write-once.js";

/** A body for Ollama's chat API, and what was asked for and is not in it. */
export interface OllamaRequest {
  readonly body: { readonly [key: string]: unknown };
  readonly notes: readonly string[];
}

type WireMessage = { readonly [key: string]: unknown };

export const OLLAMA_API = "ollama";

export function toOllamaRequest(request: ModelRequest): OllamaRequest {
  const notes: string[] = [];
  const { toolChoice = "auto", output } = request;
  // There is no switch that forbids tools: what is not there cannot be called.
  const tools = toolChoice === "none" ? [] : (request.tools ?? []);
  if (toolChoice !== "auto" && toolChoice !== "none")
    notes.push("a forced tool call is not available on Ollama; left to the model");
  if (request.parallelToolCalls === false && tools.length > 0)
    notes.push("calls one at a time cannot be asked for: the API has no switch");
  const outputIsSent = output !== undefined && tools.length === 0;
  if (output !== undefined && !outputIsSent)
    notes.push("a format beside tools keeps the model from calling any; the format is not sent");
  const system = [
    ...(request.system === undefined || request.system === "" ? [] : [request.system]),
    // The grammar alone does not tell the model what the fields mean.
    ...(outputIsSent ? [`Answer with JSON that fits this JSON Schema:\n${JSON.stringify(output.schema)}`] : []),
  ].join("\n\n");
  const settings = {
    ...(request.maxTokens === undefined ? {} : { num_predict: request.maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.topP === undefined ? {} : { top_p: request.topP }),
    ...(request.stopSequences === undefined ? {} : { stop: request.stopSequences }),
  };
  const think = thinkOf(request, notes);
  const loop = loopStart(request.messages);
  const messages = request.messages.flatMap((message, index) => {
    const written = toMessages(message, index >= loop ? "in-loop" : "before");
    notes.push(...written.notes);
    return written.messages;
  });
  return {
    notes,
    body: {
      model: request.model,
      messages: [...(system === "" ? [] : [{ role: "system", content: system }]), ...messages],
      ...(tools.length === 0 ? {} : { tools: tools.map((tool) => tool.wire) }),
      ...(outputIsSent ? { format: output.schema } : {}),
      ...(think === undefined ? {} : { think }),
      ...(Object.keys(settings).length === 0 ? {} : { options: settings }),
      stream: request.stream ?? true,
      ...request.extraBody,
    },
  };
}

/** gpt-oss knows levels and cannot be turned off; every other model knows on and off. */
function thinkOf({ model, reasoningEffort: asked }: ModelRequest, notes: string[]): boolean | string | undefined {
  if (asked === undefined) return undefined;
  if (!model.includes("gpt-oss")) return asked !== "none";
  if (asked === "none" || asked === "minimal") {
    notes.push(`effort ${asked} is not available on ${model}; sent low`);
    return "low";
  }
  return asked === "xhigh" || asked === "max" ? "high" : asked;
}

type Place = "in-loop" | "before";

const toMessages = writeOnce((message, place: Place) => {
  const notes: string[] = [];
  return { messages: writeMessages(message, { place, notes }), notes };
});

function writeMessages(message: Message, options: { place: Place; notes: string[] }): readonly WireMessage[] {
  switch (message.role) {
    case "system":
    case "user":
      return [{ role: message.role, content: textIn(message.content), ...imagesIn(message.content, options.notes) }];
    case "tool":
      return message.content.map((result) => ({
        role: "tool",
        content: resultText(result),
        tool_name: result.name,
        tool_call_id: result.callId,
        ...imagesIn(result.content, options.notes),
      }));
    case "assistant":
      return [assistantMessage(message, options)];
  }
}

function assistantMessage(message: AssistantMessage, { place }: { place: Place }): WireMessage {
  const calls = message.content.flatMap((part) => {
    if (part.type !== "tool_call") return [];
    const native = nativeOf(part, OLLAMA_API);
    const called = { name: part.name, arguments: argumentsObject(part.arguments) };
    return [{ id: part.id, ...native, function: { ...(native?.function as object | undefined), ...called } }];
  });
  const thinking = message.content
    .flatMap((part) => (part.type === "reasoning" && nativeOf(part, OLLAMA_API) !== undefined ? [part.text] : []))
    .join("");
  return {
    role: "assistant",
    content: textIn(message.content),
    ...(place === "in-loop" && thinking !== "" ? { thinking } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function textIn(content: readonly { readonly type: string }[]): string {
  return content.flatMap((part) => (part.type === "text" ? [(part as TextPart).text] : [])).join("");
}

function imagesIn(content: readonly (TextPart | ImagePart)[], notes: string[]): { images?: readonly string[] } {
  const images = imagesOf(content).flatMap(({ source }) => {
    if ("base64" in source) return [source.base64];
    notes.push(`the image ${source.url} is not sent: Ollama takes no addresses`);
    return [];
  });
  return images.length === 0 ? {} : { images };
}
