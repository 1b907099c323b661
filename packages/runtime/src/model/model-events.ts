import type { AssistantMessage } from "./messages.js";
import type { Usage } from "./usage.js";

/**
 * What `Provider.stream` yields. The last one is always `reply`, exactly once; a request that fails, or a stream that
 * ends before the provider's terminal event, throws a `ProviderError` instead and never yields `reply`.
 */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "reply"; readonly reply: ModelReply };

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly stop: StopReason;
  /** The provider's own word for it. */
  readonly rawStop?: string;
  readonly usage: Usage;
  /** Why the model refused, where it said so. */
  readonly refusal?: string;
  /** The model that answered, as the provider names it. */
  readonly servedModel?: string;
  /** The provider's id of the response. */
  readonly responseId?: string;
  /** What was asked for and could not be sent: `"tool choice required is not available on claude-opus-5-5; sent auto"`. */
  readonly notes: readonly string[];
}

/**
 * - `end` the model is done
 * - `tool` the message holds at least one tool call (decided by the calls, never by the provider's word)
 * - `length` cut by a token limit; a call in it may be broken and must not run
 * - `refusal` the model or a filter refused
 * - `pause` the provider wants the same turn sent back to go on
 * - `malformed` the model wrote a call that the provider could not read; worth one more try
 * - `error` the provider named a reason that fits none of these
 */
export type StopReason = "end" | "tool" | "length" | "refusal" | "pause" | "malformed" | "error";
