import type { Json } from "../manifest/json-schema.js";
import type { StoredEvent } from "./stored-event.js";
import type { OpenPause } from "./views/waits.js";

/** The pauses of a log that nobody has ended: those that a value ends, not those that are decided on. */
export function openPauses(events: readonly StoredEvent[]): OpenPause[] {
  const over = new Set<string | undefined>();
  for (const { type, taskId } of events) if (type === "TASK_COMPLETED" || type === "TASK_FAILED") over.add(taskId);
  return events.flatMap(({ type, taskId, name = "", value }) => {
    if (type !== "TASK_PAUSED" || taskId === undefined || over.has(taskId)) return [];
    const { key, output } = (value ?? {}) as { readonly key?: string; readonly output?: Json };
    return key === undefined ? [{ taskId, name, ...(output === undefined ? {} : { output }) }] : [];
  });
}
