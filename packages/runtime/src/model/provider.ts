import type { Json } from "../manifest/json-schema.js";
import type { ManifestTool } from "../manifest/manifest.js";
import type { LoweredOutput, LoweredSchema, LoweredTool, OutputFormat } from "./lowered.js";
import type { Message } from "./messages.js";
import type { ModelEvent } from "./model-events.js";

/** One row of `providers/index.ts`: what a provider needs to be usable, and nothing that loads its SDK. */
export interface ProviderEntry {
  /**
   * Neutral tools → wire tools. Pure; the same tools give the same bytes. Strictness is chosen for each tool by
   * whether its schema fits the provider's keywords and the limits of the whole request; what does not fit is sent
   * non-strict and says so in `notes`.
   */
  lowerTools(tools: readonly ManifestTool[], options: LowerOptions): readonly LoweredTool[];
  lowerOutput(format: OutputFormat, options: LowerOptions): LoweredOutput;
  /** How structured output is best asked for, with or without tools in the same request. */
  outputMode(model: string, options: OutputModeOptions): OutputMode;
  /** Loads the SDK. @throws {ProviderError} code `sdk-missing` when the optional peer is not installed. */
  open(options: ProviderOptions): Promise<Provider>;
}

/**
 * - `native` `ModelRequest.output` beside the tools
 * - `tool` a synthetic tool whose arguments are the answer (older models)
 * - `after-tools` first the tools without `output`, then one last request with `output` and without tools
 */
export type OutputMode = "native" | "tool" | "after-tools";

export interface OutputModeOptions {
  /** Whether the agent has tools. */
  readonly tools: boolean;
  /** The lowered format, where it is known: a schema that cannot be enforced may need another way. */
  readonly output?: LoweredOutput;
  readonly baseUrl?: string;
}

export interface LowerOptions {
  /** Without the provider's prefix. */
  readonly model: string;
  /** `false` sends no strict schema at all. Default: strict wherever the schema fits. */
  readonly strict?: boolean;
  /** The server's address, where it decides what is understood (OpenAI-compatible servers). */
  readonly baseUrl?: string;
  /** What else the request holds that is strict (an output format): some limits are of the whole request. */
  readonly beside?: readonly LoweredSchema[];
}

export interface ProviderOptions {
  /** Default: the environment variable that the provider's own SDK reads. */
  readonly apiKey?: string;
  /** The server's address. With or without a trailing `/v1`; the adapter knows what its SDK wants. */
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** What an OpenAI-compatible server understands, where it differs from what its address suggests. */
  readonly compat?: Partial<ChatCompat>;
}

/** How Chat Completions servers differ. */
export interface ChatCompat {
  readonly maxTokens: "max_completion_tokens" | "max_tokens";
  /** Whether `stream_options.include_usage` is taken. */
  readonly streamUsage: boolean;
  /** Whether `parallel_tool_calls` is taken. */
  readonly parallelSwitch: boolean;
  /** Whether `reasoning_effort` is taken. */
  readonly effort: boolean;
  /** How JSON output is asked for: an enforced schema, a schema as a hint, or JSON of any form with the schema in the prompt. */
  readonly json: "strict" | "schema" | "object";
}

/** A model API that is ready to be called. Holds no state of a conversation, so it may be shared. */
export interface Provider {
  readonly name: string;
  /**
   * Sends one request, without retries (see `retry.ts`). Leaving the loop early, or aborting, frees the socket.
   * @throws {ProviderError} also `aborted`, `timeout` and `cut` (the stream ended before its terminal event).
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  /** Without the provider's prefix. */
  readonly model: string;
  readonly system?: string;
  /** Not empty; the last one is not an assistant's, except after stop `pause`. */
  readonly messages: readonly Message[];
  /** From the entry's `lowerTools`; pass the same array through a whole session, reasoning is bound to it. */
  readonly tools?: readonly LoweredTool[];
  /** Default `auto`. What the wire or the model cannot do is sent as `auto` and said in `reply.notes`. */
  readonly toolChoice?: ToolChoice;
  /** `false` asks for at most one call at a time, where the wire has the switch. */
  readonly parallelToolCalls?: boolean;
  /** From the entry's `lowerOutput`. */
  readonly output?: LoweredOutput;
  readonly reasoningEffort?: ReasoningEffort;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
  /** `false` asks for the reply in one piece; `reasoning` and `text` events still come, whole, before `reply`. Default `true`. */
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  /** Of the whole request, body included. Default: none. */
  readonly timeoutMs?: number;
  /** Merged into the request's body last, for what this contract does not name. */
  readonly extraBody?: { readonly [key: string]: Json };
}

export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };

/** From none to all there is; an adapter takes the nearest that the model has and says so in `reply.notes`. */
export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
