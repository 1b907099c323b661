import type { Json } from "../manifest/json-schema.js";
import type { ModelReply } from "../model/model-events.js";
import type { ToolOutcome } from "./hooks.js";

/** A person's word on a call. */
export interface Decision {
  readonly approved: boolean;
  readonly reason?: string;
}

/** One request to the model, by what tells it from the others of its run. */
export interface ModelTask {
  /** Counts from 1. */
  readonly step: number;
  readonly model: string;
  readonly agent: string;
}

export interface ToolTask {
  readonly id: string;
  readonly name: string;
  readonly args: Json;
}

/** How a call is decided on. */
export interface ApprovalQuestion {
  /** Whether a person is needed at all. */
  needs(): Promise<boolean>;
  /** Shows that a decision is waited for. */
  announce(): void;
  /** Asks the function that the agent has for that. */
  readonly approver: (() => Promise<Decision>) | undefined;
  /** Waits for `approve()` or `deny()` on the run; undefined where nobody has the run. */
  readonly wait: (() => Promise<Decision>) | undefined;
  /** Shows the decision. */
  conclude(decision: Decision): void;
}

/**
 * What carries out the steps of a run that cost or act: at once outside workflows; inside one each is a recorded task,
 * and what was recorded is not done again. Everything that goes through here is JSON.
 */
export interface Execution {
  /** Of the run; idempotency keys begin with it. */
  readonly runId: string;
  /** Whether the step was done before, so that nobody needs to be shown it again. */
  isRecorded(task: ModelTask | ToolTask): boolean;
  model(task: ModelTask, ask: () => Promise<ModelReply>): Promise<ModelReply>;
  tool(
    task: ToolTask & { readonly once: boolean },
    call: (idempotencyKey: string) => Promise<ToolOutcome>,
  ): Promise<ToolOutcome>;
  /** @returns Undefined where nobody can be asked. */
  approval(task: ToolTask, question: ApprovalQuestion): Promise<Decision | undefined>;
}

/** Steps that nothing records. */
export function directExecution(runId: string = crypto.randomUUID()): Execution {
  return {
    runId,
    isRecorded: () => false,
    model: (_, ask) => ask(),
    tool: ({ id }, call) => call(`${runId}:${id}`),
    async approval(_, { needs, announce, approver, wait, conclude }) {
      if (!(await needs())) return { approved: true };
      const ask = approver ?? wait;
      if (ask === undefined) return undefined;
      announce();
      const decision = await ask();
      conclude(decision);
      return decision;
    },
  };
}
