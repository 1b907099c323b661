import { AsyncLocalStorage } from "node:async_hooks";
import type { ActiveRun } from "./active-run.js";
import { WorkflowError } from "./errors.js";

/** Where in a run the code is: what its tasks' ids begin with, and what it is part of. */
export interface Scope {
  readonly run: ActiveRun;
  /** `""` in the body; `parallel.1/` in a branch, `name#hash/` inside a task. */
  readonly prefix: string;
  /** The task that is being executed; undefined in the body. */
  readonly frame: Frame | undefined;
}

/** A task under way. */
export interface Frame {
  readonly parent: Frame | undefined;
  /** How many tasks were started inside it and are not over. */
  children: number;
  /** How many things it waits for that come from outside. */
  waits: number;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Undefined outside of a workflow. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** @throws {WorkflowError} `outside-workflow`. */
export function requireScope(what: string): Scope {
  const scope = scopes.getStore();
  if (scope === undefined) {
    throw new WorkflowError(`${what} works inside of a workflow only`, { code: "outside-workflow" });
  }
  return scope;
}

export function runInScope<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work);
}
