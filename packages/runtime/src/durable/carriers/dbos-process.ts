import { randomUUID } from "node:crypto";
import type { DBOS, DBOSClient, WorkflowStatus } from "@dbos-inc/dbos-sdk";
import type { Pool } from "pg";
import { WorkflowError } from "../errors.js";
import { loadPeer } from "../load-peer.js";
import { processName } from "../process-name.js";
import { Executors } from "./executors.js";

type Sdk = { readonly DBOS: typeof DBOS; readonly DBOSClient: typeof DBOSClient };

/** What every carrier of a process shares: DBOS can be launched once in it. */
export interface DbosProcessOptions {
  readonly url: string;
  readonly schema: string;
  readonly dbosSchema: string;
  readonly applicationVersion: string;
  readonly lookMs: number;
  readonly staleMs: number;
}

/** What `DbosProcess` asks of a carrier. */
export interface Carrying {
  readonly queue: string;
  readonly limits: { readonly perProcess: number; readonly inAll: number | undefined; readonly pollMs: number };
  /** Does what a wake of a run is for. @returns What came of it, for the tables of DBOS. */
  carry(wake: Wake): Promise<string>;
  /** Looks for runs that nobody carries. */
  look(): Promise<void>;
  onError(error: unknown): void;
}

/** One DBOS workflow: it says that a run may be due. */
export interface Wake {
  readonly id: string;
  readonly runId: string;
}

/** The only DBOS workflow there is. Runs that are under way in the tables have this name: it never changes. */
const WAKE_WORKFLOW = "callsign_wake";
const APPLICATION = "callsign";
/** Wakes that are over are kept so long, for people who look at the tables. */
const KEEP_WAKES_MS = 60 * 60_000;
const TIDY_EVERY_MS = 60_000;

let opened: { readonly key: string; readonly process: DbosProcess } | undefined;
/** Opening and closing wait for each other. */
let turn: Promise<unknown> = Promise.resolve();
let isRegistered = false;

/** DBOS, launched in this process for as long as a carrier needs it. */
export class DbosProcess {
  readonly #sdk: Sdk;
  readonly #pool: Pool;
  readonly #client: DBOSClient;
  readonly #executors: Executors;
  readonly #options: DbosProcessOptions;
  readonly #carriers = new Set<Carrying>();
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #tidiedAt = 0;
  #isClosing = false;

  private constructor(
    sdk: Sdk,
    pool: Pool,
    given: { client: DBOSClient; executors: Executors; options: DbosProcessOptions },
  ) {
    this.#sdk = sdk;
    this.#pool = pool;
    this.#client = given.client;
    this.#executors = given.executors;
    this.#options = given.options;
  }

  /**
   * Adds a carrier to this process's DBOS, which is launched for the first one.
   *
   * @throws {WorkflowError} `dbos-in-use` when DBOS was launched here with other settings, or by somebody else.
   */
  static join(carrier: Carrying, options: DbosProcessOptions): Promise<DbosProcess> {
    return inTurn(async () => {
      const key = JSON.stringify(options);
      if (opened !== undefined && opened.key !== key) {
        throw inUse("another DbosCarrier of this process has other settings (url, schemas, applicationVersion, times)");
      }
      opened ??= { key, process: await DbosProcess.#launch(options, carrier.onError) };
      await opened.process.#add(carrier);
      return opened.process;
    });
  }

  static async #launch(options: DbosProcessOptions, onError: (error: unknown) => void): Promise<DbosProcess> {
    const { url, schema, dbosSchema, applicationVersion } = options;
    const sdk: Sdk = await loadPeer(() => import("@dbos-inc/dbos-sdk"), {
      name: "@dbos-inc/dbos-sdk",
      what: "DbosCarrier",
    });
    const { DBOS, DBOSClient } = sdk;
    if (DBOS.isInitialized()) throw inUse("DBOS was launched in this process by other code");
    const { default: pg } = await loadPeer(() => import("pg"), { name: "pg", what: "DbosCarrier" });
    const pool = new pg.Pool({ connectionString: url, max: 4 });
    pool.on("error", () => {});
    const id = randomUUID();
    const executors = new Executors(pool, { schema, id, process: processName() });
    try {
      const logger = quietLogger((error) => {
        if (opened === undefined) onError(error);
        else opened.process.#report(error);
      });
      const shared = { systemDatabaseSchemaName: dbosSchema, logger } as const;
      if (!isRegistered) {
        DBOS.registerWorkflow((queue: string, runId: string) => receive(queue, { id: DBOS.workflowID ?? "", runId }), {
          name: WAKE_WORKFLOW,
        });
        isRegistered = true;
      }
      DBOS.setConfig({
        ...shared,
        name: APPLICATION,
        systemDatabaseUrl: url,
        systemDatabasePoolSize: 5,
        applicationVersion,
        executorID: id,
        tracingEnabled: false,
        enableOTLP: false,
      });
      await executors.migrate(schema, () => DBOS.launch());
      const client = await DBOSClient.create({
        ...shared,
        systemDatabaseUrl: url,
        systemDatabasePool: pool,
        applicationName: APPLICATION,
      });
      return new DbosProcess(sdk, pool, { client, executors, options });
    } catch (error) {
      await DBOS.shutdown().catch(() => {});
      await executors.leave().catch(() => {});
      await pool.end();
      throw error;
    }
  }

  async #add(carrier: Carrying): Promise<void> {
    const { perProcess, inAll, pollMs } = carrier.limits;
    this.#carriers.add(carrier);
    await this.#client.registerQueue(carrier.queue, {
      workerConcurrency: perProcess,
      ...(inAll === undefined ? {} : { globalConcurrency: inAll }),
      minPollingIntervalMs: pollMs,
      onConflict: "always_update",
      applicationName: APPLICATION,
    });
    if (this.#timer !== undefined) return;
    const look = (): void => {
      this.#looking ??= this.#look()
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          this.#looking = undefined;
        });
    };
    this.#timer = setInterval(look, this.#options.lookMs);
    look();
  }

  /** Takes a carrier away; the last one ends DBOS here, once its wakes are over or the time is. */
  leave(carrier: Carrying, timeoutMs: number): Promise<void> {
    return inTurn(async () => {
      if (!this.#carriers.has(carrier)) return;
      if (this.#carriers.size > 1) {
        this.#carriers.delete(carrier);
        return;
      }
      this.#isClosing = true;
      clearInterval(this.#timer);
      await this.#looking;
      await this.#sdk.DBOS.shutdown({ workflowCompletionTimeoutMS: timeoutMs });
      this.#carriers.delete(carrier);
      opened = undefined;
      // What is not over has an end when this process is seen to be gone.
      const left = await this.#wakes({ executorId: this.#executors.id, status: "PENDING", limit: 1 });
      if (left.length === 0) await this.#executors.leave();
      await this.#client.destroy();
      await this.#pool.end();
    });
  }

  /** Makes a wake. One with the same id is made once, ever. */
  async wake(queue: string, { id, runId }: Wake, delayMs: number): Promise<void> {
    await this.#client.enqueue(
      {
        queueName: queue,
        workflowName: WAKE_WORKFLOW,
        workflowID: id,
        appVersion: this.#options.applicationVersion,
        ...(delayMs > 0 ? { delaySeconds: delayMs / 1_000 } : {}),
      },
      queue,
      runId,
    );
  }

  /** The ids of wakes that are about to be, or are, taken. */
  async liveWakes(queue: string): Promise<readonly string[]> {
    const wakes = await this.#wakes({ queueName: queue, status: ["ENQUEUED", "PENDING"] });
    return wakes.map(({ workflowID }) => workflowID);
  }

  /** A carrier of the queue that goes on; each in turn. */
  pick(queue: string): Carrying | undefined {
    const able = [...this.#carriers].filter((carrier) => carrier.queue === queue);
    this.#next += 1;
    return able[this.#next % able.length];
  }

  #report(error: unknown): void {
    const [first] = this.#carriers;
    if (!this.#isClosing) first?.onError(error);
  }

  async #look(): Promise<void> {
    await this.#executors.beat();
    await this.#executors.inTurn(async () => {
      await this.#takeOver();
      for (const carrier of this.#carriers) await carrier.look();
      await this.#tidy();
    });
  }

  /** Gives wakes to others that were taken by processes of which nothing is seen any more. */
  async #takeOver(): Promise<void> {
    // Before the processes: who has taken a wake by now is known by then.
    const wakes = await this.#wakes({ status: "PENDING" });
    const living = await this.#executors.living(this.#options.staleMs);
    const left = wakes.filter(({ executorId }) => executorId === undefined || !living.has(executorId));
    for (const [queueName, found] of Map.groupBy(left, (wake) => wake.queueName)) {
      const ids = found.map(({ workflowID }) => workflowID);
      await this.#client.resumeWorkflows(ids, queueName === undefined ? {} : { queueName });
    }
  }

  async #tidy(): Promise<void> {
    if (Date.now() - this.#tidiedAt < TIDY_EVERY_MS) return;
    this.#tidiedAt = Date.now();
    const over = await this.#wakes({
      status: ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
      endTime: new Date(Date.now() - KEEP_WAKES_MS).toISOString(),
      limit: 1_000,
    });
    if (over.length > 0) await this.#client.deleteWorkflows(over.map(({ workflowID }) => workflowID));
  }

  #wakes(query: Parameters<DBOSClient["listWorkflows"]>[0]): Promise<readonly WorkflowStatus[]> {
    return this.#client.listWorkflows({ ...query, workflowName: WAKE_WORKFLOW, loadInput: false, loadOutput: false });
  }
}

async function receive(queue: string, wake: Wake): Promise<string> {
  const carrier = opened?.process.pick(queue);
  // Left to be taken over: it is not said to be done.
  if (carrier === undefined) throw new Error(`no carrier of the queue ${queue} is open in this process`);
  return carrier.carry(wake);
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = turn.then(work);
  turn = result.catch(() => {});
  return result;
}

function inUse(why: string): WorkflowError {
  return new WorkflowError(
    `DBOS runs once in a process, and ${why}; give them the same settings, or processes of their own`,
    {
      code: "dbos-in-use",
    },
  );
}

/** DBOS says much on the console by itself; only what went wrong is passed on. */
function quietLogger(onError: (error: unknown) => void) {
  const nothing = (): void => {};
  return {
    info: nothing,
    debug: nothing,
    warn: nothing,
    error: (entry: unknown, metadata?: { readonly error?: unknown }) =>
      onError(metadata?.error ?? (entry instanceof Error ? entry : new Error(`DBOS: ${String(entry)}`))),
  };
}
