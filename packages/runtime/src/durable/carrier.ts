import type { Claim } from "./run-store.js";

/** Executes a run until it ends or waits. @param claim Where the carrier has claimed it already. */
export type ExecuteRun = (runId: string, claim?: Claim) => Promise<RunProgress>;

/** `lost`: another process has the run. */
export type RunProgress = "done" | "parked" | "lost";

/** What a carrier is given when it starts. */
export interface CarrierStart {
  readonly execute: ExecuteRun;
  /** `namespace/workflow` of everything that this process can execute. */
  readonly workflows: readonly string[];
  /** Told of what no caller waits for: a store that fails, a run that cannot be executed. */
  onError(error: unknown): void;
}

/** Decides which process executes a run, and when. A new carrier passes `testCarrier` of `@callsign/runtime/testing`. */
export interface Carrier {
  start(start: CarrierStart): Promise<void>;
  /** Says that a run is due now, or at a time. A hint: a run whose hint is lost is found all the same. */
  submit(runId: string, options?: { readonly at?: number }): Promise<void>;
  /** Takes no new runs and waits for those under way, at most so long. */
  stop(options?: { readonly timeoutMs?: number }): Promise<void>;
}
