import type { PendingApproval, PendingPause } from "../durable/decisions.js";
import { pendingApprovals, pendingPauses } from "../durable/decisions.js";
import type { Engine } from "../durable/engine.js";
import { hasEnded } from "../durable/run-store.js";

/** A run that goes no further without a person. */
export interface WaitingRun {
  readonly runId: string;
  readonly workflow: string;
  readonly approvals: readonly PendingApproval[];
  readonly pauses: readonly PendingPause[];
}

const CHILD = "child:";

/**
 * What a run, and those that it called, wait for of people.
 *
 * @returns Undefined while something of it is under way or about to be.
 */
export async function waitingFor(engine: Engine, runId: string): Promise<readonly WaitingRun[] | undefined> {
  const run = await engine.get(runId);
  if (hasEnded(run.state)) return [];
  if (run.state !== "PAUSED" || (run.wakeAt !== undefined && run.wakeAt <= Date.now())) return undefined;
  const events = await engine.store.load(runId);
  const [approvals, pauses] = [pendingApprovals(events), pendingPauses(events)];
  const waiting: WaitingRun[] = [];
  if (approvals.length + pauses.length > 0) waiting.push({ runId, workflow: run.workflow, approvals, pauses });
  for (const key of run.waitingFor) {
    if (!key.startsWith(CHILD)) continue;
    const inside = await waitingFor(engine, key.slice(CHILD.length));
    if (inside === undefined) return undefined;
    waiting.push(...inside);
  }
  return waiting;
}
