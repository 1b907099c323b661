import type { RunNotice } from "../durable/event-bus.js";
import type { LogEvent } from "../durable/log-events.js";
import { isRecord } from "../manifest/is-record.js";
import type { Json } from "../manifest/json-schema.js";
import { progressFrame, storedFrame } from "../server/frames.js";
import type { Terminal } from "./terminal.js";
import { withoutControls } from "./without-controls.js";

/** The longest text of a value in one line. */
const LONGEST = 120;

/** A value in one line, cut where it is long. */
export function inOneLine(value: Json | undefined): string {
  const text = value === undefined ? "" : typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The arguments of a call as they are written in code. */
export function asCall(name: string, args: Json): string {
  const list = Array.isArray(args) ? args.map((each) => inOneLine(each)).join(", ") : inOneLine(args);
  return `${name}(${list.length > LONGEST ? `${list.slice(0, LONGEST)}…` : list})`;
}

/** Every event as one line of JSON, in the form of the server's frames. */
export function jsonActivity(runId: string, { out }: Terminal): (notice: RunNotice) => void {
  return (notice) => {
    const frame = notice.kind === "stored" ? storedFrame(notice.event) : progressFrame(notice.progress.value);
    const seq = notice.kind === "stored" ? { seq: notice.event.seq } : {};
    out(`${JSON.stringify({ runId, ...seq, ...frame.data })}\n`);
  };
}

/** What a person wants to see on the way, on the error stream. Tokens are shown on a terminal only. */
export function textActivity(terminal: Terminal): (notice: RunNotice) => void {
  const { paint, isTerminal } = terminal;
  const startedAt = new Map<string, number>();
  let isInLine = false;
  const line = (text: string): void => {
    terminal.error(`${isInLine ? "\n" : ""}${text}\n`);
    isInLine = false;
  };
  return (notice) => {
    if (notice.kind === "progress") {
      const { value } = notice.progress;
      const type = isRecord(value) ? value.type : undefined;
      if (type === "token") {
        if (!isTerminal.error) return;
        terminal.error(paint("error", "dim", withoutControls(String((value as { text?: unknown }).text))));
        isInLine = true;
      } else if (type === "retry") {
        line(paint("error", "yellow", `  … asks the model again: ${String((value as { reason?: unknown }).reason)}`));
      } else if (!(typeof type === "string" && AGENT_EVENTS.has(type))) {
        line(paint("error", "dim", `  … ${inOneLine(value as Json)}`));
      }
      return;
    }
    const { event } = notice;
    if (event.type === "TASK_STARTED" && event.taskId !== undefined) startedAt.set(event.taskId, event.time);
    const shown = storedLine(event, { paint, startedAt: startedAt.get(event.taskId ?? "") });
    if (shown !== undefined) line(`  ${shown}`);
  };
}

/** Of an agent inside of a workflow: its model and tool calls are tasks, which are shown. */
const AGENT_EVENTS: ReadonlySet<string> = new Set([
  "step_start",
  "reasoning",
  "tool_start",
  "tool_progress",
  "tool_done",
  "approval_requested",
  "approval_decided",
  "reasoning_dropped",
  "usage",
  "done",
  "error",
]);

function storedLine(
  event: LogEvent,
  { paint, startedAt }: { readonly paint: Terminal["paint"]; readonly startedAt: number | undefined },
): string | undefined {
  const { type, taskId = "", value, time } = event;
  const name = event.name ?? taskId;
  const took = startedAt === undefined ? "" : paint("error", "dim", ` (${time - startedAt} ms)`);
  const failure = isRecord(value) && typeof value.message === "string" ? `: ${value.message}` : "";
  switch (type) {
    case "TASK_COMPLETED":
      return `${paint("error", "green", "✓")} ${name}${took}`;
    case "TASK_FAILED":
      return `${paint("error", "red", "✗")} ${name}${failure}${took}`;
    case "TASK_RETRY_STARTED":
      return paint("error", "yellow", `… ${name} is tried again`);
    case "TASK_RETRY_FAILED":
      return paint("error", "yellow", `… ${name} failed${failure}`);
    case "TASK_FALLBACK_STARTED":
      return paint("error", "yellow", `… ${name}: its fallback begins`);
    case "TASK_ROLLBACK_STARTED":
      return paint("error", "yellow", `… ${name} is rolled back`);
    case "TASK_AWAITING_APPROVAL":
      return `${paint("error", "cyan", "?")} ${asCall(name, (value as { args?: Json } | undefined)?.args ?? null)} waits for a decision`;
    case "TASK_PAUSED":
      return `${paint("error", "cyan", "?")} ${name} waits`;
    default:
      return undefined;
  }
}
