import type { Json } from "../manifest/json-schema.js";

/** One entry of a run's log, as the API gives it. */
export interface StoredEvent {
  readonly seq: number;
  readonly type: string;
  readonly time: number;
  readonly name?: string;
  readonly taskId?: string;
  readonly value?: Json;
}

/** How good or bad an event is, for its colour. */
export function toneOf(type: string): "good" | "bad" | "wait" | "go" | "plain" {
  if (/FAILED|REJECTED/.test(type)) return "bad";
  if (/COMPLETED|APPROVED/.test(type)) return "good";
  if (/AWAITING|PAUSED|CANCEL/.test(type)) return "wait";
  return /STARTED|RESUMED/.test(type) ? "go" : "plain";
}
