import type { Carrier, CarrierStart } from "../carrier.js";
import type { RunStore } from "../run-store.js";

export interface LocalCarrierOptions {
  readonly store: RunStore;
  readonly owner: string;
  readonly leaseMs: number;
  /** Default 100. */
  readonly maxConcurrentRuns?: number;
  /** How often the store is asked for runs that are due. Default 1 000 ms. */
  readonly pollMs?: number;
}

/** Executes runs in this process. Several processes on one store share the work. */
export class LocalCarrier implements Carrier {
  readonly #options: LocalCarrierOptions;
  readonly #running = new Set<Promise<unknown>>();
  #start: CarrierStart | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #isStopped = false;

  constructor(options: LocalCarrierOptions) {
    this.#options = options;
  }

  async start(start: CarrierStart): Promise<void> {
    this.#start = start;
    this.#look();
    this.#timer = setInterval(() => this.#look(), this.#options.pollMs ?? 1_000);
  }

  async submit(_runId: string, options: { readonly at?: number } = {}): Promise<void> {
    const delay = (options.at ?? 0) - Date.now();
    if (delay <= 0) this.#look();
  }

  async stop({ timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#looking;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([Promise.allSettled(this.#running), patience]);
    clearTimeout(timer);
  }

  /** Takes runs that are due, one look at a time. */
  #look(): void {
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#takeAll()
      .catch((error: unknown) => this.#start?.onError(error))
      .finally(() => {
        this.#looking = undefined;
        if (this.#lookAgain) {
          this.#lookAgain = false;
          this.#look();
        }
      });
  }

  async #takeAll(): Promise<void> {
    const { store, owner, leaseMs, maxConcurrentRuns = 100 } = this.#options;
    const start = this.#start;
    if (start === undefined) return;
    while (!this.#isStopped && this.#running.size < maxConcurrentRuns) {
      const claim = await store.claim(owner, leaseMs, { workflows: start.workflows });
      if (claim === null) return;
      if (this.#isStopped) {
        // It was asked for before: whoever comes next may have it at once.
        await store.park(claim, { keys: [], at: Date.now(), seen: 0 });
        return;
      }
      const running = start
        .execute(claim.run.id, claim)
        .catch((error: unknown) => start.onError(error))
        .finally(() => {
          this.#running.delete(running);
          this.#look();
        });
      this.#running.add(running);
    }
  }
}
