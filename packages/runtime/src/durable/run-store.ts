import type { Json } from "../manifest/json-schema.js";
import type { LogEvent, LogEventType, NewLogEvent } from "./log-events.js";

/**
 * - `SCHEDULED` to be executed as soon as somebody is free, and not before `wakeAt`
 * - `RUNNING` a process has claimed it
 * - `PAUSED` waits for a signal or for `wakeAt`; nothing of it is in memory
 * - the others are ends
 */
export type RunState = "SCHEDULED" | "RUNNING" | "PAUSED" | "COMPLETED" | "FAILED" | "CANCELLED";

export const RUN_STATES: readonly RunState[] = ["SCHEDULED", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"];

export function hasEnded(state: RunState): boolean {
  return state === "COMPLETED" || state === "FAILED" || state === "CANCELLED";
}

export interface NewRun {
  readonly id: string;
  readonly namespace: string;
  readonly workflow: string;
  readonly input: Json;
  /** Not to be executed before; milliseconds since 1970. */
  readonly startAt?: number;
  /** Whom to tell of the end: the run that called this one, and the key that it waits for. */
  readonly parent?: { readonly runId: string; readonly key: string };
}

/** One execution of a workflow. Times are milliseconds since 1970. */
export interface RunRecord extends NewRun {
  readonly state: RunState;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly wakeAt?: number;
  /** What a paused run waits for: `approval:TASK`, `pause:NAME`, `child:RUN`. */
  readonly waitingFor: readonly string[];
  /** Of `COMPLETED`. */
  readonly result?: Json;
  /** Of `FAILED` and `CANCELLED`. */
  readonly error?: RunFailure;
  /** Of `RUNNING`. */
  readonly owner?: string;
  /** Counts claims; an append under an older one is refused. */
  readonly epoch: number;
}

export interface RunFailure {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly details?: Json;
}

/** The right to execute a run, until the lease ends or somebody else has claimed it. */
export interface Claim {
  readonly run: RunRecord;
  readonly owner: string;
  readonly epoch: number;
}

export interface ClaimOptions {
  /** This one only. */
  readonly runId?: string;
  /** `namespace/workflow` that the claimer can execute. Default: all. */
  readonly workflows?: readonly string[];
}

/** How a run ends, written together with its last event. */
export interface RunEnd {
  readonly state: "COMPLETED" | "FAILED" | "CANCELLED";
  readonly result?: Json;
  readonly error?: RunFailure;
}

/** A message to a run. It is an event of its log, and wakes it. */
export interface Signal {
  readonly type: LogEventType;
  readonly key: string;
  /** A second signal with the same word is not taken. */
  readonly once?: string;
  readonly taskId?: string;
  readonly name?: string;
  readonly value?: Json;
}

export interface RunQuery {
  readonly state?: RunState;
  readonly namespace?: string;
  readonly workflow?: string;
  /** Ended runs that were last changed before this time. */
  readonly endedBefore?: number;
  /** Runs that can be claimed, and could be at this time already. */
  readonly dueBefore?: number;
  /** Default 50, at most 1,000. */
  readonly limit?: number;
  /** From the page before. */
  readonly cursor?: string;
}

export interface RunPage {
  /** The newest first. */
  readonly runs: readonly RunRecord[];
  /** Absent on the last page. */
  readonly cursor?: string;
}

/**
 * Where runs and their event logs are kept. Everything is atomic: what was acknowledged survives a kill, and what was
 * not leaves no trace. A new store passes `testRunStore` of `@callsign/runtime/testing`.
 *
 * @throws {StoreError} from every method: `fenced`, `locked`, `full`, `corrupt`, `closed`, `run-unknown`, `store-failed`.
 */
export interface RunStore {
  /** Does nothing when the run exists. @throws `run-conflict` when it exists for another workflow or input. */
  create(run: NewRun): Promise<RunRecord>;
  /**
   * Takes a run that is due: scheduled, paused with `wakeAt` passed, or running under a lease that has ended. The
   * oldest first.
   */
  claim(owner: string, ttlMs: number, options?: ClaimOptions): Promise<Claim | null>;
  /** @returns False when the claim was lost: stop at once. */
  renew(claim: Claim, ttlMs: number): Promise<boolean>;
  /** The events with `seq` above `from`, in order. Default 0: all. */
  load(runId: string, from?: number): Promise<readonly LogEvent[]>;
  /**
   * Adds events, all or none; with `end` also ends the run and tells its parent.
   *
   * @returns Their numbers: `seq` of the first one.
   * @throws {StoreError} `fenced` under a lost claim, `duplicate-end` for the second end of one task.
   */
  append(claim: Claim, events: readonly NewLogEvent[], end?: RunEnd): Promise<number>;
  /**
   * Gives the run back until a signal comes or `at` has passed. A signal with `seq` above `seen` has come already: the
   * run is due at once.
   */
  park(
    claim: Claim,
    wake: { readonly at?: number; readonly keys: readonly string[]; readonly seen: number },
  ): Promise<void>;
  /** @returns False when one with the same `once` was taken before. @throws `run-unknown`, `run-ended`. */
  signal(runId: string, signal: Signal): Promise<boolean>;
  get(runId: string): Promise<RunRecord | null>;
  list(query: RunQuery): Promise<RunPage>;
  /** @returns Whether there was one. @throws `run-active` for a run that has not ended. */
  delete(runId: string): Promise<boolean>;
  close(): Promise<void>;
}
