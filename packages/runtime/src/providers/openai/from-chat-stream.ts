import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart } from "../../model/messages.js";
import type { ModelEvent, ModelReply, StopReason } from "../../model/model-events.js";
import type { Usage } from "../../model/usage.js";
import { type CallFragment, CallFragments } from "./call-fragments.js";
import { ThinkTags } from "./think-tags.js";
import { CHAT_API } from "./to-chat-request.js";

/** What we read of a chunk or of a whole completion; servers send more, less and other things. */
export interface ChatChunk {
  readonly id?: string;
  readonly model?: string;
  readonly choices?: readonly {
    readonly delta?: ChatDelta | null;
    readonly message?: ChatDelta | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: RawUsage | null;
  readonly x_groq?: { readonly usage?: RawUsage | null } | null;
  readonly error?: unknown;
}

interface ChatDelta {
  readonly content?: unknown;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly reasoning_details?: readonly Json[] | null;
  readonly tool_calls?: readonly CallFragment[] | null;
}

interface RawUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number } | null;
}

/** Puts a reply of Chat Completions together, from chunks or from one piece. */
export class ChatReader {
  readonly #calls = new CallFragments();
  readonly #tags = new ThinkTags();
  #text = "";
  #reasoning = "";
  #reasoningField: string | undefined;
  readonly #details: Json[] = [];
  #refusal = "";
  #finish: string | undefined;
  #usage: RawUsage | undefined;
  #id: string | undefined;
  #model: string | undefined;
  #emptyContent = false;

  /** A finish reason is terminal enough: not every server sends `[DONE]`. */
  get isComplete(): boolean {
    return this.#finish !== undefined;
  }

  push(chunk: ChatChunk): ModelEvent | readonly ModelEvent[] | undefined {
    this.#id ??= chunk.id;
    this.#model ??= chunk.model;
    this.#usage = chunk.usage ?? chunk.x_groq?.usage ?? this.#usage;
    const choice = chunk.choices?.[0];
    if (choice === undefined) return undefined;
    // The first one wins: some servers send a second one with the usage.
    this.#finish ??= choice.finish_reason ?? undefined;
    const delta = choice.delta ?? choice.message;
    return delta === undefined || delta === null ? undefined : this.#read(delta);
  }

  /** What was held back, once the stream has ended. */
  end(): readonly ModelEvent[] {
    return this.#emit(this.#tags.end());
  }

  reply(request: {
    readonly provider: string;
    readonly model: string;
    readonly notes: readonly string[];
    callId(position: number): string;
  }): ModelReply {
    const calls = this.#calls.calls.map(
      (call, position): AssistantPart => ({
        type: "tool_call",
        id: call.id === "" ? request.callId(position) : call.id,
        name: call.name,
        arguments: call.arguments,
        ...(Object.keys(call.extra).length === 0 ? {} : { native: { api: CHAT_API, value: call.extra as Json } }),
      }),
    );
    const content: AssistantPart[] = [
      ...this.#reasoningPart(),
      ...(this.#text === "" ? [] : [{ type: "text", text: this.#text } as const]),
      ...calls,
    ];
    return {
      message: {
        role: "assistant",
        content,
        model: `${request.provider}/${request.model}`,
        ...(this.#emptyContent && this.#text === "" ? { native: { api: CHAT_API, value: { content: "" } } } : {}),
      },
      stop: stopReason(this.#finish, { hasCalls: calls.length > 0, isRefused: this.#refusal !== "" }),
      ...(this.#finish === undefined ? {} : { rawStop: this.#finish }),
      usage: usageOf(this.#usage),
      ...(this.#refusal === "" ? {} : { refusal: this.#refusal }),
      ...(this.#model === undefined ? {} : { servedModel: this.#model }),
      ...(this.#id === undefined ? {} : { responseId: this.#id }),
      notes: request.notes,
    };
  }

  #read(delta: ChatDelta): ModelEvent | readonly ModelEvent[] | undefined {
    for (const fragment of delta.tool_calls ?? []) this.#calls.add(fragment);
    if (delta.reasoning_details !== undefined && delta.reasoning_details !== null) {
      this.#details.push(...delta.reasoning_details);
    }
    const thought = delta.reasoning_content ?? delta.reasoning;
    const refused = delta.refusal ?? "";
    this.#refusal += refused;
    const content = contentText(delta.content);
    if (delta.content === "") this.#emptyContent = true;
    if (typeof thought !== "string" || thought === "") {
      // The common case: nothing but text.
      const parted = content.text === "" ? undefined : this.#tags.push(content.text);
      if (content.reasoning === "" && refused === "") {
        if (parted === undefined) return undefined;
        if (parted.reasoning === "") {
          this.#text += parted.text;
          return parted.text === "" ? undefined : { type: "text", text: parted.text };
        }
      }
      const events = this.#emit({ reasoning: content.reasoning + (parted?.reasoning ?? ""), text: parted?.text ?? "" });
      return refused === "" ? events : [...events, { type: "text", text: refused }];
    }
    this.#reasoningField = typeof delta.reasoning_content === "string" ? "reasoning_content" : "reasoning";
    const parted = content.text === "" ? { reasoning: "", text: "" } : this.#tags.push(content.text);
    return this.#emit({ reasoning: thought + parted.reasoning, text: parted.text });
  }

  #emit({ reasoning, text }: { readonly reasoning: string; readonly text: string }): readonly ModelEvent[] {
    this.#reasoning += reasoning;
    this.#text += text;
    return [
      ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning } as const]),
      ...(text === "" ? [] : [{ type: "text", text } as const]),
    ];
  }

  /** What goes back: DeepSeek's field and OpenRouter's details. Other servers do not want theirs. */
  #reasoningPart(): AssistantPart[] {
    const back = {
      ...(this.#reasoningField === "reasoning_content" ? { reasoning_content: this.#reasoning } : {}),
      ...(this.#details.length === 0 ? {} : { reasoning_details: joinedDetails(this.#details) }),
    };
    const hasBack = Object.keys(back).length > 0;
    if (this.#reasoning === "" && !hasBack) return [];
    return [
      { type: "reasoning", text: this.#reasoning, ...(hasBack ? { native: { api: CHAT_API, value: back } } : {}) },
    ];
  }
}

/** Details come in pieces that belong together by index and type: their texts are joined. */
function joinedDetails(pieces: readonly Json[]): Json {
  const joined: { [key: string]: Json }[] = [];
  for (const piece of pieces) {
    if (typeof piece !== "object" || piece === null || Array.isArray(piece)) continue;
    const detail = piece as { readonly [key: string]: Json };
    const last = joined.at(-1);
    const continues = last !== undefined && last.index === detail.index && last.type === detail.type;
    if (!continues || detail.index === undefined) {
      joined.push({ ...detail });
      continue;
    }
    for (const [key, value] of Object.entries(detail)) {
      const isText = ["text", "summary", "data"].includes(key) && typeof value === "string";
      if (isText && typeof last[key] === "string") last[key] += value;
      else if (value !== null) last[key] = value;
    }
  }
  return joined;
}

/** Text, or a list of parts as some servers send it. */
function contentText(content: unknown): { readonly text: string; readonly reasoning: string } {
  if (typeof content === "string") return { text: content, reasoning: "" };
  if (!Array.isArray(content)) return { text: "", reasoning: "" };
  const join = (isThought: boolean): string =>
    content
      .filter((part) => (part?.type === "thinking") === isThought)
      .map((part) => (Array.isArray(part?.thinking) ? contentText(part.thinking).text : String(part?.text ?? "")))
      .join("");
  return { text: join(false), reasoning: join(true) };
}

function stopReason(
  finish: string | undefined,
  { hasCalls, isRefused }: { hasCalls: boolean; isRefused: boolean },
): StopReason {
  if (finish === "length" || finish === "max_tokens") return "length";
  if (finish === "content_filter" || isRefused) return "refusal";
  // Servers disagree on the word for it: the calls decide.
  if (hasCalls) return "tool";
  return finish === "error" || finish === undefined ? "error" : "end";
}

function usageOf(raw: RawUsage | undefined): Usage {
  const cached = raw?.prompt_tokens_details?.cached_tokens;
  const reasoning = raw?.completion_tokens_details?.reasoning_tokens;
  return {
    ...(raw?.prompt_tokens === undefined ? {} : { inputTokens: raw.prompt_tokens }),
    ...(raw?.completion_tokens === undefined ? {} : { outputTokens: raw.completion_tokens }),
    ...(typeof cached !== "number" ? {} : { cachedInputTokens: cached }),
    ...(typeof reasoning !== "number" ? {} : { reasoningTokens: reasoning }),
  };
}
