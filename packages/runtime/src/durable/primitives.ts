import { toJson } from "../calls/to-json.js";
import { inParallel } from "../events/in-parallel.js";
import type { Json } from "../manifest/json-schema.js";
import { NEVER } from "./active-run.js";
import { sha256, shortHash } from "./canonical-json.js";
import { readFailure, WorkflowError } from "./errors.js";
import { taskName } from "./run-task.js";
import { currentScope, requireScope, runInScope, type Scope } from "./scope.js";
import { type Workflow, workflowKey } from "./workflow.js";

export interface ParallelOptions {
  /** How many branches may be under way. Default: all. */
  readonly maxConcurrent?: number;
  /** `false`: a branch that fails has its error as result instead of failing the whole. Default true. */
  readonly raiseOnError?: boolean;
}

/**
 * Runs branches side by side. Each has a place of its own in the event log, so that their order of events may differ
 * on replay. Outside of a workflow it does the same without a log.
 *
 * @returns The results in the order of the branches.
 * @throws What the first branch that failed threw, once all branches are over.
 */
export async function parallel<const Branches extends readonly (() => unknown)[]>(
  branches: Branches,
  options: ParallelOptions & { readonly raiseOnError: false },
): Promise<{ -readonly [Index in keyof Branches]: Awaited<ReturnType<Branches[Index]>> | Error }>;
export async function parallel<const Branches extends readonly (() => unknown)[]>(
  branches: Branches,
  options?: ParallelOptions,
): Promise<{ -readonly [Index in keyof Branches]: Awaited<ReturnType<Branches[Index]>> }>;
export async function parallel(
  branches: readonly (() => unknown)[],
  { maxConcurrent = branches.length, raiseOnError = true }: ParallelOptions = {},
): Promise<unknown> {
  const scope = currentScope();
  const id = scope?.run.nextId(`${scope.prefix}parallel`);
  const settled = await inParallel(
    branches.map((branch, index) => () => settle(branch, scope && { ...scope, prefix: `${id}.${index}/` })),
    Math.max(1, maxConcurrent),
  );
  const failed = settled.find((result) => result.status === "rejected");
  if (raiseOnError && failed?.status === "rejected") throw failed.reason;
  return settled.map((result) => {
    if (result.status === "fulfilled") return result.value;
    return result.reason instanceof Error ? result.reason : new Error(String(result.reason));
  });
}

async function settle(branch: () => unknown, scope: Scope | undefined): Promise<PromiseSettledResult<unknown>> {
  const [result] = await Promise.allSettled([
    scope === undefined ? (async () => branch())() : runInScope(scope, async () => branch()),
  ]);
  return result as PromiseSettledResult<unknown>;
}

/** Gives a value through functions, one after another. */
export async function pipeline(input: unknown, ...steps: readonly ((value: never) => unknown)[]): Promise<unknown> {
  let value = input;
  for (const step of steps) value = await step(value as never);
  return value;
}

/** Waits. During a long wait nothing of the run is in memory, and the process may end. @param ms Milliseconds. */
export async function sleep(ms: number): Promise<void> {
  if (!(ms >= 0)) throw new RangeError(`sleep() takes a number of milliseconds, 0 or more; got ${ms}`);
  const { run, prefix, frame } = requireScope("sleep()");
  const taskId = run.nextId(`${prefix}sleep#${ms}`);
  if (run.takeEnd(taskId) !== undefined) return;
  await run.beforeNew(taskId);
  const started = run.recorded(taskId, "TASK_STARTED")[0]?.value as { at?: number } | undefined;
  const at = started?.at ?? Date.now() + ms;
  const site = { taskId, name: "sleep" };
  if (started === undefined) await run.append({ ...site, type: "TASK_STARTED", time: Date.now(), value: { at } });
  await run.wait({ at }, frame);
  await run.append({ ...site, type: "TASK_COMPLETED", time: Date.now() });
}

export interface PauseOptions<T> {
  /** What to show to whoever is to resume the run. */
  readonly output?: unknown;
  /** After this time the pause ends with an error. Milliseconds. Default: never. */
  readonly timeoutMs?: number;
  /** As `timeoutMs`, as a time. */
  readonly until?: Date;
  /** A value for which this is false does not end the pause. */
  readonly accept?: (value: unknown) => value is T;
}

export const pauseKey = (name: string, count: number): string => `pause:${name}:${count}`;

/**
 * Waits until somebody resumes the run, in whatever process, with a value.
 *
 * @param name What is waited for: `engine.resume(runId, { name, value })`.
 * @throws {WorkflowError} `pause-timeout`.
 */
export async function pause<T = unknown>(name: string, options: PauseOptions<T> = {}): Promise<T> {
  const { run, prefix, frame } = requireScope("pause()");
  const taskId = run.nextId(`${prefix}${taskName(name)}#pause`);
  const site = { taskId, name };
  const end = run.takeEnd(taskId);
  if (end?.type === "TASK_COMPLETED") return end.value as T;
  if (end !== undefined) throw new WorkflowError(readFailure(end.value).message, { code: "pause-timeout" });
  await run.beforeNew(taskId);
  const before = run.recorded(taskId, "TASK_PAUSED")[0]?.value as { at?: number } | undefined;
  const limit =
    options.until?.getTime() ?? (options.timeoutMs === undefined ? undefined : Date.now() + options.timeoutMs);
  const at = before === undefined ? limit : before.at;
  if (before === undefined) {
    await run.append({
      ...site,
      type: "TASK_PAUSED",
      time: Date.now(),
      value: {
        ...(at === undefined ? {} : { at }),
        ...(options.output === undefined ? {} : { output: toJson(options.output) }),
      },
    });
  }
  for (let count = 1; ; count += 1) {
    const signal = await run.wait({ key: pauseKey(taskId, count), ...(at === undefined ? {} : { at }) }, frame);
    if (signal === undefined) {
      const message = `nobody resumed ${name} in time`;
      await run.append({
        ...site,
        type: "TASK_FAILED",
        time: Date.now(),
        value: { name: "WorkflowError", code: "pause-timeout", message },
      });
      throw new WorkflowError(message, { code: "pause-timeout" });
    }
    const value = signal.value as T;
    if (options.accept !== undefined && !options.accept(value)) continue;
    await run.append({
      ...site,
      type: "TASK_COMPLETED",
      time: Date.now(),
      ...(signal.value === undefined ? {} : { value: signal.value }),
    });
    return value;
  }
}

/** Shows a value to whoever watches the run: at once, never stored, and not again on replay. Does nothing outside of one. */
export function progress(value: unknown): void {
  const scope = currentScope();
  if (scope === undefined) return;
  scope.run.showProgress({ taskId: scope.prefix.replace(/[>/]$/, "") || undefined, value: toJson(value) });
}

/** The time, the same on replay. */
export function now(): Date {
  const { run, prefix } = requireScope("now()");
  const taskId = run.nextId(`${prefix}now`);
  const end = run.takeEnd(taskId);
  if (end !== undefined) return new Date(end.value as number);
  const time = Date.now();
  // Stored before anything that could come of it.
  run.appendLater({ type: "TASK_COMPLETED", taskId, name: "now", time, value: time });
  return new Date(time);
}

/** A UUID of version 4, the same on replay. */
export function uuid(): string {
  const bytes = drawn("uuid");
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.subarray(0, 16).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** A number from 0 up to 1, the same on replay. Not for secrets. */
export function random(): number {
  return drawn("random").readUIntBE(0, 6) / 2 ** 48;
}

/** One of the given values, the same on replay. */
export function choice<T>(values: readonly [T, ...T[]]): T {
  return values[Math.floor((drawn("choice").readUIntBE(0, 6) / 2 ** 48) * values.length)] as T;
}

/** Bytes that follow from the run and the place in it, so that nothing needs to be stored. */
function drawn(what: string): Buffer {
  const { run, prefix } = requireScope(`${what}()`);
  return Buffer.from(sha256(`${run.runId} ${run.claim.run.createdAt} ${run.nextId(`${prefix}${what}`)}`), "hex");
}

export const childKey = (runId: string): string => `child:${runId}`;

/**
 * Runs another workflow as a run of its own and waits for its result.
 *
 * @throws {WorkflowError} `input-refused`, `run-failed`, `run-cancelled`.
 */
export async function call<Input, Result>(workflow: Workflow<Input, Result>, input: Input): Promise<Result> {
  const { run, prefix, frame } = requireScope("call()");
  const taskId = run.nextId(`${prefix}${taskName(workflow.name)}#${shortHash(toJson(input))}`);
  const end = run.takeEnd(taskId);
  const site = { taskId, name: workflow.name };
  if (end?.type === "TASK_COMPLETED") return end.value as Result;
  if (end !== undefined) throw childFailed(workflow, end.value);
  const json = await run.checkInput(workflow, input);
  await run.beforeNew(taskId);
  const runId = `${run.runId}.${shortHash(taskId)}`;
  if (run.recorded(taskId, "TASK_STARTED").length === 0) {
    await run.append({ ...site, type: "TASK_STARTED", time: Date.now(), value: { runId } });
  }
  await run.startChild({ id: runId, workflow: workflow.name, namespace: workflow.namespace, input: json });
  const signal = await run.wait({ key: childKey(runId) }, frame);
  if (run.isOver) return NEVER;
  const { state, result, error } = (signal?.value ?? {}) as {
    readonly state?: string;
    readonly result?: Json;
    readonly error?: Json;
  };
  if (state === "COMPLETED") {
    await run.append({
      ...site,
      type: "TASK_COMPLETED",
      time: Date.now(),
      ...(result === undefined ? {} : { value: result }),
    });
    return result as Result;
  }
  await run.append({ ...site, type: "TASK_FAILED", time: Date.now(), value: error ?? {} });
  throw childFailed(workflow, error);
}

function childFailed(workflow: Workflow<never, unknown>, failure: Json | undefined): WorkflowError {
  const { message } = readFailure(failure);
  return new WorkflowError(`${workflowKey(workflow)} failed: ${message}`, { code: "run-failed" });
}
