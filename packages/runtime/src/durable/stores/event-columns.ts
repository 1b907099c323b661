import { isTaskEnd, type NewLogEvent } from "../log-events.js";

/** What every store writes of an event, in the order of the columns `type, time, task_id, name, value, key, ended`. */
export function eventColumns(event: NewLogEvent): readonly (string | number | null)[] {
  return [
    event.type,
    event.time,
    event.taskId ?? null,
    event.name ?? null,
    event.value === undefined ? null : JSON.stringify(event.value),
    event.key ?? null,
    isTaskEnd(event) ? (event.taskId ?? null) : null,
  ];
}
