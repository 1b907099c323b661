import { runPages } from "./run-pages.js";
import type { RunState, RunStore } from "./run-store.js";
import { type Schedule, scheduleInvalid, type Times, timesOf } from "./schedule.js";

export interface SchedulerOptions {
  readonly schedules: readonly Schedule[];
  readonly store: RunStore;
  /** Begins a run, unless there is one of that id. */
  submit(schedule: Schedule, runId: string): Promise<unknown>;
  onError(error: unknown): void;
}

interface Entry {
  readonly schedule: Schedule;
  readonly times: Times;
  /** The latest time that is dealt with. */
  seen: number;
}

/** The clock is looked at so often, in case somebody sets it. */
const LONGEST_NAP_MS = 30_000;
/** When the store fails. */
const RETRY_MS = 1_000;
const PAGES = 10;
const ACTIVE: readonly RunState[] = ["SCHEDULED", "RUNNING", "PAUSED"];

/**
 * Begins the runs of schedules. Each time has a run id of its own, so that of several processes one begins it; nothing is
 * stored but the runs.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #entries: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  private constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** @throws {WorkflowError} `schedule-invalid`. */
  static async start(options: SchedulerOptions): Promise<Scheduler> {
    const scheduler = new Scheduler(options);
    for (const schedule of options.schedules) {
      if (scheduler.#entries.some((entry) => entry.schedule.name === schedule.name)) {
        throw scheduleInvalid(schedule.name, ["another one has the same name; give one of them another name"]);
      }
      const times = await timesOf(schedule);
      scheduler.#entries.push({ schedule, times, seen: await scheduler.#begin(schedule, times) });
    }
    scheduler.#look();
    return scheduler;
  }

  /** The next time of every schedule. */
  get next(): readonly { readonly name: string; readonly workflow: string; readonly at: Date | undefined }[] {
    return this.#entries.map(({ schedule: { name, workflow }, times }) => {
      const at = times.after(Date.now());
      return { name, workflow: workflow.name, at: at === undefined ? undefined : new Date(at) };
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** A schedule without runs is a new one: nothing was missed. */
  async #begin(schedule: Schedule, times: Times): Promise<number> {
    const due = times.before(Date.now()) ?? 0;
    if (schedule.missed === "skip") return due;
    return Math.min(due, (await this.#newest(schedule)) ?? due);
  }

  async #newest({ name, workflow }: Schedule): Promise<number | undefined> {
    let looked = 0;
    for await (const runs of runPages(this.#options.store, {
      workflow: workflow.name,
      namespace: workflow.namespace,
    })) {
      // Others may give runs such ids too.
      const times = runs
        .flatMap(({ id }) => (id.startsWith(`${name}@`) ? [Date.parse(id.slice(name.length + 1))] : []))
        .filter(Number.isFinite);
      if (times.length > 0) return Math.max(...times);
      looked += 1;
      if (looked === PAGES) break;
    }
    return undefined;
  }

  #look(): void {
    this.#looking = this.#beginWhatIsDue().then((failed) => {
      if (this.#isStopped) return;
      const now = Date.now();
      const next = Math.min(...this.#entries.map(({ times }) => times.after(now) ?? Number.POSITIVE_INFINITY));
      const napMs = Math.min(Math.max(0, next - now), failed ? RETRY_MS : LONGEST_NAP_MS);
      this.#timer = setTimeout(() => this.#look(), napMs);
    });
  }

  async #beginWhatIsDue(): Promise<boolean> {
    let failed = false;
    for (const entry of this.#entries) {
      const due = entry.times.before(Date.now());
      if (due === undefined || due <= entry.seen || this.#isStopped) continue;
      try {
        await this.#beginRun(entry.schedule, due);
        entry.seen = due;
      } catch (error) {
        failed = true;
        this.#options.onError(error);
      }
    }
    return failed;
  }

  async #beginRun(schedule: Schedule, at: number): Promise<void> {
    const runId = `${schedule.name}@${new Date(at).toISOString()}`;
    if (schedule.overlap === "skip" && (await this.#isUnderWay(schedule, runId))) return;
    try {
      await this.#options.submit(schedule, runId);
    } catch (error) {
      // A process with another input was faster: the run of this time is there.
      if ((error as { code?: unknown }).code !== "run-conflict") throw error;
    }
  }

  async #isUnderWay({ name, workflow }: Schedule, runId: string): Promise<boolean> {
    const { name: ofWorkflow, namespace } = workflow;
    for (const state of ACTIVE) {
      for await (const runs of runPages(this.#options.store, { workflow: ofWorkflow, namespace, state })) {
        if (runs.some(({ id }) => id.startsWith(`${name}@`) && id !== runId)) return true;
      }
    }
    return false;
  }
}
