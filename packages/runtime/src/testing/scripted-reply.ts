import type { Json } from "../manifest/json-schema.js";

/** What the fake provider answers to one request: a model's reply, a failure, or bytes as they are. */
export type Scripted = ScriptedReply | ScriptedFailure | RawReply;

/** A reply in neutral form; the fake provider writes it in the API of the request, streamed or whole as asked for. */
export interface ScriptedReply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedCall[];
  /** Default: `tool` with calls, else `end`. */
  readonly stop?: "length" | "refusal" | "pause" | "malformed";
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly reasoningTokens?: number;
    readonly cachedInputTokens?: number;
  };
  readonly delivery?: Delivery;
}

export interface ScriptedCall {
  readonly name: string;
  /** A string is sent as the argument text itself, which may be broken. */
  readonly arguments: { readonly [name: string]: Json } | string;
  /** Default: one in the provider's own style; on Gemini and old Ollama none. */
  readonly id?: string;
}

export interface ScriptedFailure {
  readonly status: number;
  readonly message?: string;
  /** The provider's own code (`rate_limit_exceeded`, `overloaded_error`, `RESOURCE_EXHAUSTED`). */
  readonly code?: string;
  /** How long to wait, in the form in which providers say it. */
  readonly wait?: { readonly in: "seconds" | "milliseconds" | "date" | "body"; readonly ms: number };
  /** Sent inside a stream that began with status 200. */
  readonly inStream?: boolean;
  readonly delivery?: Delivery;
}

export interface RawReply {
  readonly raw: string;
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delivery?: Delivery;
}

/** What happens on the way. Default: the whole body at once. */
export interface Delivery {
  /** Byte offsets at which the body is cut into separate writes; `every-byte` writes them one by one. */
  readonly cuts?: readonly number[] | "every-byte";
  /** Bytes after which the socket is destroyed; `terminal` cuts before the event that ends the reply. */
  readonly dropAfter?: number | "terminal";
  /** Before the headers. */
  readonly delayMs?: number;
  /** Between the writes. */
  readonly betweenMs?: number;
  /** Never ends the response, after what `dropAfter` leaves of it. */
  readonly hang?: boolean;
  /** Comments, pings and padding that a client has to skip. */
  readonly noise?: boolean;
}

/** A request as it came in. */
export interface ReceivedRequest {
  readonly api: ApiName;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly [key: string]: unknown };
}

export type ApiName = "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "ollama";

/** A request that the provider would refuse, and how it would say so. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
}

/** What the fake provider remembers of what it has sent, to know it again when it comes back. */
export interface Memory {
  /** Counts replies; ids are made from it. */
  replies: number;
  /** Signatures and sealed reasoning by what they seal. */
  readonly seals: Map<string, string>;
  /** Item or call ids that were written after reasoning, with the id or the signature of that reasoning. */
  readonly reasoningOf: Map<string, string>;
}

/** One provider's API. */
export interface FakeApi {
  readonly name: ApiName;
  accepts(path: string): boolean;
  /** undefined when the request is right. */
  check(request: ReceivedRequest, memory: Memory): Refusal | undefined;
  isStream(request: ReceivedRequest): boolean;
  /** The pieces of the body: events or lines of a stream, or the one body. The last one ends the reply. */
  write(reply: ScriptedReply, request: ReceivedRequest, memory: Memory): readonly string[];
  writeFailure(failure: ScriptedFailure): string;
  /** A failure as it appears in a stream under way. */
  writeStreamFailure(failure: ScriptedFailure): string;
  readonly streamType: string;
  /** What a client has to skip. */
  readonly noise: readonly string[];
}

/** Options of the fake provider that change what it is. */
export interface FakeProviderOptions {
  /** Gemini gives calls an id. */
  readonly geminiIds?: boolean;
  /** An Ollama server from before call ids. */
  readonly oldOllama?: boolean;
  /** Models that Ollama says cannot use tools or think; any part of the name. */
  readonly ollamaWithoutTools?: readonly string[];
  readonly ollamaWithoutThinking?: readonly string[];
}
