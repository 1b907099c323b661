import type { Json, JsonSchema } from "../manifest/json-schema.js";

export const RUN_STATES = ["SCHEDULED", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"] as const;

/** A run as the API shows it. */
export interface RunRecord {
  readonly runId: string;
  readonly namespace: string;
  readonly workflow: string;
  readonly state: string;
  readonly input: Json;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly wakeAt?: string;
  readonly waitingFor?: readonly string[];
  readonly result?: Json;
  readonly error?: { readonly code?: string; readonly message: string; readonly details?: Json };
}

/** A workflow as the API lists it. */
export interface WorkflowEntry {
  readonly name: string;
  readonly namespace: string;
  readonly description?: string;
  readonly input?: JsonSchema;
}

export function hasEnded(state: string): boolean {
  return state === "COMPLETED" || state === "FAILED" || state === "CANCELLED";
}

/** `name`, with its namespace where that is not the default one. */
export function workflowPath({ name, namespace }: { readonly name: string; readonly namespace: string }): string {
  const parts = namespace === "default" ? [name] : [namespace, name];
  return parts.map(encodeURIComponent).join("/");
}
