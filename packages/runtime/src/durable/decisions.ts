import { toJson } from "../calls/to-json.js";
import type { Json } from "../manifest/json-schema.js";
import { WorkflowError } from "./errors.js";
import { isTaskEnd, type LogEvent } from "./log-events.js";
import { pauseKey } from "./primitives.js";
import type { Signal } from "./run-store.js";
import { approvalKey } from "./run-task.js";

/** A call that waits for a person. */
export interface PendingApproval {
  readonly taskId: string;
  readonly name: string;
  readonly args: Json;
}

/** What a decision says of itself in the log. */
export interface DecisionOptions {
  /** Which call; may be left out when exactly one waits. The id that ends a task's id will do, such as the call's own. */
  readonly taskId?: string;
  readonly reason?: string;
  /** Who decided. */
  readonly by?: string;
}

/** What a paused run is given. */
export interface ResumeOptions {
  /** Of the pause; may be left out when the run waits in one only. */
  readonly name?: string;
  readonly value?: unknown;
}

/** A run with its log. */
export interface RunLog {
  readonly runId: string;
  readonly events: readonly LogEvent[];
}

/** A call that waits, with the key under which its decision is taken once. */
interface Undecided extends PendingApproval {
  readonly key: string;
}

/** The calls that wait for a decision: those that need approval, and those whose outcome is not known. */
export function pendingApprovals(events: readonly LogEvent[]): readonly PendingApproval[] {
  return undecided(events).map(({ key: _, ...pending }) => pending);
}

function undecided(events: readonly LogEvent[]): readonly Undecided[] {
  const decided = new Set(events.flatMap(({ key }) => (key === undefined ? [] : [key])));
  return events
    .flatMap(({ type, taskId, name = "", value }): readonly Undecided[] => {
      if (taskId === undefined) return [];
      const { args, key } = (value ?? {}) as { readonly args?: Json; readonly key?: string };
      if (type === "TASK_AWAITING_APPROVAL") return [{ taskId, name, args: args ?? null, key: approvalKey(taskId) }];
      return type === "TASK_PAUSED" && key !== undefined ? [{ taskId, name, args: value ?? null, key }] : [];
    })
    .filter(({ key }) => !decided.has(key));
}

/**
 * The signal that decides on a call.
 *
 * @throws {WorkflowError} `not-waiting`, `already-decided`.
 */
export function decisionSignal(
  { runId, events }: RunLog,
  type: "TASK_APPROVED" | "TASK_REJECTED",
  { taskId: wanted, reason, by }: DecisionOptions,
): Signal & { readonly taskId: string } {
  const pending = undecided(events);
  const isWanted = (taskId: string): boolean =>
    wanted === undefined || taskId === wanted || taskId.endsWith(`#${wanted}`);
  const [only, other] = pending.filter(({ taskId }) => isWanted(taskId));
  if (only !== undefined && other === undefined) {
    const { key, taskId, name } = only;
    const value = { ...(reason === undefined ? {} : { reason }), ...(by === undefined ? {} : { by }) };
    return { type, key, once: key, taskId, name, value };
  }
  const isDecision = (event: LogEvent): boolean => /^TASK_(APPROVED|REJECTED)$/.test(event.type);
  if (only === undefined && wanted !== undefined) {
    if (events.some((event) => isDecision(event) && isWanted(event.taskId ?? ""))) throw alreadyDecided(wanted);
  }
  const ids = pending.map(({ taskId }) => taskId).join(", ");
  throw new WorkflowError(
    pending.length === 0
      ? `no call of the run ${runId} waits for a decision`
      : `say which call of the run ${runId} is meant; these wait: ${ids}`,
    { code: "not-waiting" },
  );
}

/** A pause that waits for a value. */
export interface PendingPause {
  readonly taskId: string;
  readonly name: string;
  /** What the pause shows to whoever is to resume the run. */
  readonly output?: Json;
}

/** The pauses of a run that wait for `resume`. */
export function pendingPauses(events: readonly LogEvent[]): readonly PendingPause[] {
  const over = new Set(events.flatMap((event) => (isTaskEnd(event) ? [event.taskId] : [])));
  return events.flatMap(({ type, taskId, name = "", value }): readonly PendingPause[] => {
    if (type !== "TASK_PAUSED" || taskId === undefined || over.has(taskId)) return [];
    const { key, output } = (value ?? {}) as { readonly key?: string; readonly output?: Json };
    // With a key it waits for a decision.
    return key === undefined ? [{ taskId, name, ...(output === undefined ? {} : { output }) }] : [];
  });
}

/** The signal that ends a pause, or that it looks at and goes on. @throws {WorkflowError} `not-waiting`, `input-refused`. */
export function resumeSignal({ runId, events }: RunLog, { name, value }: ResumeOptions): Signal {
  const paused = pendingPauses(events).filter(
    (pause) => name === undefined || name === pause.name || name === pause.taskId,
  );
  const [only, other] = paused;
  if (only === undefined || other !== undefined) {
    const names = paused.map(({ taskId }) => taskId).join(", ");
    const where = name === undefined ? "in a pause" : `in a pause named ${JSON.stringify(name)}`;
    throw new WorkflowError(
      only === undefined
        ? `the run ${runId} does not wait ${where}`
        : `the run ${runId} waits in more than one pause; name one of ${names}`,
      { code: "not-waiting" },
    );
  }
  const { taskId } = only;
  const count = events.filter((event) => event.type === "TASK_RESUMED" && event.taskId === taskId).length + 1;
  const key = pauseKey(taskId, count);
  return {
    type: "TASK_RESUMED",
    key,
    once: key,
    taskId,
    ...(only.name === "" ? {} : { name: only.name }),
    ...(value === undefined ? {} : { value: valueJson(value, runId) }),
  };
}

function valueJson(value: unknown, runId: string): Json {
  try {
    return toJson(value);
  } catch (cause) {
    throw new WorkflowError(`the value for the run ${runId} has no JSON form: it ${(cause as Error).message}`, {
      code: "input-refused",
      cause,
    });
  }
}

export function alreadyDecided(taskId: string): WorkflowError {
  return new WorkflowError(`the call ${taskId} is already decided`, { code: "already-decided" });
}
