import type { Json } from "../manifest/json-schema.js";
import type { Message } from "../model/messages.js";
import type { ModelReply } from "../model/model-events.js";

/**
 * What happens around model and tool calls. Each hook may be async. What a model hook throws ends the run; what a tool
 * hook throws becomes the call's error result.
 */
export interface AgentHooks {
  /**
   * Before each request. Messages that it gives back are sent instead, this once; reasoning in them is dropped, since
   * it is bound to the conversation as it was.
   */
  beforeModel?(request: ModelStep): ModelChange | undefined | Promise<ModelChange | undefined>;
  /** After each reply, before any of its calls. */
  afterModel?(reply: ModelReply, step: ModelStep): void | Promise<void>;
  /** Before a call whose arguments fit, and before anybody is asked to approve it. */
  beforeTool?(call: ToolStep): ToolDecision | undefined | Promise<ToolDecision | undefined>;
  /** After a call. What it gives back goes to the model instead. */
  afterTool?(call: ToolStep, outcome: ToolOutcome): ToolOutcome | undefined | Promise<ToolOutcome | undefined>;
}

export interface ModelStep {
  readonly step: number;
  /** `provider/model`. */
  readonly model: string;
  readonly agent: string;
  readonly messages: readonly Message[];
}

export interface ModelChange {
  readonly messages: readonly Message[];
}

export interface ToolStep {
  readonly id: string;
  readonly name: string;
  /** Validated and repaired. */
  readonly args: Json;
}

/** `refuse`: the call does not run, and the model is told why. `result`: it does not run either, and this is its result. */
export type ToolDecision = { readonly refuse: string } | { readonly result: Json };

/** What the model is told of a call. */
export interface ToolOutcome {
  readonly status: "success" | "error";
  readonly result: Json;
}
