import type { RunRecord } from "../durable/run-store.js";
import type { Json } from "../manifest/json-schema.js";

/** What clients see of a run: not who executes it. */
export function shownRun(run: RunRecord): Json {
  const { id, namespace, workflow, state, input, createdAt, updatedAt, wakeAt, waitingFor, result, error } = run;
  return {
    runId: id,
    namespace,
    workflow,
    state,
    input,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(wakeAt === undefined ? {} : { wakeAt: new Date(wakeAt).toISOString() }),
    ...(waitingFor.length === 0 ? {} : { waitingFor }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error: { ...error } }),
  };
}
