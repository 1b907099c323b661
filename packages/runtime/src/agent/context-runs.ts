import type { ToolContext } from "../tool-context.js";
import type { Run } from "./run.js";

const runs = new WeakMap<ToolContext, Run>();

/** Remembers which run a tool call belongs to, for agents that are used as tools. */
export function rememberRun(context: ToolContext, run: Run): void {
  runs.set(context, run);
}

/** Undefined for a context that no run made. */
export function runOf(context: ToolContext): Run | undefined {
  return runs.get(context);
}
