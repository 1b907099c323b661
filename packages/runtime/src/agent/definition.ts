import type { AgentOptions, RunOptions } from "./agent-options.js";
import type { RunOutcome } from "./answer.js";
import type { Approvals } from "./approvals.js";
import type { Emit, Run } from "./run.js";

/** What an agent is made of, and how a run of it begins. */
export interface AgentDefinition {
  readonly instructions: string;
  readonly options: AgentOptions<unknown>;
  /** The option `name`, or `agent`. */
  readonly name: string;
  start(question: string, watch: RunWatch): Promise<RunOutcome>;
}

/** What a run is given beside the question: options, how it is stopped, who sees it. */
export interface RunWatch {
  readonly runOptions: RunOptions;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /** Told of the run when it begins, for those who decide its approvals or read its conversation. */
  onStart?(run: Run): void;
  /** Whose `responseFormat` the answer has. Default: this agent's. */
  readonly formatOf?: AgentDefinition | undefined;
  /** Where calls wait for a person; undefined where nobody could decide. */
  readonly approvals: Approvals | undefined;
  /** The run that this one is a tool call of. */
  readonly outer?: { readonly run: Run; readonly callId: string };
}

const definitions = new WeakMap<object, AgentDefinition>();

export function registerAgent(agent: object, definition: AgentDefinition): void {
  definitions.set(agent, definition);
}

/** What `agent()` made this value of; undefined for anything else. */
export function definitionOf(value: unknown): AgentDefinition | undefined {
  return typeof value === "function" ? definitions.get(value) : undefined;
}
