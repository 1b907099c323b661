import { thrownMessage } from "../calls/thrown-message.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import { INSIDE, NEVER } from "./active-run.js";
import { canonicalJson, shortHash } from "./canonical-json.js";
import { fromDurable, toDurable } from "./durable-value.js";
import { readFailure, runCancelled, TaskError, toFailure, WorkflowError } from "./errors.js";
import type { NewLogEvent } from "./log-events.js";
import { type Frame, runInScope, type Scope } from "./scope.js";
import type { TaskCache } from "./task-cache.js";
import type { TaskOptions } from "./task-options.js";
import { retryPlan, withTimeLimit } from "./time-limit.js";

/** One call of a task. */
export interface TaskCall {
  readonly name: string;
  /** The JSON form of the arguments, for its identity and the log. */
  readonly args: Json;
  /** Instead of a hash of the arguments, where something else tells it from other calls. */
  readonly key?: string;
  /** What is kept of a failure beside its name, code and message. */
  readonly failureDetails?: (thrown: unknown) => Json | undefined;
  /** Of the result; says which codecs its JSON form needs. */
  readonly returns?: JsonSchema | undefined;
  readonly options: Omit<TaskOptions, "fallback" | "rollback" | "requiresApproval"> & {
    readonly fallback?: (() => unknown) | undefined;
    readonly rollback?: (() => unknown) | undefined;
    readonly requiresApproval?: (() => boolean | Promise<boolean>) | undefined;
  };
  readonly cache?: TaskCache | undefined;
  execute(attempt: TaskAttempt): unknown;
}

/** What a try of a task is given. */
export interface TaskAttempt {
  readonly taskId: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** The same for every try of this very call, in whatever process. */
  readonly idempotencyKey: string;
  /** Aborted when the try's time is over and when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** Shorter delays are waited for in memory; during longer ones the run may be put away. */
const LONGEST_NAP_MS = 2_000;

/**
 * A recorded task: its end is in the log before anybody gets its value, and on replay it is answered from there.
 *
 * @throws {TaskError} live as on replay.
 */
export async function runTask(call: TaskCall, scope: Scope): Promise<unknown> {
  const { run } = scope;
  if (run.isOver) return NEVER;
  const taskId = run.nextId(taskIdBase(call, scope.prefix));
  const end = run.takeEnd(taskId);
  const site: TaskSite = { call, taskId, scope };
  if (end !== undefined && call.options.sensitive !== true) {
    if (end.type === "TASK_FAILED") throw new TaskError(readFailure(end.value), { task: call.name, taskId });
    return fromDurable(end.value, { schema: call.returns, name: call.name });
  }
  if (end === undefined) await run.beforeNew(taskId);
  if (run.isCancelled) throw runCancelled();
  const frame = run.enter(scope.frame);
  try {
    const value = await perform(site, frame, { isAgain: end !== undefined });
    return run.isOver ? NEVER : value;
  } finally {
    run.leave(frame);
  }
}

/** The id of a task, but for the count of calls that are alike. */
export function taskIdBase(call: Pick<TaskCall, "name" | "args" | "key" | "options">, prefix: string): string {
  const identity = call.key ?? (call.options.sensitive === true ? "sensitive" : shortHash(call.args));
  return `${prefix}${taskName(call.name)}${identity === "" ? "" : `#${identity}`}`;
}

interface TaskSite {
  readonly call: TaskCall;
  readonly taskId: string;
  readonly scope: Scope;
}

function event({ call, taskId }: TaskSite, type: NewLogEvent["type"], value?: Json): NewLogEvent {
  return { type, taskId, name: call.name, time: Date.now(), ...(value === undefined ? {} : { value }) };
}

const REDACTED = "(sensitive)";

async function perform(site: TaskSite, frame: Frame, { isAgain }: { readonly isAgain: boolean }): Promise<unknown> {
  const { call, taskId, scope } = site;
  const { run } = scope;
  const { options } = call;
  const shownArgs = options.sensitive === true ? REDACTED : call.args;
  if (!isAgain) {
    await approve(site, frame, shownArgs);
    const cached = options.cache === undefined || options.cache === false ? undefined : call.cache?.get(cacheKey(call));
    if (cached !== undefined) {
      await run.append(event(site, "TASK_COMPLETED", options.sensitive === true ? REDACTED : cached.value));
      // A copy: what a body does to it is nothing for the next hit.
      return fromDurable(structuredClone(cached.value), { schema: call.returns, name: call.name });
    }
    if (options.once === true) await startOnce(site, frame, shownArgs);
    else run.appendLater(event(site, "TASK_STARTED", shownArgs));
  }
  let value: unknown;
  let json: Json | undefined;
  try {
    const made = await tryAll(site, frame, isAgain);
    ({ value, json } = await toDurable(made, { schema: call.returns, name: call.name }));
  } catch (thrown) {
    if (run.isOver) return NEVER;
    // A task that was cut off runs again when the run goes on; there is no end of it.
    if (run.signal.aborted) throw thrown;
    if (options.rollback !== undefined) await rollBack(site, frame, options.rollback);
    const details = call.failureDetails?.(thrown);
    const failure = { ...toFailure(thrown, "task-failed"), ...(details === undefined ? {} : { details }) };
    if (!isAgain) await run.append(event(site, "TASK_FAILED", { ...failure }));
    throw new TaskError(failure, { task: call.name, taskId, cause: thrown });
  }
  if (!isAgain) await run.append(event(site, "TASK_COMPLETED", options.sensitive === true ? REDACTED : json));
  if (options.cache !== undefined && options.cache !== false && json !== undefined) {
    call.cache?.set(
      cacheKey(call),
      { value: json },
      typeof options.cache === "object" ? options.cache.ttlMs : undefined,
    );
  }
  return value;
}

const cacheKey = ({ name, args }: TaskCall): string => `${name} ${canonicalJson(args)}`;

/** Names stand in ids, where some characters have a meaning. */
export function taskName(name: string): string {
  return name.replace(/[>/#~\s]/g, "_");
}

/** Every try, then the fallback. */
async function tryAll(site: TaskSite, frame: Frame, isAgain: boolean): Promise<unknown> {
  const { call, taskId, scope } = site;
  const { run } = scope;
  const retry = retryPlan(call.options.retries);
  // Tries before a restart count.
  let failed = run.recorded(taskId, "TASK_RETRY_STARTED").length;
  const wakeAt = (run.recorded(taskId, "TASK_RETRY_STARTED").at(-1)?.value as { at?: number } | undefined)?.at;
  if (wakeAt !== undefined) await nap(site, frame, wakeAt);
  for (;;) {
    try {
      return await tryOnce(site, frame, failed + 1);
    } catch (thrown) {
      if (run.isOver || run.signal.aborted) throw thrown;
      if (failed >= retry.attempts) {
        const { fallback } = call.options;
        if (fallback === undefined) throw thrown;
        return fallBack(site, frame, fallback);
      }
      failed += 1;
      const at = Date.now() + retry.delayMs(failed);
      const reason = thrownMessage(thrown);
      if (!isAgain) await run.append(event(site, "TASK_RETRY_STARTED", { attempt: failed + 1, at, reason }));
      await nap(site, frame, at);
    }
  }
}

async function tryOnce({ call, taskId, scope }: TaskSite, frame: Frame, attempt: number): Promise<unknown> {
  const { run } = scope;
  const { timeoutMs } = call.options;
  await run.beforeWork();
  const inside: Scope = { run, prefix: `${taskId}${INSIDE}`, frame };
  const idempotencyKey = `${run.runId}:${taskId}`;
  return withTimeLimit({ name: call.name, timeoutMs, signal: run.signal }, (signal) =>
    runInScope(inside, async () => call.execute({ taskId, attempt, idempotencyKey, signal })),
  );
}

async function fallBack(site: TaskSite, frame: Frame, fallback: () => unknown): Promise<unknown> {
  const { run } = site.scope;
  run.appendLater(event(site, "TASK_FALLBACK_STARTED"));
  const inside: Scope = { run, prefix: `${site.taskId}${INSIDE}fallback/`, frame };
  try {
    const value = await runInScope(inside, async () => fallback());
    run.appendLater(event(site, "TASK_FALLBACK_COMPLETED"));
    return value;
  } catch (thrown) {
    run.appendLater(event(site, "TASK_FALLBACK_FAILED", { ...toFailure(thrown, "fallback-failed") }));
    throw thrown;
  }
}

/** What is to be undone is undone once: a restart in between begins it anew, never after it is done. */
async function rollBack(site: TaskSite, frame: Frame, rollback: () => unknown): Promise<void> {
  const { run } = site.scope;
  if (run.recorded(site.taskId, "TASK_ROLLBACK_COMPLETED").length > 0) return;
  run.appendLater(event(site, "TASK_ROLLBACK_STARTED"));
  const inside: Scope = { run, prefix: `${site.taskId}${INSIDE}rollback/`, frame };
  try {
    await runInScope(inside, async () => rollback());
    await run.append(event(site, "TASK_ROLLBACK_COMPLETED"));
  } catch (thrown) {
    await run.append(event(site, "TASK_ROLLBACK_FAILED", { ...toFailure(thrown, "rollback-failed") }));
  }
}

async function nap({ scope }: TaskSite, frame: Frame, at: number): Promise<void> {
  const delay = at - Date.now();
  if (delay <= 0) return;
  if (delay > LONGEST_NAP_MS) {
    await scope.run.wait({ at }, frame);
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, delay);
    function done(): void {
      clearTimeout(timer);
      scope.run.signal.removeEventListener("abort", done);
      resolve();
    }
    scope.run.signal.addEventListener("abort", done, { once: true });
  });
  if (scope.run.isOver) return NEVER;
}

/** @throws {WorkflowError} `rejected`: no failure, so neither retried nor rolled back. */
async function approve(site: TaskSite, frame: Frame, shownArgs: Json): Promise<void> {
  const { requiresApproval } = site.call.options;
  if (requiresApproval === undefined) return;
  const decision = await decide({ ...site, frame }, { args: shownArgs, needs: requiresApproval });
  if (decision.approved) return;
  const reason = decision.reason === undefined ? "" : `: ${decision.reason}`;
  const failure = {
    name: "WorkflowError",
    code: "rejected",
    message: `${site.call.name} was rejected by a person${reason}`,
  };
  await site.scope.run.append(event(site, "TASK_FAILED", failure));
  throw new TaskError(failure, { task: site.call.name, taskId: site.taskId });
}

export const approvalKey = (taskId: string): string => `approval:${taskId}`;

/**
 * Whether a person lets a call run. Asked for once, decided once; the run may be put away meanwhile.
 *
 * @param ask `needs`: whether a person is needed at all; not asked again once the log says so.
 */
export async function decide(
  site: {
    readonly call: { readonly name: string };
    readonly taskId: string;
    readonly scope: Scope;
    readonly frame: Frame | undefined;
  },
  ask: {
    readonly args: Json;
    readonly needs: () => boolean | Promise<boolean>;
    readonly onAsk?: () => void;
    readonly onDecision?: (decision: ApprovalDecision) => void;
  },
): Promise<ApprovalDecision> {
  const { call, taskId, scope, frame } = site;
  const { run } = scope;
  const key = approvalKey(taskId);
  const isAsked = run.recorded(taskId, "TASK_AWAITING_APPROVAL").length > 0;
  if (!isAsked && run.signalFor(key) === undefined) {
    if (!(await ask.needs())) return { approved: true };
    await run.append({
      type: "TASK_AWAITING_APPROVAL",
      taskId,
      name: call.name,
      time: Date.now(),
      value: { args: ask.args },
    });
  }
  const isDecided = run.signalFor(key) !== undefined;
  if (!isDecided) ask.onAsk?.();
  const signal = await run.wait({ key }, frame);
  const { reason } = (signal?.value ?? {}) as { readonly reason?: string };
  const decision = { approved: signal?.type === "TASK_APPROVED", ...(reason === undefined ? {} : { reason }) };
  if (!isDecided) ask.onDecision?.(decision);
  return decision;
}

export interface ApprovalDecision {
  readonly approved: boolean;
  readonly reason?: string;
}

export const outcomeKey = (taskId: string): string => `outcome:${taskId}`;

/** A task that must not run twice is announced in the log before it runs; found announced, a person decides. */
async function startOnce(site: TaskSite, frame: Frame, shownArgs: Json): Promise<void> {
  const { run } = site.scope;
  const starts = run.recorded(site.taskId, "TASK_STARTED").length;
  if (starts === 0) {
    await run.append(event(site, "TASK_STARTED", shownArgs));
    return;
  }
  const key = `${outcomeKey(site.taskId)}:${starts}`;
  if (run.recorded(site.taskId, "TASK_PAUSED").length < starts) {
    await run.append(
      event(site, "TASK_PAUSED", { why: "it was under way when the process ended, and may not run twice", key }),
    );
  }
  const verdict = await run.wait({ key }, frame);
  if (verdict?.type !== "TASK_APPROVED") {
    const { reason } = (verdict?.value ?? {}) as { readonly reason?: string };
    throw new WorkflowError(
      `${site.call.name} was under way when the process ended; a person decided that it does not run again${reason === undefined ? "" : `: ${reason}`}`,
      { code: "outcome-unknown" },
    );
  }
  await run.append(event(site, "TASK_STARTED", shownArgs));
}
