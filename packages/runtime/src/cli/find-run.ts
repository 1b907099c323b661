import type { Engine } from "../durable/engine.js";
import { runPages } from "../durable/run-pages.js";
import type { RunRecord } from "../durable/run-store.js";
import { UsageError } from "./usage-error.js";

/** So many letters of a run's id are enough, where they are the beginning of no other. */
const SHORTEST = 4;
const MOST_SEARCHED = 10_000;

/** The run of an id, or of the beginning of one. @throws {UsageError}. */
export async function findRun(engine: Engine, given: string): Promise<RunRecord> {
  const exact = await engine.store.get(given);
  if (exact !== null) return exact;
  const found = given.length < SHORTEST ? [] : await findByBeginning(engine, given);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const hint =
    found.length === 0
      ? "`callsign runs list` shows those that there are"
      : `it may be ${found
          .slice(0, 5)
          .map(({ id }) => id)
          .join(", ")}`;
  throw new UsageError(
    found.length === 0
      ? `there is no run ${JSON.stringify(given)}`
      : `${found.length} runs begin with ${JSON.stringify(given)}`,
    hint,
  );
}

async function findByBeginning(engine: Engine, beginning: string): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = [];
  let seen = 0;
  for await (const runs of runPages(engine, {})) {
    found.push(...runs.filter(({ id }) => id.startsWith(beginning)));
    seen += runs.length;
    if (seen >= MOST_SEARCHED) break;
  }
  return found;
}

/** The run that called this one, or the one that called that. */
export async function rootOf(engine: Engine, run: RunRecord): Promise<RunRecord> {
  let root = run;
  while (root.parent !== undefined) {
    const caller = await engine.store.get(root.parent.runId);
    if (caller === null) break;
    root = caller;
  }
  return root;
}
