import type { RunRecord } from "../durable/run-store.js";
import { asCall, inOneLine } from "./show-activity.js";
import type { Terminal } from "./terminal.js";
import type { WaitingRun } from "./waiting-for.js";

/** `default/x` as `x`. */
export function workflowName({ namespace, workflow }: Pick<RunRecord, "namespace" | "workflow">): string {
  return namespace === "default" ? workflow : `${namespace}/${workflow}`;
}

/** A time, to the second, UTC. */
export function shownTime(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}

const STYLES = {
  COMPLETED: "green",
  FAILED: "red",
  CANCELLED: "red",
  PAUSED: "yellow",
  RUNNING: "cyan",
  SCHEDULED: "cyan",
} as const;

export function shownState(state: RunRecord["state"], paint: Terminal["paint"]): string {
  return paint("out", STYLES[state], state);
}

/** How a run fares, in a few lines. */
export function describeRun(
  run: RunRecord,
  { waiting, paint }: { readonly waiting: readonly WaitingRun[]; readonly paint: Terminal["paint"] },
): string {
  const rows: (readonly [string, string])[] = [
    ["workflow", workflowName(run)],
    ["state", shownState(run.state, paint)],
    ["input", inOneLine(run.input)],
    ["begun", shownTime(run.createdAt)],
    ["changed", shownTime(run.updatedAt)],
    ...(run.parent === undefined ? [] : [["called by", run.parent.runId] as const]),
    ...(run.wakeAt === undefined ? [] : [["goes on at", shownTime(run.wakeAt)] as const]),
    ...(run.error === undefined ? [] : [["error", `${run.error.code}: ${run.error.message}`] as const]),
    ...(run.result === undefined ? [] : [["result", inOneLine(run.result)] as const]),
  ];
  const lines = [paint("out", "bold", run.id), ...rows.map(([name, text]) => `  ${name.padEnd(10)}  ${text}`)];
  if (waiting.length > 0) lines.push("", ...describeWaiting(waiting));
  return `${lines.join("\n")}\n`;
}

/** What a run waits for of people, and how to give it. */
export function describeWaiting(waiting: readonly WaitingRun[]): string[] {
  return waiting.flatMap(({ runId, approvals, pauses }) => [
    ...approvals.flatMap(({ taskId, name, args }) => {
      const task = approvals.length > 1 ? ` --task '${taskId}'` : "";
      return [
        `  ${asCall(name, args)} waits for a decision:`,
        `    callsign approve ${runId}${task}`,
        `    callsign reject ${runId}${task} --reason "…"`,
      ];
    }),
    ...pauses.flatMap(({ taskId, name, output }) => {
      const which = pauses.length > 1 ? ` --name '${name === "" ? taskId : name}'` : "";
      return [
        `  ${name === "" ? taskId : name} waits for a value${output === undefined ? "" : ` (${inOneLine(output)})`}:`,
        `    callsign workflow resume ${runId} 'JSON'${which}`,
      ];
    }),
  ]);
}
