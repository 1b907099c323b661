import type { Json } from "./manifest/json-schema.js";
import type { ToolFunction } from "./manifest/tool-registry.js";
import type { Message } from "./model/messages.js";
import type { ProviderOptions, ReasoningEffort } from "./model/provider.js";
import type { CustomModel } from "./open-model.js";
import type { Schema } from "./schema.js";
import type { Tool } from "./tool-class.js";

/** Decides whether a call may run. What it throws refuses the call. */
export type Approver = (call: {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}) => ApproverAnswer | Promise<ApproverAnswer>;

export type ApproverAnswer = boolean | { readonly approved: boolean; readonly reason?: string };

/** How an agent works. `apiKey`, `baseUrl`, `headers` and `fetch` go to the model's provider. */
export interface AgentOptions<T> extends ProviderOptions {
  /** `provider/model`, such as `anthropic/claude-sonnet-5-5`. */
  readonly model: string | CustomModel;
  /** Bound functions and tools. Resolved at the first question, so that they may be bound after the agent is made. */
  readonly tools?: readonly (ToolFunction | Tool<object, unknown>)[];
  /** The answer's format; the agent then gives a `T` instead of text, and shows no tokens. */
  readonly responseFormat?: Schema<T>;
  /** How many tool calls may run before the model must answer from what it has. Default 10. */
  readonly maxToolCalls?: number;
  /** Show the answer's tokens as they come. Default true. */
  readonly stream?: boolean;
  readonly reasoningEffort?: ReasoningEffort;
  /** The most tokens of one reply. Default: the provider's, or the model's own limit. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** `false` runs calls one after another and asks the model for one at a time. Default true. */
  readonly parallelToolCalls?: boolean;
  /** How long one call may take; `Infinity` for no limit. Default 60 000. */
  readonly toolTimeoutMs?: number;
  /** How long one request to the model may take. Default: no limit. */
  readonly timeoutMs?: number;
  /** How often a failed request is made again, when its failure may pass. Default 2. */
  readonly maxRetries?: number;
  /** `false` sends no strict schema. Default: strict wherever the schema fits. */
  readonly strict?: boolean;
  /** What `ToolContext.deps` holds. */
  readonly deps?: unknown;
  /** Asked before each call of a tool that requires approval. Without it such calls are refused. */
  readonly approve?: Approver;
  /** Needed where the agent is offered to others. */
  readonly name?: string;
  readonly description?: string;
}

/** What differs from one question to the next. */
export interface RunOptions {
  /** Ends the run. */
  readonly signal?: AbortSignal;
  /** Earlier messages of the conversation. */
  readonly history?: readonly Message[];
  readonly sessionId?: string;
  /** Instead of the agent's own. */
  readonly deps?: unknown;
}
