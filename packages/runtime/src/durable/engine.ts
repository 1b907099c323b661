import { refusalLine } from "../calls/messages.js";
import { validateValue } from "../calls/validate-value.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ActiveRun } from "./active-run.js";
import type { Carrier, RunProgress } from "./carrier.js";
import { LocalCarrier } from "./carriers/local-carrier.js";
import {
  alreadyDecided,
  type DecisionOptions,
  decisionSignal,
  type PendingApproval,
  pendingApprovals,
  type ResumeOptions,
  resumeSignal,
} from "./decisions.js";
import { inputJson } from "./durable-value.js";
import { StoreError, WorkflowError } from "./errors.js";
import { EventBus, type RunNotice } from "./event-bus.js";
import { executeRun } from "./execute-run.js";
import { type EventsOptions, followEvents, type RunSource, tellsEnd, untilEnded } from "./follow-events.js";
import type { LogEvent } from "./log-events.js";
import { processName } from "./process-name.js";
import {
  type Claim,
  hasEnded,
  type NewRun,
  type RunPage,
  type RunQuery,
  type RunRecord,
  type RunStore,
} from "./run-store.js";
import { isSchedule, type Schedule } from "./schedule.js";
import type { Scheduler } from "./scheduler.js";
import { isWorkflow, type Workflow, workflowKey } from "./workflow.js";
import { workflowSchema } from "./workflow-schemas.js";

export interface EngineOptions {
  /** Everything that this process can execute. */
  readonly workflows: readonly Workflow<never, unknown>[];
  /** Runs that begin by themselves, as `schedule()` makes them. */
  readonly schedules?: readonly Schedule[];
  /** Default: a file `.callsign/runs.db` in the working folder. */
  readonly store?: RunStore;
  /** Default: this process, and every other one on the same store. */
  readonly carrier?: Carrier;
  /** Where the inputs' schemas are; those of imported `callsign.gen.ts` are known without it. */
  readonly manifest?: Manifest;
  /** What `ctx.deps` holds. */
  readonly deps?: unknown;
  /** How long a run stays with a process that does not answer any more. Default 15 000 ms. */
  readonly leaseMs?: number;
  /** How many runs this process executes at a time. Default 100. */
  readonly maxConcurrentRuns?: number;
  /** How often the store is asked for runs that are due. Default 1 000 ms. */
  readonly pollMs?: number;
  /** Told of what no caller waits for. Default: `process.emitWarning`. */
  readonly onError?: (error: unknown) => void;
}

export interface StartOptions {
  /** Default: a new UUID. A second start with the same id and input is the same run. */
  readonly runId?: string;
  readonly startAt?: Date;
}

/**
 * Executes workflows and answers for their runs.
 *
 * @example
 * import { openEngine, workflow, type WorkflowContext } from "@callsign/runtime"
 *
 * const briefing = workflow("briefing", async (ctx: WorkflowContext<{ topic: string }>) => `On ${ctx.input.topic}: …`)
 * const engine = await openEngine({ workflows: [briefing] })
 * const text = await engine.run(briefing, { topic: "the harbour" })
 * await engine.stop()
 */
export class Engine {
  readonly store: RunStore;
  readonly owner: string;
  readonly #options: EngineOptions;
  readonly #carrier: Carrier;
  readonly #workflows = new Map<string, Workflow<never, unknown>>();
  readonly #active = new Map<string, ActiveRun>();
  readonly #bus = new EventBus();
  readonly #leaseMs: number;
  #scheduler: Scheduler | undefined;
  #isStopped = false;

  constructor(options: EngineOptions & { readonly store: RunStore }) {
    this.#options = options;
    this.store = options.store;
    this.owner = processName();
    this.#leaseMs = options.leaseMs ?? 15_000;
    for (const given of options.workflows) {
      const key = isWorkflow(given) ? workflowKey(given) : "";
      if (key === "") throw new TypeError("openEngine() takes workflows, as workflow() makes them");
      if (this.#workflows.has(key) && this.#workflows.get(key) !== given) {
        throw new WorkflowError(`two workflows are named ${key}; give one of them another name`, {
          code: "duplicate-name",
        });
      }
      this.#workflows.set(key, given);
    }
    this.#carrier =
      options.carrier ??
      new LocalCarrier({
        store: this.store,
        owner: this.owner,
        leaseMs: this.#leaseMs,
        ...(options.maxConcurrentRuns === undefined ? {} : { maxConcurrentRuns: options.maxConcurrentRuns }),
        ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
      });
  }

  /** The workflows that this process can execute. */
  get workflows(): readonly Workflow<never, unknown>[] {
    return [...this.#workflows.values()];
  }

  /** As it was given. */
  get manifest(): Manifest | undefined {
    return this.#options.manifest;
  }

  /** Begins to execute runs that are due. Called by `openEngine`. */
  async start(): Promise<void> {
    await this.#carrier.start({
      execute: (runId, claim) => this.#execute(runId, claim),
      workflows: [...this.#workflows.keys()],
      onError: (error) => this.#report(error),
    });
    const { schedules = [] } = this.#options;
    if (schedules.length > 0) await this.#startSchedules(schedules);
  }

  /** The next time of every schedule. */
  get schedules(): Scheduler["next"] {
    return this.#scheduler?.next ?? [];
  }

  /** Takes no new runs, waits for those under way, and closes the store. What is not over goes on elsewhere, or later. */
  async stop(options: { readonly timeoutMs?: number } = {}): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#scheduler?.stop();
    await this.#carrier.stop(options);
    for (const run of this.#active.values()) run.lose();
    this.#bus.close();
    await this.store.close();
  }

  /**
   * Begins a run and does not wait for it.
   *
   * @throws {WorkflowError} `workflow-unknown`, `input-refused` with every place that does not fit.
   */
  async submit<Input>(
    workflow: Workflow<Input, unknown> | string,
    input: Input,
    options: StartOptions = {},
  ): Promise<RunRecord> {
    const found = this.workflow(workflow as Workflow<never, unknown> | string);
    const json = await this.checkInput(found, input);
    if (options.startAt !== undefined) requireTime(options.startAt, "startAt");
    const startAt = options.startAt?.getTime();
    const run: NewRun = {
      id: options.runId ?? crypto.randomUUID(),
      namespace: found.namespace,
      workflow: found.name,
      input: json,
      ...(startAt === undefined ? {} : { startAt }),
    };
    const record = await this.store.create(run);
    await this.#carrier.submit(run.id, startAt === undefined ? {} : { at: startAt });
    return record;
  }

  /**
   * Begins a run and waits for its result, however long that takes.
   *
   * @throws {WorkflowError} `workflow-unknown`, `input-refused`, `run-failed`, `run-cancelled`.
   */
  async run<Input, Result>(workflow: Workflow<Input, Result>, input: Input, options?: StartOptions): Promise<Result>;
  async run(workflow: string, input: unknown, options?: StartOptions): Promise<unknown>;
  async run(workflow: Workflow<unknown> | string, input: unknown, options: StartOptions = {}): Promise<unknown> {
    const { id } = await this.submit(workflow, input, options);
    return this.result(id);
  }

  /** Waits until a run has ended. @throws {WorkflowError} `run-unknown`, `run-failed`, `run-cancelled`, `engine-stopped`. */
  async result(runId: string): Promise<Json | undefined> {
    const run = await untilEnded(this.#follow(runId, tellsEnd)).catch((error: unknown) => {
      throw this.#isStopped && (error as { code?: unknown }).code === "closed" ? engineStopped(runId, error) : error;
    });
    if (run.state === "COMPLETED") return run.result;
    const message = run.error?.message ?? `it is ${run.state}`;
    if (!hasEnded(run.state)) throw engineStopped(runId);
    throw new WorkflowError(
      `the run ${runId} of ${run.workflow} has ${run.state === "FAILED" ? "failed" : "ended"}: ${message}`,
      {
        code: run.state === "FAILED" ? "run-failed" : "run-cancelled",
        cause: run.error,
      },
    );
  }

  /** @throws {WorkflowError} `run-unknown`. */
  async get(runId: string): Promise<RunRecord> {
    const run = await this.store.get(runId);
    if (run === null) throw runUnknown(runId);
    return run;
  }

  list(query: RunQuery = {}): Promise<RunPage> {
    return this.store.list(query);
  }

  /** The event log as it is stored now. */
  async log(runId: string, from = 0): Promise<readonly LogEvent[]> {
    await this.get(runId);
    return this.store.load(runId, from);
  }

  /**
   * Every event of a run from `from` on: those that are stored, then those to come, without a gap, until the run has
   * ended or is paused. Progress is what happens in this process meanwhile.
   *
   * @throws {WorkflowError} `run-unknown`.
   */
  events(runId: string, options: EventsOptions = {}): AsyncGenerator<RunNotice, void> {
    return followEvents(runId, this.#follow(runId), options);
  }

  /** From this moment on nothing is missed, also of a run that is only begun afterwards. */
  #follow(runId: string, isWanted?: (notice: RunNotice) => boolean): RunSource {
    const queue = this.#bus.subscribe(runId, isWanted);
    return {
      store: this.store,
      queue,
      get: () => this.get(runId),
      isHere: () => this.#active.has(runId),
      onEnd: () => this.#bus.unsubscribe(runId, queue),
    };
  }

  /** The calls of a run that wait for `approve` or `reject`: none when it has ended. */
  async approvals(runId: string): Promise<readonly PendingApproval[]> {
    if (hasEnded((await this.get(runId)).state)) return [];
    return pendingApprovals(await this.store.load(runId));
  }

  /** Lets a call run. Decided once, finally. @throws {WorkflowError} `run-unknown`, `not-waiting`, `already-decided`. */
  approve(runId: string, decision: DecisionOptions = {}): Promise<void> {
    return this.#decide(runId, "TASK_APPROVED", decision);
  }

  /** Refuses a call; the run goes on and is told so. @throws {WorkflowError} as `approve`. */
  reject(runId: string, decision: DecisionOptions = {}): Promise<void> {
    return this.#decide(runId, "TASK_REJECTED", decision);
  }

  /** Gives a paused run the value that it waits for. @throws {WorkflowError} `run-unknown`, `not-waiting`, `input-refused`. */
  async resume(runId: string, resume: ResumeOptions = {}): Promise<void> {
    await this.#signal(runId, resumeSignal({ runId, events: await this.log(runId) }, resume));
  }

  /** Ends a run as soon as possible: its tasks' signals are aborted. Does nothing to a run that has ended. */
  async cancel(runId: string): Promise<void> {
    const run = await this.get(runId);
    if (hasEnded(run.state)) return;
    await this.#signal(runId, { type: "WORKFLOW_CANCELLING", key: "cancel", once: "cancel" });
  }

  /** Removes a run and its log. @throws {StoreError} `run-active`. */
  delete(runId: string): Promise<boolean> {
    return this.store.delete(runId);
  }

  /** A run with its whole log, as JSON. */
  async export(runId: string): Promise<{ readonly run: RunRecord; readonly events: readonly LogEvent[] }> {
    return { run: await this.get(runId), events: await this.store.load(runId) };
  }

  /** Removes runs that ended before a time. @returns How many. @throws {RangeError} for no time. */
  async prune(endedBefore: Date): Promise<number> {
    requireTime(endedBefore, "prune()");
    let count = 0;
    for (;;) {
      const { runs } = await this.store.list({ endedBefore: endedBefore.getTime(), limit: 1_000 });
      for (const { id } of runs) if (await this.store.delete(id)) count += 1;
      if (runs.length === 0) return count;
    }
  }

  /** The workflow of a name: `name`, or `namespace/name`. @throws {WorkflowError} `workflow-unknown`. */
  workflow(given: Workflow<never, unknown> | string): Workflow<never, unknown> {
    const key = typeof given === "string" ? (given.includes("/") ? given : `default/${given}`) : workflowKey(given);
    const found = this.#workflows.get(key);
    if (found !== undefined) return found;
    const known = [...this.#workflows.keys()].map((name) => name.replace(/^default\//, ""));
    throw new WorkflowError(
      `there is no workflow ${JSON.stringify(key.replace(/^default\//, ""))}; there are ${known.join(", ") || "none"}`,
      {
        code: "workflow-unknown",
      },
    );
  }

  /** The compiled schema of a workflow's input, where there is one. */
  inputSchema({ name, namespace }: Workflow<never, unknown>): JsonSchema | undefined {
    const { manifest } = this.#options;
    return manifest?.workflows?.find((entry) => entry.name === name)?.input ?? workflowSchema({ name, namespace });
  }

  /**
   * The JSON form of an input that fits; values of classes with a codec may be given as such or in their JSON form.
   *
   * @throws {WorkflowError} `input-refused`.
   */
  async checkInput(workflow: Workflow<never, unknown>, input: unknown): Promise<Json> {
    const schema = this.inputSchema(workflow);
    const json = await inputJson(input, { schema, name: workflow.name });
    if (schema === undefined) return json;
    const checked = await validateValue(schema, json, { name: workflow.name });
    if (checked.valid) return checked.json as Json;
    const lines = checked.refusals.map(refusalLine).join("\n");
    throw new WorkflowError(`the input does not fit ${workflow.name}:\n${lines}`, {
      code: "input-refused",
      refusals: checked.refusals,
    });
  }

  async #decide(runId: string, type: "TASK_APPROVED" | "TASK_REJECTED", decision: DecisionOptions): Promise<void> {
    const signal = decisionSignal({ runId, events: await this.log(runId) }, type, decision);
    if (!(await this.#signal(runId, signal))) throw alreadyDecided(signal.taskId);
  }

  async #signal(runId: string, signal: Parameters<RunStore["signal"]>[1]): Promise<boolean> {
    let taken: boolean;
    try {
      taken = await this.store.signal(runId, signal);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "run-ended") throw error;
      throw new WorkflowError(`the run ${runId} has ended`, { code: "not-waiting", cause: error });
    }
    await this.#active.get(runId)?.refresh();
    await this.#carrier.submit(runId);
    return taken;
  }

  async #execute(runId: string, given: Claim | undefined): Promise<RunProgress> {
    const claim = given ?? (await this.store.claim(this.owner, this.#leaseMs, { runId }));
    if (claim === null) return "lost";
    // A busy process may find a run due that is its own: what is under way goes on, unless another one had it meanwhile.
    const active = this.#active.get(runId);
    if (active !== undefined && !active.isOver && claim.owner === this.owner) {
      if (claim.epoch === active.claim.epoch + 1) {
        active.adopt(claim);
        return "lost";
      }
      active.lose();
    }
    const workflow = this.#workflows.get(`${claim.run.namespace}/${claim.run.workflow}`);
    if (workflow === undefined)
      throw new StoreError(`this process has no workflow ${claim.run.workflow}`, { code: "store-failed" });
    const { parent } = claim.run;
    const progress = await executeRun(claim, {
      store: this.store,
      workflow: workflow as unknown as Workflow<unknown>,
      inputSchema: this.inputSchema(workflow),
      leaseMs: this.#leaseMs,
      deps: this.#options.deps,
      showProgress: (event) => this.#bus.publish(runId, { kind: "progress", progress: event }),
      showStored: (events) => {
        for (const event of events) this.#bus.publish(runId, { kind: "stored", event });
      },
      checkInput: (child, input) => this.checkInput(child, input),
      startChild: async (run) => {
        await this.store.create(run);
        await this.#carrier.submit(run.id);
      },
      onActive: (run) => {
        if (run !== undefined) this.#active.set(runId, run);
        else if (this.#active.get(runId)?.isOver !== false) this.#active.delete(runId);
      },
    });
    if (progress === "done" && parent !== undefined) {
      await this.#active.get(parent.runId)?.refresh();
      await this.#carrier.submit(parent.runId);
    }
    return progress;
  }

  async #startSchedules(schedules: readonly Schedule[]): Promise<void> {
    for (const given of schedules) {
      if (!isSchedule(given)) throw new TypeError("openEngine() takes schedules, as schedule() makes them");
      // What no time could begin is found out now.
      await this.checkInput(this.workflow(given.workflow), given.input);
    }
    const { Scheduler } = await import("./scheduler.js");
    this.#scheduler = await Scheduler.start({
      schedules,
      store: this.store,
      submit: ({ workflow, input }, runId) => this.submit(workflow, input as never, { runId }),
      onError: (error) => this.#report(error),
    });
  }

  #report(error: unknown): void {
    if (this.#options.onError !== undefined) this.#options.onError(error);
    else process.emitWarning(error instanceof Error ? error : new Error(String(error)), { code: "CALLSIGN_ENGINE" });
  }
}

/** Opens the store, and begins to execute runs that are due: those that a crash left behind are among them. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const store = options.store ?? (await openDefaultStore());
  const engine = new Engine({ ...options, store });
  try {
    await engine.start();
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return engine;
}

async function openDefaultStore(): Promise<RunStore> {
  const { SqliteStore } = await import("./stores/sqlite-store.js");
  return SqliteStore.open(".callsign/runs.db");
}

/** What is no time counts as none in a store: everything would be pruned, and begin at once. */
function requireTime(date: Date, what: string): void {
  if (Number.isNaN(date.getTime())) throw new RangeError(`${what} takes a Date that is a time; this one is invalid`);
}

function engineStopped(runId: string, cause?: unknown): WorkflowError {
  return new WorkflowError(
    `the engine was stopped before the run ${runId} has ended; it goes on when an engine runs again`,
    { code: "engine-stopped", ...(cause === undefined ? {} : { cause }) },
  );
}

function runUnknown(runId: string): WorkflowError {
  return new WorkflowError(`there is no run ${JSON.stringify(runId)}`, { code: "run-unknown" });
}
