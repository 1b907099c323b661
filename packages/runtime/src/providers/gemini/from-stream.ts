import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart, ImagePart, NativeData } from "../../model/messages.js";
import type { ModelEvent, ModelReply, StopReason } from "../../model/model-events.js";
import type { Usage } from "../../model/usage.js";
import { addPartialArgument, type PartialArgument } from "./partial-arguments.js";
import { GEMINI_API } from "./to-request.js";

/** What we read of a chunk or of a whole response. */
export interface GeminiChunk {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly GeminiPart[] } | null;
    readonly finishReason?: string;
    readonly finishMessage?: string;
  }[];
  readonly promptFeedback?: { readonly blockReason?: string; readonly blockReasonMessage?: string };
  readonly usageMetadata?: {
    readonly promptTokenCount?: number;
    readonly candidatesTokenCount?: number;
    readonly thoughtsTokenCount?: number;
    readonly cachedContentTokenCount?: number;
    readonly toolUsePromptTokenCount?: number;
  };
  readonly modelVersion?: string;
  readonly responseId?: string;
}

interface GeminiPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: GeminiCall;
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string };
}

interface GeminiCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: { readonly [name: string]: Json };
  /** Only on Vertex, and only when asked for: the arguments in pieces. */
  readonly partialArgs?: readonly PartialArgument[];
  readonly willContinue?: boolean;
}

/** Puts a reply of generateContent together, from chunks or from one piece. */
export class GeminiReader {
  readonly #parts: AssistantPart[] = [];
  #finish: string | undefined;
  #message: string | undefined;
  #usage: GeminiChunk["usageMetadata"];
  #model: string | undefined;
  #id: string | undefined;
  #calls = 0;
  /** A call whose arguments come in pieces; `args` is part of `part`. */
  #open: { part: GeminiPart; id: string; args: { [name: string]: Json }; place: number } | undefined;
  readonly #callId: (position: number) => string;

  /** @param callId Makes an id for a call that has none. */
  constructor(callId: (position: number) => string) {
    this.#callId = callId;
  }

  /** Whether a finish reason has come, or the prompt was blocked. */
  get isComplete(): boolean {
    return this.#finish !== undefined;
  }

  push(chunk: GeminiChunk): readonly ModelEvent[] {
    // Running totals: the last one counts.
    this.#usage = chunk.usageMetadata ?? this.#usage;
    this.#model = chunk.modelVersion ?? this.#model;
    this.#id ??= chunk.responseId;
    const candidate = chunk.candidates?.[0];
    this.#finish = candidate?.finishReason ?? chunk.promptFeedback?.blockReason ?? this.#finish;
    this.#message = candidate?.finishMessage ?? chunk.promptFeedback?.blockReasonMessage ?? this.#message;
    return (candidate?.content?.parts ?? []).flatMap((part) => this.#add(part));
  }

  reply(request: { readonly provider: string; readonly model: string; readonly notes: readonly string[] }): ModelReply {
    const stop = stopReason(this.#finish, this.#parts);
    return {
      message: { role: "assistant", content: this.#parts, model: `${request.provider}/${request.model}` },
      stop,
      ...(this.#finish === undefined ? {} : { rawStop: this.#finish }),
      usage: usageOf(this.#usage),
      ...(stop === "refusal" ? { refusal: this.#message ?? this.#finish! } : {}),
      ...(this.#model === undefined ? {} : { servedModel: this.#model }),
      ...(this.#id === undefined ? {} : { responseId: this.#id }),
      notes: request.notes,
    };
  }

  #addCall(part: GeminiPart, call: GeminiCall): void {
    const open = this.#open;
    if (open === undefined || call.name !== undefined) {
      const { partialArgs = [], willContinue, ...rest } = call;
      const id = call.id === undefined || call.id === "" ? this.#callId(this.#calls) : call.id;
      const args = { ...call.args };
      for (const piece of partialArgs) addPartialArgument(args, piece);
      const isOpen = willContinue === true || partialArgs.length > 0;
      const whole = isOpen ? { ...part, functionCall: { ...rest, args } } : part;
      this.#calls += 1;
      this.#parts.push(callPart(whole, { id, args }));
      this.#open = willContinue === true ? { part: whole, id, args, place: this.#parts.length - 1 } : undefined;
      return;
    }
    for (const piece of call.partialArgs ?? []) addPartialArgument(open.args, piece);
    this.#parts[open.place] = callPart(open.part, open);
    if (call.willContinue !== true) this.#open = undefined;
  }

  #add(part: GeminiPart): readonly ModelEvent[] {
    const isSigned = part.thoughtSignature !== undefined;
    if (part.functionCall !== undefined) {
      this.#addCall(part, part.functionCall);
      return [];
    }
    if (part.text !== undefined) {
      const type = part.thought === true ? "reasoning" : "text";
      const last = this.#parts.at(-1);
      if (!isSigned && last?.type === type && last.native === undefined) {
        this.#parts[this.#parts.length - 1] = { ...last, text: last.text + part.text };
      } else if (isSigned || part.text !== "") {
        // A signed part is never joined with another, and stays even when it is empty.
        this.#parts.push({ type, text: part.text, ...(isSigned ? { native: nativeData(part) } : {}) });
      }
      return part.text === "" ? [] : [{ type, text: part.text }];
    }
    if (part.inlineData?.mimeType?.startsWith("image/") === true) {
      const { mimeType, data = "" } = part.inlineData;
      const image: ImagePart = {
        type: "image",
        mediaType: mimeType,
        source: { base64: data },
        native: nativeData(part),
      };
      this.#parts.push(image);
    } else this.#parts.push({ type: "native", native: nativeData(part) });
    return [];
  }
}

function callPart(
  part: GeminiPart,
  { id, args }: { id: string; args: { readonly [name: string]: Json } },
): AssistantPart {
  return {
    type: "tool_call",
    id,
    name: part.functionCall?.name ?? "",
    arguments: JSON.stringify(args),
    // Whole, in the place where it came: the signature belongs to just this part.
    native: nativeData(part),
  };
}

function nativeData(part: GeminiPart): NativeData {
  return { api: GEMINI_API, value: part as unknown as Json };
}

function stopReason(finish: string | undefined, parts: readonly AssistantPart[]): StopReason {
  switch (finish) {
    case "MAX_TOKENS":
      return "length";
    case "MALFORMED_FUNCTION_CALL":
    case "UNEXPECTED_TOOL_CALL":
    case "MALFORMED_RESPONSE":
      return "malformed";
    case "SAFETY":
    case "RECITATION":
    case "BLOCKLIST":
    case "PROHIBITED_CONTENT":
    case "SPII":
    case "MODEL_ARMOR":
    case "IMAGE_SAFETY":
    case "IMAGE_PROHIBITED_CONTENT":
    case "IMAGE_RECITATION":
      return "refusal";
    case "CONTINUATION":
      return "pause";
    default:
      // Calls end with STOP as well.
      if (parts.some((part) => part.type === "tool_call")) return "tool";
      return finish === "STOP" ? "end" : "error";
  }
}

function usageOf(raw: GeminiChunk["usageMetadata"]): Usage {
  const {
    promptTokenCount,
    candidatesTokenCount,
    thoughtsTokenCount,
    cachedContentTokenCount,
    toolUsePromptTokenCount,
  } = raw ?? {};
  const output = candidatesTokenCount ?? thoughtsTokenCount;
  return {
    ...(promptTokenCount === undefined ? {} : { inputTokens: promptTokenCount + (toolUsePromptTokenCount ?? 0) }),
    ...(output === undefined ? {} : { outputTokens: (candidatesTokenCount ?? 0) + (thoughtsTokenCount ?? 0) }),
    ...(cachedContentTokenCount === undefined ? {} : { cachedInputTokens: cachedContentTokenCount }),
    ...(thoughtsTokenCount === undefined ? {} : { reasoningTokens: thoughtsTokenCount }),
  };
}
