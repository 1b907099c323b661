import { AsyncResource } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { Carrier, CarrierStart } from "../carrier.js";
import { StoreError } from "../errors.js";
import { runPages } from "../run-pages.js";
import { hasEnded, type RunRecord, type RunStore } from "../run-store.js";
import { type Carrying, DbosProcess, type DbosProcessOptions, type Wake } from "./dbos-process.js";

export interface DbosCarrierOptions {
  /** Where the runs are; the same as the engine's. */
  readonly store: RunStore;
  /** The Postgres that DBOS keeps its tables in, which may be the store's: `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Processes with the same name share the work, and should execute the same workflows. Default `callsign`. */
  readonly queue?: string;
  /** How many runs this process executes at a time. Default 100. */
  readonly maxConcurrentRuns?: number;
  /** How many runs all processes of the queue execute at a time. Default: as many as they can. */
  readonly maxConcurrentRunsInAll?: number;
  /** How often the queue is asked for wakes. Default 100 ms. */
  readonly pollMs?: number;
  /** How often a process says that it is alive and looks for those that are not. Default 2 000 ms. */
  readonly lookMs?: number;
  /** A process of which nothing was seen for so long is dead. More than the engine's lease. Default 20 000 ms. */
  readonly staleMs?: number;
  /** The schema of the table of processes. Default `callsign`. */
  readonly schema?: string;
  /** The schema of DBOS's own tables. Default `dbos`. */
  readonly dbosSchema?: string;
  /**
   * DBOS leaves wakes of another version alone. It says nothing of your code, whose changes the replay notices, and is
   * the same in every release: runs go on after a deploy. Default `callsign-1`.
   */
  readonly applicationVersion?: string;
}

/** A wake that finds nobody who can execute its run tries again after so long. */
const UNKNOWN_WORKFLOW_DELAY_MS = 5_000;
/** The store's clock and this one's may differ by so much without a wake being made anew. */
const SHORT_MS = 1_000;

/**
 * Has DBOS carry runs across machines: its queue says who executes which run and when, within limits, and wakes of dead
 * processes pass on to others. What happens in a run stays in the store alone. Needs the packages `@dbos-inc/dbos-sdk`
 * and `pg`.
 *
 * @example
 * import { openEngine } from "@callsign/runtime"
 * import { DbosCarrier } from "@callsign/runtime/dbos"
 * import { PostgresStore } from "@callsign/runtime/postgres"
 *
 * const url = "postgres://app@localhost/app"
 * const store = await PostgresStore.open({ url })
 * const engine = await openEngine({ store, carrier: new DbosCarrier({ store, url }), workflows: [] })
 */
export class DbosCarrier implements Carrier {
  readonly #options: DbosCarrierOptions;
  readonly #queue: string;
  readonly #carrying: Carrying;
  readonly #running = new Set<Promise<unknown>>();
  readonly #lookMs: number;
  #start: CarrierStart | undefined;
  #process: DbosProcess | undefined;
  #outside: AsyncResource | undefined;
  #isStopped = false;

  constructor(options: DbosCarrierOptions) {
    this.#options = options;
    this.#queue = options.queue ?? "callsign";
    this.#lookMs = options.lookMs ?? 2_000;
    const { schema = "callsign" } = options;
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
      throw new StoreError(`the schema's name must be small letters, digits and _; got ${JSON.stringify(schema)}`, {
        code: "store-failed",
      });
    }
    this.#carrying = {
      queue: this.#queue,
      limits: {
        perProcess: Math.min(
          options.maxConcurrentRuns ?? 100,
          options.maxConcurrentRunsInAll ?? Number.POSITIVE_INFINITY,
        ),
        inAll: options.maxConcurrentRunsInAll,
        pollMs: options.pollMs ?? 100,
      },
      carry: (wake) => this.#track(wake),
      look: () => this.#findTheForgotten(),
      onError: (error) => {
        if (!this.#isStopped) this.#start?.onError(error);
      },
    };
  }

  /** Launches DBOS, which makes its tables when they are not there. @throws {WorkflowError} `dbos-in-use`. */
  async start(start: CarrierStart): Promise<void> {
    this.#start = start;
    // Runs are executed as if DBOS had not called: what their code does with DBOS is no business of a wake.
    this.#outside = new AsyncResource("callsign");
    const {
      url,
      schema = "callsign",
      dbosSchema = "dbos",
      applicationVersion = "callsign-1",
      staleMs = 20_000,
    } = this.#options;
    const options: DbosProcessOptions = { url, schema, dbosSchema, applicationVersion, staleMs, lookMs: this.#lookMs };
    this.#process = await DbosProcess.join(this.#carrying, options);
  }

  async submit(runId: string, options: { readonly at?: number } = {}): Promise<void> {
    // A wake of its own for every call: one that is under way may have looked at the run before.
    await this.#wake({ id: `${runId}#${randomUUID()}`, runId }, options.at);
  }

  async stop({ timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {}): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const until = Date.now() + timeoutMs;
    await this.#process?.leave(this.#carrying, timeoutMs);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, until - Date.now()));
    });
    await Promise.race([Promise.allSettled(this.#running), patience]);
    clearTimeout(timer);
  }

  async #wake(wake: Wake, at = 0): Promise<void> {
    await this.#process?.wake(this.#queue, wake, at - Date.now());
  }

  #track(wake: Wake): Promise<string> {
    const carried = (this.#outside as AsyncResource).runInAsyncScope(() => this.#carry(wake));
    const running = carried.finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /**
   * What one wake does: has the run executed if it is due, and sees to it that somebody comes back when it is to be. It
   * may be done again, by anybody, at any time; the store's claim lets one of them through.
   */
  async #carry(wake: Wake): Promise<string> {
    const { runId } = wake;
    try {
      for (let pause = 10; ; pause = Math.min(pause * 2, 200)) {
        const run = await this.#options.store.get(runId);
        const settled = await this.#settle(run, wake);
        if (settled !== undefined) return settled;
        const progress = await (this.#start as CarrierStart).execute(runId);
        if (progress === "done") return "done";
        // A signal that came meanwhile has made it due again, and its own wake may be gone.
        if (progress === "parked") continue;
        // Whoever has it looks at it again before letting go, and if dead has left a wake behind.
        if ((await this.#options.store.get(runId))?.state === "RUNNING") return "under way elsewhere";
        // Due and not to be had: somebody else's for a moment, or the store's clock is behind.
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    } catch (error) {
      // It is found again when its lease has ended.
      this.#carrying.onError(error);
      return `failed: ${(error as { code?: unknown } | null)?.code ?? "unknown"}`;
    }
  }

  /** What to do about a run that is not to be executed here and now. @returns Undefined when it is. */
  async #settle(run: RunRecord | null, wake: Wake): Promise<string | undefined> {
    if (run === null) return "there is no such run";
    const { id, state, parent, wakeAt } = run;
    if (hasEnded(state)) {
      // Whoever ended it may have died before the caller was woken.
      if (parent !== undefined) await this.#wake({ id: `${parent.runId}#after-${id}`, runId: parent.runId });
      return state;
    }
    if (state === "PAUSED" && wakeAt === undefined) return "waits";
    if (wakeAt !== undefined && wakeAt > Date.now() + SHORT_MS) {
      await this.#wake({ id: nextId(wake, wakeAt), runId: id }, wakeAt);
      return "waits for its time";
    }
    if (this.#isStopped) {
      await this.submit(id);
      return "left to others";
    }
    if (!this.#executes(run)) {
      await this.submit(id, { at: Date.now() + UNKNOWN_WORKFLOW_DELAY_MS });
      return "left to those who have the workflow";
    }
    return undefined;
  }

  #executes({ namespace, workflow }: RunRecord): boolean {
    return this.#start?.workflows.includes(`${namespace}/${workflow}`) === true;
  }

  /** Runs that are due for a while without a wake: their process died before making one, or a wake failed. */
  async #findTheForgotten(): Promise<void> {
    const dueBefore = Date.now() - this.#lookMs;
    let live: Set<string> | undefined;
    for await (const runs of runPages(this.#options.store, { dueBefore })) {
      const ours = runs.filter((run) => this.#executes(run));
      if (ours.length > 0) live ??= await this.#awake();
      for (const { id } of ours) if (live?.has(id) === false) await this.submit(id);
      if (this.#isStopped) return;
    }
  }

  async #awake(): Promise<Set<string>> {
    const wakes = (await this.#process?.liveWakes(this.#queue)) ?? [];
    return new Set(wakes.map((id) => id.slice(0, id.lastIndexOf("#"))));
  }
}

/**
 * The id of the wake for a time. It is made once however many wakes find the run asleep; one that comes too early, by a
 * clock that is ahead, is followed by the next.
 */
function nextId({ id, runId }: Wake, at: number): string {
  const start = `${runId}#at-${at}-`;
  const count = id.startsWith(start) ? Number(id.slice(start.length)) : 0;
  return `${start}${count + 1}`;
}
