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

/**
 * What carries out the steps of a run that cost or act: at once outside workflows; inside one each is a recorded task,
 * and what was recorded is not done again. Everything that goes through here is JSON.
 */
export interface Execution {
  /** Of the run; idempotency keys begin with it. */
  readonly runId: string;
  model(task: ModelTask, ask: () => Promise<ModelReply>): Promise<ModelReply>;
  tool(task: ToolTask, call: (idempotencyKey: string) => Promise<ToolOutcome>): Promise<ToolOutcome>;
  approval(task: ToolTask, ask: () => Promise<Decision>): Promise<Decision>;
}

/** Steps that nothing records. */
export function directExecution(runId: string = crypto.randomUUID()): Execution {
  return {
    runId,
    model: (_, ask) => ask(),
    tool: ({ id }, call) => call(`${runId}:${id}`),
    approval: (_, ask) => ask(),
  };
}
