import type { Json } from "../manifest/json-schema.js";
import type { Usage } from "../model/usage.js";

/**
 * Everything that a caller can observe of a run, in this form everywhere: `.stream()`, `ask --json`, SSE frames. Each
 * event is JSON. The last one is `done` or `error`, exactly once.
 */
export type RunEvent =
  /** A request to the model begins. `step` counts from 1. */
  | { readonly type: "step_start"; readonly step: number }
  | { readonly type: "token"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** `args` as they will be used, after repair; the model's own text where they could not be read. */
  | { readonly type: "tool_start"; readonly id: string; readonly name: string; readonly args: Json }
  | { readonly type: "tool_progress"; readonly id: string; readonly value: Json }
  | {
      readonly type: "tool_done";
      readonly id: string;
      readonly name: string;
      readonly status: "success" | "error";
      /** The JSON form of what the tool returned, or the message that the model gets instead. */
      readonly result: Json;
    }
  | { readonly type: "approval_requested"; readonly id: string; readonly name: string; readonly args: Json }
  | { readonly type: "approval_decided"; readonly id: string; readonly approved: boolean; readonly reason?: string }
  /** A request failed and is made again after `waitMs`. `attempt` is the number of the next try, from 2. */
  | { readonly type: "retry"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** Reasoning of earlier replies is not sent to the model again: it is bound to what was before. */
  | { readonly type: "reasoning_dropped"; readonly reason: string }
  /** The conversation goes over to another agent, or to people. Both are named by their `name`. */
  | { readonly type: "handoff"; readonly from: string; readonly to: string }
  | { readonly type: "usage"; readonly step: number; readonly usage: Usage }
  | RunDone
  | RunError;

export interface RunDone {
  readonly type: "done";
  /** The answer: the text, or with a `responseFormat` its JSON form. */
  readonly value: Json;
  /** The text that the model wrote last. */
  readonly content: string;
  /** Of all steps together. */
  readonly usage: Usage;
  /** By the agent's `prices`; absent where a model that was asked has none. */
  readonly cost?: number;
  readonly stop: RunStop;
  readonly toolCallsExecuted: number;
  /** What was asked for and could not be sent, such as a forced tool call where the model has none. */
  readonly notes?: readonly string[];
}

/**
 * - `end` the model was done
 * - `limit` the limit of tool calls was reached, and this is the answer from what was known
 * - `length` the answer was cut by the output limit
 * - `refusal` the model or a filter refused
 * - `budget` the budget was spent, and this is the answer from what was known
 * - `handoff` people have the conversation now
 */
export type RunStop = "end" | "limit" | "length" | "refusal" | "budget" | "handoff";

export interface RunError {
  readonly type: "error";
  /** Stable, kebab-case. */
  readonly code: string;
  readonly message: string;
  /** Whether the same run may succeed later. */
  readonly retryable: boolean;
}
