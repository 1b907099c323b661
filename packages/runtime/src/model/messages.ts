import type { Json } from "../manifest/json-schema.js";

/** The history of a conversation is JSON: it can be stored, loaded and sent again without a change of any byte that a provider signs. */
export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage;

/** An instruction in mid-conversation. The system prompt itself is `ModelRequest.system`. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: readonly TextPart[];
}

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart)[];
}

/** One reply of a model, its parts in the order in which they came. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantPart[];
  /** `provider/model` that wrote it. Reasoning is only valid for that model. */
  readonly model?: string;
  /** Tells the instructions and tools under which it was written; its reasoning is valid only with the same ones. */
  readonly boundTo?: string;
  /** What belongs to the message as a whole and must go back with it. */
  readonly native?: NativeData;
}

/** The results of all calls of the assistant message before it, in the order of the calls. */
export interface ToolMessage {
  readonly role: "tool";
  readonly content: readonly ToolResultPart[];
}

export type AssistantPart = TextPart | ImagePart | ReasoningPart | ToolCallPart | NativePart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly native?: NativeData;
}

export interface ImagePart {
  readonly type: "image";
  /** `image/png`; not needed beside a `url`. */
  readonly mediaType?: string;
  /** Base64 without a `data:` prefix, or an http(s) address. */
  readonly source: { readonly base64: string } | { readonly url: string };
  readonly native?: NativeData;
}

/** What the model thought, as far as the provider shows it: `text` may be empty where only a signature came. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly native?: NativeData;
}

export interface ToolCallPart {
  readonly type: "tool_call";
  /** Unique in the conversation; made by us where the provider gives none. */
  readonly id: string;
  readonly name: string;
  /** JSON text in the shape of the wire schema, as the model wrote it: maybe empty, broken or fenced. See `Lowered.restore`. */
  readonly arguments: string;
  readonly native?: NativeData;
}

export interface ToolResultPart {
  readonly type: "tool_result";
  readonly callId: string;
  /** The name of the tool that was called; some wires pair by it. */
  readonly name: string;
  readonly content: readonly (TextPart | ImagePart)[];
  readonly isError?: boolean;
}

/** A part that has no neutral meaning but must go back (hidden reasoning, server tools). */
export interface NativePart {
  readonly type: "native";
  readonly native: NativeData;
}

/** A provider's own JSON, verbatim. Only the adapter of the same `api` reads it; every other one ignores it. */
export interface NativeData {
  /** The API whose JSON this is; two providers that speak the same API share it. */
  readonly api: "anthropic" | "openai-responses" | "openai-chat" | "gemini" | "ollama" | (string & {});
  readonly value: Json;
}
