import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunStore } from "../../src/index.js";
import { startWorker, type Worker } from "./kill-suite.js";

export interface Crowd {
  readonly address: string;
  readonly ledger: string;
  readonly store: RunStore;
  readonly processes: number;
  readonly runs: number;
  /** One process is killed, and another one started, so often. */
  readonly killEveryMs: number;
}

/** Many runs on several processes of which one after another is killed. @returns What went wrong. */
export async function surviveInACrowd({ address, ledger, store, processes, runs, killEveryMs }: Crowd): Promise<{
  readonly kills: number;
  readonly unfinished: readonly string[];
  readonly repeated: readonly string[];
}> {
  const ids = Array.from({ length: runs }, (_, index) => `crowd-${index}`);
  for (const id of ids) await store.create({ id, namespace: "default", workflow: "sequential", input: null });
  let seed = 0;
  const start = () => {
    seed += 1;
    return startWorker([address, ledger, "never", "0", String(seed)]);
  };
  const workers: Worker[] = await Promise.all(Array.from({ length: processes }, start));
  let kills = 0;
  const unfinished = async () => {
    const found: string[] = [];
    for (const id of ids) if ((await store.get(id))?.state !== "COMPLETED") found.push(id);
    return found;
  };
  const deadline = Date.now() + 120_000;
  let open = ids as readonly string[];
  while (open.length > 0 && Date.now() < deadline) {
    await sleep(killEveryMs);
    const victim = workers.shift() as Worker;
    victim.kill();
    await victim.died;
    kills += 1;
    workers.push(await start());
    open = await unfinished();
  }
  await Promise.all(workers.map((worker) => worker.stop()));
  return { kills, unfinished: open, repeated: await begunAfterTheirEnd({ ledger, store, ids }) };
}

/** Tasks that were begun again after their end was recorded. */
async function begunAfterTheirEnd({
  ledger,
  store,
  ids,
}: {
  ledger: string;
  store: RunStore;
  ids: readonly string[];
}): Promise<string[]> {
  const begun = new Map<string, number>();
  for (const line of readFileSync(ledger, "utf8").split("\n")) {
    const [, name, time] = /^start (.*) at (\d+)$/.exec(line) ?? [];
    if (name !== undefined) begun.set(name, Math.max(begun.get(name) ?? 0, Number(time)));
  }
  const found: string[] = [];
  for (const id of ids) {
    for (const { type, name, value, time } of await store.load(id)) {
      if (type !== "TASK_COMPLETED" || name !== "step") continue;
      const key = `${id} ${String(value).toLowerCase()}`;
      if ((begun.get(key) ?? 0) > time) found.push(key);
    }
  }
  return found;
}
