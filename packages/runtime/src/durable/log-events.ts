import type { Json } from "../manifest/json-schema.js";

/** What can happen in a run, as its event log says it. */
export type LogEventType =
  | "WORKFLOW_STARTED"
  | "WORKFLOW_PAUSED"
  | "WORKFLOW_RESUMED"
  | "WORKFLOW_COMPLETED"
  | "WORKFLOW_FAILED"
  | "WORKFLOW_CANCELLING"
  | "WORKFLOW_CANCELLED"
  | "TASK_STARTED"
  | "TASK_COMPLETED"
  | "TASK_FAILED"
  | "TASK_RETRY_STARTED"
  | "TASK_RETRY_FAILED"
  | "TASK_FALLBACK_STARTED"
  | "TASK_FALLBACK_COMPLETED"
  | "TASK_FALLBACK_FAILED"
  | "TASK_ROLLBACK_STARTED"
  | "TASK_ROLLBACK_COMPLETED"
  | "TASK_ROLLBACK_FAILED"
  | "TASK_AWAITING_APPROVAL"
  | "TASK_APPROVED"
  | "TASK_REJECTED"
  | "TASK_PAUSED"
  | "TASK_RESUMED"
  | "SIGNAL_RECEIVED";

/** One entry of a run's event log, before the store has numbered it. */
export interface NewLogEvent {
  readonly type: LogEventType;
  /** Which task it belongs to: branch, name, and a hash of the arguments. */
  readonly taskId?: string;
  /** The task's name, for people. */
  readonly name?: string;
  /** The task's result, error, arguments, decision, by `type`. */
  readonly value?: Json;
  /** Milliseconds since 1970, UTC. */
  readonly time: number;
  /** What waits for it; only of signals. */
  readonly key?: string;
}

/** One entry of a run's event log. `seq` counts from 1 without gaps within a run. */
export interface LogEvent extends NewLogEvent {
  readonly seq: number;
}

/** An event that ends a task: each task has one at most. */
export function isTaskEnd({ type }: NewLogEvent): boolean {
  return type === "TASK_COMPLETED" || type === "TASK_FAILED";
}
