import type { RunEvent } from "../events/run-events.js";
import type { Json } from "../manifest/json-schema.js";
import { ReplayMismatchError, runCancelled, StoreError } from "./errors.js";
import { isTaskEnd, type LogEvent, type NewLogEvent } from "./log-events.js";
import type { Claim, NewRun, RunEnd, RunStore } from "./run-store.js";
import type { Frame } from "./scope.js";
import type { Workflow } from "./workflow.js";

/** Stands in a task's id between a task and what is done inside it; in the id of a branch `/` does. */
export const INSIDE = ">";

/** What is shown of a run and never stored: an event of an agent, or a value that a task gave to `progress()`. */
export interface RunProgressEvent {
  readonly taskId: string | undefined;
  readonly value: Json | RunEvent;
}

export interface ActiveRunOptions {
  readonly store: RunStore;
  readonly claim: Claim;
  readonly events: readonly LogEvent[];
  /** How long a claim is good without being renewed. */
  readonly leaseMs: number;
  readonly deps: unknown;
  showProgress(event: RunProgressEvent): void;
  /** The JSON form of an input that fits the workflow's schema. */
  checkInput(workflow: Workflow<never, unknown>, input: unknown): Promise<Json>;
  /** Makes a run of its own, unless it exists. */
  startChild(run: NewRun): Promise<void>;
  /** Called with what was stored, in order. */
  showStored(events: readonly LogEvent[]): void;
}

/** So long nothing happens before a run that only waits is put away. */
const PARK_AFTER_MS = 20;
/** So long nothing of the log is asked for before a body counts as another one. */
const MISMATCH_AFTER_MS = 1_000;
/** Events that nobody waits for are stored at latest so much later. */
const FLUSH_AFTER_MS = 100;
/** Longer waits are the store's: the run is put away meanwhile. */
const LONGEST_TIMER_MS = 60_000;

interface Wait {
  readonly key: string | undefined;
  readonly at: number | undefined;
  /** `at` by a clock that nobody sets. */
  readonly dueAt: number | undefined;
  resolve(event: LogEvent | undefined): void;
  /** Nothing that could come ends it any more: the run was cancelled. */
  giveUp(): void;
}

/** A promise that is never kept: code that waits for it is over without knowing. */
export const NEVER: Promise<never> = new Promise(() => {});

/**
 * A run that this process executes: its log, what of it was not asked for yet, and what it waits for. Once it is over
 * here (ended, put away, or lost to another process) no code of its body goes on.
 */
export class ActiveRun {
  #claim: Claim;
  readonly signal: AbortSignal;
  readonly deps: unknown;
  /** Settled when this process has no more to do with the run. */
  readonly over: Promise<"parked" | "lost">;
  readonly #store: RunStore;
  readonly #options: ActiveRunOptions;
  readonly #stop = new AbortController();
  readonly #ends = new Map<string, LogEvent>();
  readonly #others = new Map<string, LogEvent[]>();
  readonly #signals = new Map<string, LogEvent>();
  readonly #unasked = new Set<string>();
  readonly #occurrences = new Map<string, number>();
  readonly #frames = new Set<Frame>();
  readonly #waits = new Set<Wait>();
  #lastSeq: number;
  #leaseUntil: number;
  #isOver = false;
  #settle: (how: "parked" | "lost") => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #activity = 0;
  #batch: NewLogEvent[] = [];
  #flushing: Promise<void> | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #parkTimer: NodeJS.Timeout | undefined;

  constructor(options: ActiveRunOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#claim = options.claim;
    this.#leaseUntil = leaseEnd(options);
    this.deps = options.deps;
    this.signal = this.#stop.signal;
    this.over = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
    });
    this.over.catch(() => {});
    this.#lastSeq = options.events.at(-1)?.seq ?? 0;
    for (const event of options.events) this.#remember(event);
    // What a task did inside itself is asked for again only if the task is.
    for (const taskId of this.#ends.keys()) if (!taskId.includes(INSIDE)) this.#unasked.add(taskId);
  }

  get claim(): Claim {
    return this.#claim;
  }

  /** Goes on under a later claim: the lease had passed, and nobody else had taken the run. */
  adopt(claim: Claim): void {
    this.#claim = claim;
    this.#leaseUntil = leaseEnd({ claim, leaseMs: this.#options.leaseMs });
  }

  /**
   * Renews the lease. A process that was held up may have lost the run without knowing: it must not begin anything
   * before it knows.
   */
  async renew(): Promise<void> {
    if (this.#isOver) return;
    const { leaseMs } = this.#options;
    const now = Date.now();
    if (await this.#store.renew(this.#claim, leaseMs)) this.#leaseUntil = now + leaseMs;
    else this.lose();
  }

  /** Kept at once while the lease is good. */
  async beforeWork(): Promise<void> {
    if (Date.now() < this.#leaseUntil) return;
    await this.renew();
    if (this.#isOver) return NEVER;
  }

  get runId(): string {
    return this.claim.run.id;
  }

  /** Whether no code of the body may go on. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get isCancelled(): boolean {
    return this.#signals.has("cancel");
  }

  /** The id of a task by its name and arguments; the second one of the same gets `~2`. */
  nextId(base: string): string {
    const count = (this.#occurrences.get(base) ?? 0) + 1;
    this.#occurrences.set(base, count);
    return count === 1 ? base : `${base}~${count}`;
  }

  /** How a task ended, if the log says so. */
  takeEnd(taskId: string): LogEvent | undefined {
    const end = this.#ends.get(taskId);
    if (end !== undefined) {
      this.#unasked.delete(taskId);
      this.#activity += 1;
    }
    return end;
  }

  /** Whether the log says how a task ended. */
  hasEnd(taskId: string): boolean {
    return this.#ends.has(taskId);
  }

  /** What else the log has of a task. */
  recorded(taskId: string, type: LogEvent["type"]): readonly LogEvent[] {
    return (this.#others.get(taskId) ?? []).filter((event) => event.type === type);
  }

  /**
   * Waits until everything that the log has was asked for: code that is not there yet may be another branch.
   *
   * @param found What the body wants to do that the log does not have; undefined when it has ended.
   * @throws {ReplayMismatchError}
   */
  async beforeNew(found: string | undefined): Promise<void> {
    let activity = -1;
    let deadline = 0;
    while (this.#unasked.size > 0) {
      if (this.#isOver) return NEVER;
      if (activity !== this.#activity) {
        activity = this.#activity;
        deadline = Date.now() + MISMATCH_AFTER_MS;
      } else if (Date.now() > deadline) {
        throw new ReplayMismatchError([...this.#unasked], found);
      }
      await new Promise((resolve) => {
        if (Date.now() + MISMATCH_AFTER_MS - 50 > deadline) setTimeout(resolve, 5);
        else setImmediate(resolve);
      });
    }
  }

  /**
   * Stores events. Kept when they are stored, together with whatever else is to be stored then.
   *
   * When they cannot be stored, the run is over here and the promise is never kept.
   */
  append(...events: readonly NewLogEvent[]): Promise<void> {
    if (this.#isOver) return NEVER;
    this.#activity += 1;
    this.#batch.push(...events);
    return this.#flush();
  }

  /** Stores events before or with the next ones, soon. */
  appendLater(...events: readonly NewLogEvent[]): void {
    if (this.#isOver) return;
    this.#activity += 1;
    this.#batch.push(...events);
    // One timer for all that come meanwhile, also when what began it is stored before.
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      if (this.#batch.length > 0) void this.#flush();
    }, FLUSH_AFTER_MS).unref();
  }

  /** Stores the last event together with everything before it. @throws {StoreError} */
  async end(event: NewLogEvent, end: RunEnd): Promise<void> {
    await this.#flushing;
    if (this.#isOver) return NEVER;
    const events = [...this.#take(), event];
    const first = await this.#write(events, end);
    this.#close();
    this.#options.showStored(numbered(events, first));
  }

  /**
   * A signal for the key that came already, or comes; undefined at the time `at`.
   *
   * @throws {WorkflowError} `run-cancelled`. Put away, a run whose cancelling was seen would be woken by nobody.
   */
  wait(wait: { readonly key?: string; readonly at?: number }, frame: Frame | undefined): Promise<LogEvent | undefined> {
    if (this.#isOver) return NEVER;
    const { key, at } = wait;
    const signal = key === undefined ? undefined : this.#signals.get(key);
    if (signal !== undefined) return Promise.resolve(signal);
    if (at !== undefined && at <= Date.now()) return Promise.resolve(undefined);
    if (this.isCancelled) return Promise.reject(runCancelled());
    return new Promise((resolve, reject) => {
      if (frame !== undefined) frame.waits += 1;
      this.#activity += 1;
      let timer: NodeJS.Timeout | undefined;
      const entry: Wait = {
        key,
        at,
        dueAt: at === undefined ? undefined : performance.now() + at - Date.now(),
        resolve: (event) => {
          leave();
          resolve(event);
        },
        giveUp: () => {
          leave();
          reject(runCancelled());
        },
      };
      const leave = (): void => {
        clearTimeout(timer);
        if (frame !== undefined) frame.waits -= 1;
        this.#waits.delete(entry);
        this.#activity += 1;
      };
      if (at !== undefined && at - Date.now() <= LONGEST_TIMER_MS) {
        timer = setTimeout(() => entry.resolve(undefined), Math.max(0, at - Date.now()));
      }
      this.#waits.add(entry);
      this.considerParking();
    });
  }

  signalFor(key: string): LogEvent | undefined {
    return this.#signals.get(key);
  }

  enter(parent: Frame | undefined): Frame {
    const frame: Frame = { parent, children: 0, waits: 0 };
    if (parent !== undefined) parent.children += 1;
    this.#frames.add(frame);
    return frame;
  }

  leave(frame: Frame): void {
    if (frame.parent !== undefined) frame.parent.children -= 1;
    this.#frames.delete(frame);
    this.#activity += 1;
    this.considerParking();
  }

  /** Puts the run away when it does nothing but wait, and goes on doing so for a moment. */
  considerParking(): void {
    if (this.#waits.size === 0 || this.#parkTimer !== undefined || this.#isOver) return;
    const activity = this.#activity;
    this.#parkTimer = setTimeout(() => {
      this.#parkTimer = undefined;
      if (this.#isOver || !this.#onlyWaits()) return;
      if (activity !== this.#activity) this.considerParking();
      else void this.#park();
    }, PARK_AFTER_MS);
  }

  /** A signal from elsewhere. */
  deliver(events: readonly LogEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.#lastSeq || this.#isOver) continue;
      this.#lastSeq = event.seq;
      this.#remember(event);
      if (event.key === undefined) continue;
      for (const wait of [...this.#waits]) if (wait.key === event.key) wait.resolve(event);
      if (event.key === "cancel") {
        this.#stop.abort(new DOMException("the run was cancelled", "AbortError"));
        for (const wait of [...this.#waits]) wait.giveUp();
      }
    }
  }

  /** Looks for signals that other processes stored. */
  async refresh(): Promise<void> {
    if (this.#isOver) return;
    this.deliver(await this.#store.load(this.runId, this.#lastSeq));
  }

  showProgress(event: RunProgressEvent): void {
    if (!this.#isOver) this.#options.showProgress(event);
  }

  /** The JSON form of another workflow's input. @throws {WorkflowError} `input-refused`. */
  checkInput(workflow: Workflow<never, unknown>, input: unknown): Promise<Json> {
    return this.#options.checkInput(workflow, input);
  }

  /** Makes a run that tells this one when it has ended. */
  startChild(run: Omit<NewRun, "parent">): Promise<void> {
    if (this.#isOver) return NEVER;
    return this.#options.startChild({ ...run, parent: { runId: this.runId, key: `child:${run.id}` } });
  }

  /** Stops everything of the run here: it belongs to another process, or its store has failed. */
  lose(error?: unknown): void {
    if (this.#isOver) return;
    this.#close();
    this.#stop.abort(new DOMException("the run goes on in another process", "AbortError"));
    if (error === undefined || (error as { code?: unknown }).code === "fenced") this.#settle("lost");
    else this.#fail(error);
  }

  #onlyWaits(): boolean {
    if (this.#waits.size === 0 || this.#flushing !== undefined) return false;
    for (const frame of this.#frames) if (frame.children === 0 && frame.waits === 0) return false;
    // A wait that ends soon is no reason to put the run away.
    const soon = performance.now() + 1_000;
    for (const { dueAt } of this.#waits) if (dueAt !== undefined && dueAt <= soon) return false;
    return true;
  }

  async #park(): Promise<void> {
    const waits = [...this.#waits];
    const keys = waits.flatMap(({ key }) => (key === undefined ? [] : [key])).sort();
    const times = waits.flatMap(({ at }) => (at === undefined ? [] : [at]));
    this.#close();
    try {
      const events = [...this.#take(), { type: "WORKFLOW_PAUSED" as const, time: Date.now(), value: keys }];
      const first = await this.#write(events);
      this.#options.showStored(numbered(events, first));
      await this.#store.park(this.claim, {
        keys,
        // Signals that came between this and the last ones seen are counted as not seen.
        seen: first === this.#lastSeq + 1 ? first + events.length - 1 : this.#lastSeq,
        ...(times.length === 0 ? {} : { at: Math.min(...times) }),
      });
      this.#settle("parked");
    } catch (error) {
      if ((error as { code?: unknown }).code === "fenced") this.#settle("lost");
      else this.#fail(error);
    }
  }

  /**
   * Appends, again and again while the store is only busy and the lease is good: what was done would have to be done
   * again otherwise. Any other failure may have left the events behind or not, so the log has to be read anew.
   */
  async #write(events: readonly NewLogEvent[], end?: RunEnd): Promise<number> {
    for (let delayMs = 20; ; delayMs = Math.min(delayMs * 2, 500)) {
      try {
        return await this.#store.append(this.claim, events, end);
      } catch (error) {
        const isBusy = (error as { code?: unknown }).code === "locked";
        if (!isBusy || Date.now() + delayMs >= this.#leaseUntil) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#parkTimer);
  }

  #take(): NewLogEvent[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  #flush(): Promise<void> {
    // What is added while the store is at work goes together next.
    this.#flushing ??= this.#flushAll();
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    // A moment for what else is about to be stored.
    await Promise.resolve();
    while (this.#batch.length > 0) {
      const events = this.#take();
      try {
        const first = await this.#write(events);
        if (this.#isOver) return NEVER;
        if (first > this.#lastSeq + 1) {
          const between = await this.#store.load(this.runId, this.#lastSeq);
          this.deliver(between.filter(({ seq }) => seq < first));
        }
        const stored = numbered(events, first);
        // A look for signals may have seen them already.
        for (const event of stored) if (event.seq > this.#lastSeq) this.#remember(event);
        this.#lastSeq = Math.max(this.#lastSeq, first + events.length - 1);
        this.#options.showStored(stored);
      } catch (error) {
        this.lose(
          error instanceof StoreError ? error : new StoreError(String(error), { code: "store-failed", cause: error }),
        );
        return NEVER;
      }
    }
    // In the same breath as the last look at the batch: nothing may be added in between.
    this.#flushing = undefined;
    this.considerParking();
  }

  #remember(event: LogEvent): void {
    if (event.key !== undefined && !this.#signals.has(event.key)) this.#signals.set(event.key, event);
    if (event.taskId === undefined) return;
    if (isTaskEnd(event)) this.#ends.set(event.taskId, event);
    else {
      const known = this.#others.get(event.taskId);
      if (known === undefined) this.#others.set(event.taskId, [event]);
      else known.push(event);
    }
  }
}

function numbered(events: readonly NewLogEvent[], first: number): readonly LogEvent[] {
  return events.map((event, index) => ({ ...event, seq: first + index }));
}

/** By the store's clock or ours, whichever is behind: too early is safe. */
function leaseEnd({ claim, leaseMs }: { readonly claim: Claim; readonly leaseMs: number }): number {
  return Math.min(claim.run.updatedAt, Date.now()) + leaseMs;
}
