import type { Json } from "../manifest/json-schema.js";
import type { AssistantMessage, ImagePart, Message, NativeData, TextPart, ToolResultPart } from "../model/messages.js";

/** The provider's own JSON of a part, if this API wrote it. */
export function nativeOf(
  part: { readonly native?: NativeData },
  api: string,
): { readonly [key: string]: Json } | undefined {
  const value = part.native?.api === api ? part.native.value : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : undefined;
}

/** Arguments as an object for wires that want one, `{}` where the model wrote none that can be read. */
export function argumentsObject(text: string): { readonly [key: string]: Json } {
  try {
    const value = JSON.parse(text) as Json;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as { [key: string]: Json };
  } catch {
    // A call that cannot be read has an error result, which tells the model what was wrong with it.
  }
  return {};
}

/** Arguments as text: the model's own where it is a JSON object, since servers parse it again. */
export function argumentsText(text: string): string {
  try {
    const value = JSON.parse(text) as Json;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return text;
  } catch {
    // As above.
  }
  return "{}";
}

export function textOf(content: readonly { readonly type: string }[]): string {
  return content.flatMap((part) => (part.type === "text" ? [(part as TextPart).text] : [])).join("\n");
}

export function imagesOf(content: readonly (TextPart | ImagePart)[]): readonly ImagePart[] {
  return content.filter((part) => part.type === "image");
}

/** The text of a result for wires that have no flag for errors. */
export function resultText(result: ToolResultPart): string {
  const text = textOf(result.content);
  return result.isError === true && !/^error\b/i.test(text) ? `Error: ${text}` : text;
}

/** `data:` form of an image, or its address. */
export function imageUrl({ source, mediaType }: ImagePart): string {
  return "url" in source ? source.url : `data:${mediaType ?? "image/png"};base64,${source.base64}`;
}

/** Where the provider names no id: the same one again whenever the same history is replayed. */
export function madeCallId(messages: readonly Message[], position: number): string {
  const turn = messages.filter((message) => message.role === "assistant").length;
  return `call_${turn}_${position}`;
}

/** From which message on the model is still within one tool loop: after the last message of a person. */
export function loopStart(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => message.role === "user") + 1;
}

/**
 * A message without what is bound to what came before it: reasoning, signatures, ids of items. For a history that is
 * sent to another model or under another system prompt or other tools.
 */
export function withoutReasoning(message: AssistantMessage): AssistantMessage {
  const content = message.content.flatMap((part) => {
    if (part.type === "reasoning" || part.type === "native") return [];
    const { native: _, ...bare } = part;
    return part.type === "text" && part.text === "" ? [] : [bare];
  });
  const { native: _, ...bare } = message;
  return { ...bare, content };
}

/** Whether `withoutReasoning` takes something of the model's thinking from it. */
export function carriesReasoning({ content }: AssistantMessage): boolean {
  return content.some(
    (part) =>
      part.type === "reasoning" ||
      part.type === "native" ||
      // A signature of thinking may stand on any part.
      (part.native !== undefined && /signature/i.test(Object.keys(part.native.value ?? {}).join())),
  );
}
