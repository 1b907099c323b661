import { canonicalJson } from "../canonical-json.js";
import { StoreError } from "../errors.js";
import { hasEnded, type NewRun, type RunEnd, type RunRecord, type RunState, type Signal } from "../run-store.js";

// What every store refuses and says in the same words.

const quoted = (runId: string): string => JSON.stringify(runId);

/** The run that is there already, if it is the same one. @throws {StoreError} `run-conflict`. */
export function sameRun(known: RunRecord, run: NewRun): RunRecord {
  const isSame =
    known.workflow === run.workflow &&
    known.namespace === run.namespace &&
    canonicalJson(known.input) === canonicalJson(run.input);
  if (isSame) return known;
  throw new StoreError(`the run ${quoted(run.id)} exists already, for another workflow or input`, {
    code: "run-conflict",
  });
}

/** @throws {StoreError} `run-active`. */
export function requireEnded(runId: string, state: RunState): void {
  if (hasEnded(state)) return;
  throw new StoreError(`the run ${quoted(runId)} has not ended; cancel it first`, { code: "run-active" });
}

/** @throws {StoreError} `run-ended`. */
export function requireActive(runId: string, state: RunState): void {
  if (hasEnded(state)) throw new StoreError(`the run ${quoted(runId)} has ended`, { code: "run-ended" });
}

export function fenced(runId: string): StoreError {
  return new StoreError(`the run ${quoted(runId)} belongs to another process now`, { code: "fenced" });
}

export function runUnknown(runId: string): StoreError {
  return new StoreError(`there is no run ${quoted(runId)}`, { code: "run-unknown" });
}

/** What the run that called another one is told of its end. */
export function endSignal(key: string, { state, result, error }: RunEnd): Signal {
  return {
    type: "SIGNAL_RECEIVED",
    key,
    once: key,
    value: {
      state,
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error: { ...error } }),
    },
  };
}
