import type { Json } from "../../manifest/json-schema.js";
import { StoreError } from "../errors.js";
import type { LogEvent, LogEventType } from "../log-events.js";
import type { RunRecord, RunState } from "../run-store.js";

/** A row of the tables `runs` or `events`, which have the same columns in every store. */
export interface Row {
  readonly [column: string]: string | number | bigint | null;
}

/** @throws {StoreError} `corrupt`. */
export function toRun(row: Row): RunRecord {
  const { start_at, wake_at, owner, parent_run, parent_key } = row;
  return {
    id: String(row.id),
    namespace: String(row.namespace),
    workflow: String(row.workflow),
    input: parse(row.input, row),
    state: row.state as RunState,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    waitingFor: parse(row.waiting_for, row) as unknown as readonly string[],
    epoch: Number(row.epoch),
    ...(start_at === null ? {} : { startAt: Number(start_at) }),
    ...(wake_at === null ? {} : { wakeAt: Number(wake_at) }),
    ...(owner === null ? {} : { owner: String(owner) }),
    ...(row.result === null ? {} : { result: parse(row.result, row) }),
    ...(row.error === null ? {} : { error: parse(row.error, row) as never }),
    ...(parent_run === null ? {} : { parent: { runId: String(parent_run), key: String(parent_key) } }),
  };
}

/** One damaged row must not hide all the others: what of it is no JSON is left out, and its error says so. */
function toListedRun(row: Row): RunRecord {
  try {
    return toRun(row);
  } catch (error) {
    const { name, message } = error as Error;
    const unread = { input: "null", waiting_for: "[]", result: null };
    return toRun({ ...row, ...unread, error: JSON.stringify({ name, code: "corrupt", message }) });
  }
}

/** @throws {StoreError} `corrupt`. */
export function toEvent(row: Row): LogEvent {
  const { task_id, name, key, value } = row;
  return {
    seq: Number(row.seq),
    type: row.type as LogEventType,
    time: Number(row.time),
    ...(task_id === null ? {} : { taskId: String(task_id) }),
    ...(name === null ? {} : { name: String(name) }),
    ...(value === null ? {} : { value: parse(value, row) }),
    ...(key === null ? {} : { key: String(key) }),
  };
}

/** Where a page of a list begins; undefined for the first one. @throws {StoreError} `run-cursor`. */
export function readCursor(
  cursor: string | undefined,
): { readonly createdAt: number; readonly id: string } | undefined {
  if (cursor === undefined) return undefined;
  // Taken for the first page it would have whoever turns pages begin again without end.
  const [, createdAt, id] = /^(\d{1,15}) (.+)$/s.exec(cursor) ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: Number(createdAt), id };
  throw new StoreError(`the cursor ${JSON.stringify(cursor)} is none that a list gave`, { code: "run-cursor" });
}

/** One row more than the page was asked for, so that it is known whether another one follows. */
export function toPage(
  rows: readonly Row[],
  limit: number,
): { readonly runs: readonly RunRecord[]; readonly cursor?: string } {
  const runs = rows.slice(0, limit).map(toListedRun);
  const last = runs.at(-1);
  return rows.length > limit && last !== undefined ? { runs, cursor: `${last.createdAt} ${last.id}` } : { runs };
}

export function pageSize(limit = 50): number {
  return Math.min(Math.max(1, Math.trunc(limit) || 1), 1_000);
}

function parse(text: Row[string] | undefined, row: Row): Json {
  try {
    return JSON.parse(String(text)) as Json;
  } catch (cause) {
    const where = row.run_id === undefined ? `the run ${row.id}` : `the event ${row.seq} of the run ${row.run_id}`;
    throw new StoreError(`${where} cannot be read: it is no JSON`, { code: "corrupt", cause });
  }
}
