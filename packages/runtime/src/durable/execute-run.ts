import { toJson } from "../calls/to-json.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import { ActiveRun, type RunProgressEvent } from "./active-run.js";
import type { RunProgress } from "./carrier.js";
import { fromDurable, toDurable } from "./durable-value.js";
import { ReplayMismatchError, runCancelled, StoreError, toFailure } from "./errors.js";
import type { LogEvent } from "./log-events.js";
import type { Claim, NewRun, RunEnd, RunStore } from "./run-store.js";
import { runInScope } from "./scope.js";
import type { Workflow } from "./workflow.js";

export interface ExecuteOptions {
  readonly store: RunStore;
  readonly workflow: Workflow<unknown>;
  /** Says which codecs the input needs: the body gets what its type says. */
  readonly inputSchema: JsonSchema | undefined;
  readonly leaseMs: number;
  readonly deps: unknown;
  showProgress(event: RunProgressEvent): void;
  showStored(events: readonly LogEvent[]): void;
  startChild(run: NewRun): Promise<void>;
  checkInput(workflow: Workflow<never, unknown>, input: unknown): Promise<Json>;
  /** Told of the run while this process has it. */
  onActive(run: ActiveRun | undefined): void;
}

/**
 * Executes a claimed run from the top of its body until it ends, waits, or is lost to another process.
 *
 * @throws {StoreError} when the store fails; the run is found again when its lease has ended.
 */
export async function executeRun(claim: Claim, options: ExecuteOptions): Promise<RunProgress> {
  const { store, leaseMs } = options;
  const events = await store.load(claim.run.id);
  const run = new ActiveRun({ ...options, claim, events });
  options.onActive(run);
  const renewal = keepLease(run, leaseMs);
  try {
    const begin = events.length === 0 ? "WORKFLOW_STARTED" : "WORKFLOW_RESUMED";
    run.appendLater({ type: begin, time: Date.now(), ...(events.length === 0 ? { value: claim.run.input } : {}) });
    return await Promise.race([performBody(run, options), run.over]);
  } catch (error) {
    if ((error as { code?: unknown }).code === "fenced") return "lost";
    throw error;
  } finally {
    clearInterval(renewal);
    run.lose();
    options.onActive(undefined);
  }
}

async function performBody(run: ActiveRun, { workflow, inputSchema }: ExecuteOptions): Promise<RunProgress> {
  const { input, namespace } = run.claim.run;
  const end = await (run.isCancelled ? cancelled() : outcome());
  if (run.isOver) return run.over;
  const { state, result, error } = end;
  await run.end(
    {
      type: `WORKFLOW_${state}`,
      time: Date.now(),
      ...(state === "COMPLETED" ? (result === undefined ? {} : { value: result }) : { value: { ...error } }),
    },
    end,
  );
  return "done";

  async function outcome(): Promise<RunEnd> {
    try {
      const decoded = await fromDurable(structuredClone(input), { schema: inputSchema, name: workflow.name });
      const value = await runInScope({ run, prefix: "", frame: undefined }, async () =>
        workflow.body({
          input: decoded,
          runId: run.runId,
          workflow: workflow.name,
          namespace,
          signal: run.signal,
          deps: run.deps,
          progress: (shown) => run.showProgress({ taskId: undefined, value: toJson(shown) }),
        }),
      );
      if (run.isOver) return { state: "FAILED" };
      if (run.isCancelled) return cancelled();
      await run.beforeNew(undefined);
      const { json } = await toDurable(value, { schema: undefined, name: `the workflow ${workflow.name}` });
      return { state: "COMPLETED", ...(json === undefined ? {} : { result: json }) };
    } catch (thrown) {
      if (thrown instanceof StoreError) throw thrown;
      if (run.isCancelled) return cancelled();
      // A body that goes another way than its log may throw for that very reason.
      if (!(thrown instanceof ReplayMismatchError)) await run.beforeNew(undefined).catch(() => {});
      return { state: "FAILED", error: toFailure(thrown, "workflow-failed") };
    }
  }
}

function cancelled(): RunEnd {
  return { state: "CANCELLED", error: toFailure(runCancelled(), "run-cancelled") };
}

/** Renews the lease at a third of its time, and looks for signals of other processes. */
function keepLease(run: ActiveRun, leaseMs: number): NodeJS.Timeout {
  const renew = async (): Promise<void> => {
    try {
      await run.renew();
      await run.refresh();
    } catch (error) {
      // A store that fails now may not fail at the next append, which has the last word.
      if ((error as { code?: unknown }).code === "fenced") run.lose();
    }
  };
  return setInterval(() => void renew(), Math.max(50, leaseMs / 3)).unref();
}
