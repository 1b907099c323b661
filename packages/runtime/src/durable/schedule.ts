import { WorkflowError } from "./errors.js";
import { isWorkflow, type Workflow } from "./workflow.js";

export interface ScheduleTimes {
  /** Five fields (minute, hour, day, month, weekday) or six (seconds first): `0 9 * * 1-5`. */
  readonly cron?: string;
  /** Instead of `cron`: at every multiple of so many milliseconds since 1970. At least 1 000. */
  readonly everyMs?: number;
  /** Of `cron`, by its IANA name: `Europe/Berlin`. Default `UTC`. */
  readonly timeZone?: string;
}

export interface ScheduleOptions<Input> extends ScheduleTimes {
  /** Stands in the ids of its runs, and tells two schedules of one workflow apart. Default: the workflow's name. */
  readonly name?: string;
  /** Of every run. */
  readonly input?: Input;
  /** What becomes of a time at which a run of an earlier one has not ended. Default `skip`. */
  readonly overlap?: "skip" | "allow";
  /** What becomes of times at which no process was there: the latest of them is made up for, or none. Default `once`. */
  readonly missed?: "once" | "skip";
}

/** When runs of a workflow begin by themselves. */
export interface Schedule extends ScheduleTimes {
  readonly name: string;
  readonly workflow: Workflow<never, unknown>;
  readonly input: unknown;
  readonly overlap: "skip" | "allow";
  readonly missed: "once" | "skip";
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,127}$/;

/**
 * Has runs of a workflow begin at given times, when an engine has it among its `schedules`. Whatever number of
 * processes has the same one, each time begins one run.
 *
 * @throws {WorkflowError} `schedule-invalid`.
 *
 * @example
 * import { openEngine, schedule, workflow, type WorkflowContext } from "@callsign/runtime"
 *
 * const report = workflow("report", async (ctx: WorkflowContext<{ team: string }>) => `News of ${ctx.input.team}`)
 * const everyMorning = schedule(report, { cron: "0 9 * * 1-5", timeZone: "Europe/Berlin", input: { team: "harbour" } })
 * const engine = await openEngine({ workflows: [report], schedules: [everyMorning] })
 * await engine.stop()
 */
export function schedule<Input>(workflow: Workflow<Input, unknown>, options: ScheduleOptions<Input>): Schedule {
  if (!isWorkflow(workflow)) throw new TypeError("schedule() takes a workflow, as workflow() makes it, and its times");
  const { name = workflow.name, cron, everyMs, timeZone, input, overlap = "skip", missed = "once" } = options;
  const wrong: string[] = [];
  if (!NAME.test(name)) wrong.push(`the name ${JSON.stringify(name)} must be made of letters, digits, _, . and -`);
  if ((cron === undefined) === (everyMs === undefined)) wrong.push("give either cron or everyMs");
  if (everyMs !== undefined && !(Number.isSafeInteger(everyMs) && everyMs >= 1_000)) {
    wrong.push(`everyMs must be a whole number of milliseconds, 1 000 or more; got ${everyMs}`);
  }
  if (timeZone !== undefined && cron === undefined) wrong.push("timeZone goes with cron");
  if (!["skip", "allow"].includes(overlap)) wrong.push(`overlap must be "skip" or "allow"; got ${String(overlap)}`);
  if (!["once", "skip"].includes(missed)) wrong.push(`missed must be "once" or "skip"; got ${String(missed)}`);
  if (wrong.length > 0) throw scheduleInvalid(name, wrong);
  return {
    name,
    workflow,
    input,
    overlap,
    missed,
    ...(cron === undefined ? {} : { cron }),
    ...(everyMs === undefined ? {} : { everyMs }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}

export function isSchedule(value: unknown): value is Schedule {
  const { workflow, overlap, missed } = (typeof value === "object" && value !== null ? value : {}) as Partial<Schedule>;
  return isWorkflow(workflow) && overlap !== undefined && missed !== undefined;
}

export function scheduleInvalid(name: string, wrong: readonly string[]): WorkflowError {
  return new WorkflowError(`the schedule ${JSON.stringify(name)}: ${wrong.join("; ")}`, { code: "schedule-invalid" });
}

/** Where the times of a schedule lie. Milliseconds since 1970; undefined where there is none. */
export interface Times {
  /** The latest one that is not after `at`. */
  before(at: number): number | undefined;
  /** The next one. */
  after(at: number): number | undefined;
}

/** @throws {WorkflowError} `schedule-invalid`. */
export async function timesOf({ name, cron, everyMs, timeZone = "UTC" }: Schedule): Promise<Times> {
  if (everyMs !== undefined) {
    return {
      before: (at) => Math.floor(at / everyMs) * everyMs,
      after: (at) => (Math.floor(at / everyMs) + 1) * everyMs,
    };
  }
  // Only who has such a schedule loads it.
  const { Cron } = await import("croner");
  try {
    const pattern = new Cron(cron as string, { timezone: timeZone, paused: true });
    const times: Times = {
      before: (at) => pattern.previousRuns(1, new Date(at + 1))[0]?.getTime(),
      after: (at) => pattern.nextRun(new Date(at))?.getTime(),
    };
    if (times.after(Date.now()) === undefined) throw new Error(`${cron} never comes`);
    return times;
  } catch (error) {
    throw scheduleInvalid(name, [(error as Error).message]);
  }
}
