import { thrownMessage } from "../calls/thrown-message.js";
import { CallsignError } from "../errors/callsign-error.js";
import type { Json } from "../manifest/json-schema.js";
import type { RunFailure } from "./run-store.js";

/** The store could not do what was asked. Nothing that was acknowledged is lost. */
export class StoreError extends CallsignError {
  override readonly name = "StoreError";

  /**
   * @param options `code`: `fenced`, `locked`, `full`, `corrupt`, `closed`, `read-only`, `run-unknown`, `run-ended`,
   *   `run-active`, `run-conflict`, `run-cursor`, `duplicate-end`, `schema-newer` or `store-failed`.
   */
  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, options);
  }
}

/** A task failed for good. It is the same error live and on replay: what was thrown is not kept beyond these fields. */
export class TaskError extends CallsignError {
  override readonly name = "TaskError";
  readonly task: string;
  readonly taskId: string;
  /** The `name` of what the task threw. */
  readonly thrownName: string;
  /** What else is kept of the failure: of a model call, what kind of failure it was. */
  readonly details: Json | undefined;

  constructor(failure: RunFailure, site: { readonly task: string; readonly taskId: string; readonly cause?: unknown }) {
    super(
      failure.message,
      site.cause === undefined ? { code: failure.code } : { code: failure.code, cause: site.cause },
    );
    this.task = site.task;
    this.taskId = site.taskId;
    this.thrownName = failure.name;
    this.details = failure.details;
  }
}

/** A task's result cannot be recorded so that a replay gives the same value. */
export class TaskResultError extends CallsignError {
  override readonly name = "TaskResultError";
}

/** The body of a workflow does not do what its event log says that it did: it was changed, or is not deterministic. */
export class ReplayMismatchError extends CallsignError {
  override readonly name = "ReplayMismatchError";
  /** What the log has and the body did not ask for. */
  readonly expected: readonly string[];
  /** What the body did instead; undefined when it ended. */
  readonly found: string | undefined;

  constructor(expected: readonly string[], found: string | undefined) {
    const recorded = expected.slice(0, 3).join(", ") + (expected.length > 3 ? `, and ${expected.length - 3} more` : "");
    const did = found === undefined ? "ended" : `started ${found}`;
    super(
      `the event log has ${recorded}, which the workflow did not ask for; it ${did}. Let runs of the old code end before the code of a workflow changes, or give the changed workflow another name`,
      { code: "replay-mismatch" },
    );
    this.expected = expected;
    this.found = found;
  }
}

/** A workflow, a run or a decision that cannot be as asked for. */
export class WorkflowError extends CallsignError {
  override readonly name = "WorkflowError";
  /** Every place of the input that does not fit, of `input-refused`. */
  readonly refusals: readonly { readonly path: readonly (string | number)[]; readonly message: string }[] | undefined;

  /**
   * @param options `code`: `workflow-unknown`, `input-refused`, `run-unknown`, `run-failed`, `run-cancelled`,
   *   `not-waiting`, `already-decided`, `outside-workflow`, `pause-timeout`, `rejected`, `engine-stopped`, `dbos-in-use`.
   */
  constructor(
    message: string,
    options: {
      readonly code: string;
      readonly refusals?: WorkflowError["refusals"];
      readonly cause?: unknown;
    },
  ) {
    super(message, options);
    this.refusals = options.refusals;
  }
}

/** What is kept of anything that was thrown: no stack, no fields, no local paths. */
export function toFailure(thrown: unknown, fallbackCode: string): RunFailure {
  const { name, code } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as {
    name?: unknown;
    code?: unknown;
  };
  return {
    name: typeof name === "string" ? name : "Error",
    code: typeof code === "string" ? code : fallbackCode,
    message: thrownMessage(thrown),
    ...(thrown instanceof TaskError && thrown.details !== undefined ? { details: thrown.details } : {}),
  };
}

export function readFailure(value: Json | undefined): RunFailure {
  const { name, code, message, details } = (value ?? {}) as { readonly [key: string]: Json | undefined };
  return {
    name: String(name ?? "Error"),
    code: String(code ?? "task-failed"),
    message: String(message ?? ""),
    ...(details === undefined ? {} : { details }),
  };
}

export function runCancelled(): WorkflowError {
  return new WorkflowError("the run was cancelled", { code: "run-cancelled" });
}
