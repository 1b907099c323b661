import type { Carrier, CarrierStart } from "../durable/carrier.js";
import { hasEnded, type RunStore } from "../durable/run-store.js";

const POLL_MS = 300;

/**
 * Executes the runs that this process was asked for, and those that they call: a command that carries one run on leaves
 * the others of the store to whom they belong.
 */
export class ChosenCarrier implements Carrier {
  readonly #store: RunStore;
  readonly #chosen = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  #start: CarrierStart | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(store: RunStore) {
    this.#store = store;
  }

  async start(start: CarrierStart): Promise<void> {
    this.#start = start;
    this.#timer = setInterval(() => {
      for (const runId of this.#chosen) this.#execute(runId);
    }, POLL_MS);
  }

  async submit(runId: string): Promise<void> {
    this.#chosen.add(runId);
    this.#execute(runId);
  }

  async stop({ timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([Promise.allSettled(this.#running.values()), patience]);
    clearTimeout(timer);
  }

  #execute(runId: string): void {
    const start = this.#start;
    if (start === undefined || this.#isStopped || this.#running.has(runId)) return;
    const running = this.#attempt(runId, start)
      .catch((error: unknown) => start.onError(error))
      .finally(() => this.#running.delete(runId));
    this.#running.set(runId, running);
  }

  async #attempt(runId: string, { execute, workflows }: CarrierStart): Promise<void> {
    const run = await this.#store.get(runId);
    // A caller of another module is carried on where that module is.
    if (run === null || hasEnded(run.state) || !workflows.includes(`${run.namespace}/${run.workflow}`)) {
      this.#chosen.delete(runId);
      return;
    }
    if (run.state === "PAUSED" && (run.wakeAt === undefined || run.wakeAt > Date.now())) return;
    if ((await execute(runId)) === "done") this.#chosen.delete(runId);
  }
}
