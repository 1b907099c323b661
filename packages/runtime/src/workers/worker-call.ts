import type { MessagePort } from "node:worker_threads";
import type { Json } from "../manifest/json-schema.js";
import type { ManifestTool } from "../manifest/manifest.js";

/** What a worker thread is told of one call. */
export interface WorkerCall {
  /** Address of the module, as `placeOf` gives it. */
  readonly module: string;
  /** Tells the tool from every other one of the process. */
  readonly key: number;
  readonly tool: Pick<ManifestTool, "name" | "export" | "parameters" | "returns" | "call">;
  readonly args: Json;
  readonly context: {
    readonly toolName: string;
    readonly callId: string;
    readonly idempotencyKey: string;
    readonly sessionId?: string;
    readonly deps: unknown;
  };
  readonly port: MessagePort;
}

/** What comes from a worker while a call runs. */
export type WorkerMessage = { readonly progress: Json } | { readonly element: Json };

/** What a call ended with. Errors are told in words: a thread's error objects do not arrive whole. */
export type WorkerOutcome = WorkerValue | { readonly error: { readonly code: string; readonly message: string } };

export interface WorkerValue {
  readonly value: Json;
  /** Whether the function yielded elements, which were sent as messages. */
  readonly collected: boolean;
}
