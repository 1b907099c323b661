import type { Prices } from "../cost/cost-of.js";
import type { Json } from "../manifest/json-schema.js";
import type { ToolFunction } from "../manifest/tool-registry.js";
import type { Message } from "../model/messages.js";
import type { ProviderOptions, ReasoningEffort, ToolChoice } from "../model/provider.js";
import type { CustomModel } from "../open-model.js";
import type { FormatSource } from "../output/format-source.js";
import type { TelemetryOptions } from "../telemetry/open-telemetry.js";
import type { Tool } from "../tool-class.js";
import type { Agent } from "./agent.js";
import type { BudgetLimits } from "./budget.js";
import type { HumanQueue } from "./handoff.js";
import type { AgentHooks } from "./hooks.js";

/** Decides whether a call may run. What it throws refuses the call. */
export type Approver = (call: {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}) => ApproverAnswer | Promise<ApproverAnswer>;

export type ApproverAnswer = boolean | { readonly approved: boolean; readonly reason?: string };

/** A model by its name, or a provider of one's own. */
export type ModelChoice = string | CustomModel;

/** How an agent works. `apiKey`, `baseUrl`, `headers` and `fetch` go to the model's provider. */
export interface AgentOptions<T> extends ProviderOptions {
  /**
   * `provider/model`, such as `anthropic/claude-sonnet-5-5`. Of a list, the first one is asked; when it fails for good
   * before anything was shown, the next one takes over for the rest of the run.
   */
  readonly model: ModelChoice | readonly ModelChoice[];
  /**
   * Bound functions, tools, and other agents (which need a `name` and a `description`). Resolved at the first question,
   * so that functions may be bound after the agent is made.
   */
  readonly tools?: readonly (ToolFunction | Tool<object, unknown> | Agent<unknown>)[];
  /** To whom the model may hand the conversation over, by a tool `transfer_to_<name>`. Each needs a `name`. */
  readonly handoffs?: readonly (Agent<unknown> | HumanQueue)[];
  /** The answer's format; the agent then gives a `T` instead of text, and shows no tokens. */
  readonly responseFormat?: FormatSource<T>;
  /**
   * How a `responseFormat` is asked for. Default `auto`: the best way that the provider and model have. `tool`: as the
   * arguments of a synthetic tool. `exclusive`: an agent with tools and a format is refused at once where the provider
   * cannot have both in one request (Ollama), instead of asking for the format last.
   */
  readonly structuredOutput?: "auto" | "tool" | "exclusive";
  /** How many tool calls may run before the model must answer from what it has. Default 10. */
  readonly maxToolCalls?: number;
  /** How many calls of one reply may run at the same time. Default: all of them. */
  readonly maxConcurrentTools?: number;
  /** `false` runs calls one after another and asks the model for one at a time. Default true. */
  readonly parallelToolCalls?: boolean;
  /** What holds until the first tool call of a run; after it the model chooses. Default `auto`. */
  readonly toolChoice?: ToolChoice;
  /** How often a conversation may change hands within one run. Default 5. */
  readonly maxHandoffs?: number;
  /** Show the answer's tokens as they come. Default true. */
  readonly stream?: boolean;
  readonly reasoningEffort?: ReasoningEffort;
  /** The most tokens of one reply. Default: the provider's, or the model's own limit. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** How long one call may take, in milliseconds; `Infinity` for no limit. A tool's own limit goes before. Default 60 000. */
  readonly toolTimeoutMs?: number;
  /** How long one request to the model may take, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
  /** How often a failed request is made again, when its failure may pass. Default 2. */
  readonly maxRetries?: number;
  /** `false` sends no strict schema. Default: strict wherever the schema fits. */
  readonly strict?: boolean;
  /** What a run may spend, those of agents used as tools included. When it is spent, the model must answer. */
  readonly budget?: BudgetLimits;
  /** What models cost, by `provider/model`; `done.cost` and `budget.cost` are counted by it. */
  readonly prices?: Prices;
  /** Spans by OpenTelemetry's conventions, through the optional peer `@opentelemetry/api`. Default: none. */
  readonly telemetry?: boolean | TelemetryOptions;
  /** What happens around model and tool calls. */
  readonly hooks?: AgentHooks;
  /** What `ToolContext.deps` holds. */
  readonly deps?: unknown;
  /** Asked before each call of a tool that requires approval. Without it, `run.approve()` and `run.deny()` decide. */
  readonly approve?: Approver;
  /** `^[a-zA-Z_][a-zA-Z0-9_-]*$`, at most 50 characters. Needed where the agent is offered to others. */
  readonly name?: string;
  readonly description?: string;
}

/** What differs from one question to the next. */
export interface RunOptions {
  /** Ends the run. */
  readonly signal?: AbortSignal;
  /** Earlier messages of the conversation. */
  readonly history?: readonly Message[];
  /** Why `history` is not the whole conversation as it was: reasoning in it is dropped, and the reason shown. */
  readonly historyChanged?: string;
  readonly sessionId?: string;
  /** Instead of the agent's own. */
  readonly deps?: unknown;
  /**
   * What becomes of the run when the reader of its events leaves early: `abort` (the default) ends it, unless its
   * `result` was asked for; `detach` lets it go on.
   */
  readonly onLeave?: "abort" | "detach";
}
