import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { RunRecord, RunStore } from "../../src/index.js";

/** Where a process dies: inside a task, inside an append, with an end recorded that nobody has got, during a pause, anywhere. */
export const PLACES = ["task", "append", "recorded", "pause", "any"] as const;
export type Place = (typeof PLACES)[number];

const KINDS = ["sequential", "agents", "branches", "nested", "retries", "pauses"] as const;
type Kind = (typeof KINDS)[number];
/** What each kind of workflow gives however often it was killed. */
const RESULTS: Readonly<Record<Kind, unknown>> = {
  sequential: ["S0", "S1", "S2", "S3", "S4"],
  agents: ["all done", "AFTER"],
  branches: ["A", "B", "C"].map((branch) => [`${branch}1`, `${branch}2`, "SAME"]),
  nested: [["IN-X", "IN-2"], ["IN-Y", "IN-2"], "LAST"],
  retries: ["string", "AFTER"],
  pauses: ["BEFORE", "go", "BESIDE", "AFTER"],
};
/** A task that fails is begun again, so often at most. */
const MOST_TRIES = 4;

export interface KillSuite {
  /** What the worker opens. */
  readonly address: string;
  /** Where the worker notes what it really does. */
  readonly ledger: string;
  /** The same store, seen from outside. */
  readonly store: RunStore;
  readonly kills: number;
  readonly seed: number;
  /** Nothing drawn: only this kind of workflow, killed at the so manieth time that it comes to the place. */
  readonly only?: { readonly kind: Kind; readonly place: Place; readonly number: number };
  /** A fault that the worker's store is given, for a test of this suite. */
  readonly fault?: "forget" | "lose";
  /** How long the run is waited for in the end. Default 30 000 ms. */
  readonly patienceMs?: number;
}

export interface KillFigures {
  readonly places: Readonly<Record<Place, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  readonly runs: number;
  /** Tasks and model calls that were begun again although their end was recorded. */
  readonly repeated: readonly string[];
  /** Runs that did not end, or ended wrongly. */
  readonly lost: readonly string[];
}

/** Kills real processes, each at a place of its own, and looks at what comes of their runs. */
export async function killProcesses(suite: KillSuite): Promise<KillFigures> {
  const { kills, seed } = suite;
  const random = randomFrom(seed);
  const places: Record<Place, number> = { task: 0, append: 0, recorded: 0, pause: 0, any: 0 };
  const kinds: Record<string, number> = {};
  const repeated: string[] = [];
  const lost: string[] = [];
  let count = 0;
  let runs = 0;
  while (count < kills) {
    // Some runs end before their process can be killed: the place with the fewest deaths is next.
    const place = suite.only?.place ?? PLACES.reduce((least, each) => (places[each] < places[least] ? each : least));
    const drawn = place === "pause" ? "pauses" : (KINDS[Math.floor(random() * KINDS.length)] as Kind);
    const kind = suite.only?.kind ?? drawn;
    const runId = `${kind}-${seed}-${runs}`;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    const marks: Mark[] = [];
    for (let deaths = 1 + Math.floor(random() * 2); deaths > 0 && count < kills; deaths -= 1) {
      const isOver = await liveAndDie(suite, { place, kind, runId, random });
      if (isOver) break;
      places[place] += 1;
      count += 1;
      marks.push(await mark(suite, runId));
    }
    const run = await finish(suite, { kind, runId, seed: runs });
    if (run?.state !== "COMPLETED") lost.push(`${runId} is ${run?.state ?? "not there"} ${JSON.stringify(run?.error)}`);
    else if (!isDeepStrictEqual(run.result, RESULTS[kind])) lost.push(`${runId} gave ${JSON.stringify(run.result)}`);
    marks.push(await mark(suite, runId));
    repeated.push(...findRepeated(suite, marks));
    if (kind === "sequential") repeated.push(...findDisorder(suite, runId));
    runs += 1;
  }
  for (const line of existsSync(suite.ledger) ? readFileSync(suite.ledger, "utf8").split("\n") : []) {
    if (line.startsWith("error ")) lost.push(line);
  }
  return { places, kinds, runs, repeated, lost };
}

/** What was recorded when the ledger was so long. */
export interface Mark {
  readonly ledgerLength: number;
  readonly recorded: ReadonlyMap<string, number>;
  /** When the end of each was recorded; the first one of those with the same name. */
  readonly endedAt: ReadonlyMap<string, number>;
  /** When a process took the run up again, by the id of the run. */
  readonly resumedAt: ReadonlyMap<string, readonly number[]>;
}

export async function mark({ ledger, store }: Pick<KillSuite, "ledger" | "store">, runId: string): Promise<Mark> {
  const recorded = new Map<string, number>();
  const endedAt = new Map<string, number>();
  const resumedAt = new Map<string, number[]>();
  const visit = async (id: string): Promise<void> => {
    for (const { type, taskId = "", name, value, time } of await store.load(id)) {
      if (type === "WORKFLOW_RESUMED") resumedAt.set(id, [...(resumedAt.get(id) ?? []), time]);
      const child = (value as { runId?: string } | undefined)?.runId;
      if (type === "TASK_STARTED" && child !== undefined) await visit(child);
      if (type !== "TASK_COMPLETED" && type !== "TASK_FAILED") continue;
      const what = nameInLedger(taskId, name, value);
      if (what === undefined) continue;
      const key = `${id} ${what}`;
      recorded.set(key, (recorded.get(key) ?? 0) + 1);
      if (!endedAt.has(key)) endedAt.set(key, time);
    }
  };
  await visit(runId);
  return { ledgerLength: existsSync(ledger) ? readFileSync(ledger, "utf8").length : 0, recorded, endedAt, resumedAt };
}

function nameInLedger(taskId: string, name: string | undefined, value: unknown): string | undefined {
  const turn = /\/llm_(\d+)$/.exec(taskId)?.[1];
  if (turn !== undefined) return `model ${turn}`;
  if (name === "tool") return `tool ${(value as { result: string }).result.toLowerCase()}`;
  if (name === "flaky") return "try";
  return name === "step" ? String(value).toLowerCase() : undefined;
}

/**
 * Between two marks nothing is begun more often than there was still to do at the first of them. A process that was held up
 * for longer than its lease may have lost the run: what was under way then is begun once more by whoever took it up.
 */
function findRepeated({ ledger }: KillSuite, marks: readonly Mark[]): string[] {
  const text = existsSync(ledger) ? readFileSync(ledger, "utf8") : "";
  const last = marks.at(-1);
  const found: string[] = [];
  for (const [index, { ledgerLength, recorded }] of marks.slice(0, -1).entries()) {
    const part = text.slice(ledgerLength, marks[index + 1]?.ledgerLength);
    const begun = new Map<string, number[]>();
    for (const line of part.split("\n")) {
      const [, name, at] = /^start (.*) at (\d+)$/.exec(line) ?? [];
      if (name !== undefined) begun.set(name, [...(begun.get(name) ?? []), Number(at)]);
    }
    for (const [name, times] of begun) {
      const open = Math.max(last?.recorded.get(name) ?? 0, 1) - (recorded.get(name) ?? 0);
      const most = name.endsWith(" try") ? open * MOST_TRIES : open;
      if (times.length <= most || isForLostLeases(name, times, last)) continue;
      const ended = last?.endedAt.get(name);
      found.push(`${name}: begun ${times.length} times, ${open} open; at ${times.join(", ")}, recorded at ${ended}`);
    }
  }
  return found;
}

/** Each begin but the first comes after the run was taken up anew, and none after the end was recorded. */
function isForLostLeases(name: string, times: readonly number[], last: Mark | undefined): boolean {
  const [runId = ""] = name.split(" ");
  const resumed = last?.resumedAt.get(runId) ?? [];
  const ended = last?.endedAt.get(name) ?? Number.POSITIVE_INFINITY;
  return times.every((time, index) => {
    const before = times[index - 1];
    if (time > ended) return false;
    return before === undefined || resumed.some((at) => at >= before && at <= time);
  });
}

/** A step that was begun proves that the one before it was acknowledged, whatever the store says afterwards. */
function findDisorder({ ledger }: KillSuite, runId: string): string[] {
  const begun = readFileSync(ledger, "utf8")
    .split("\n")
    .flatMap((line) => /^start (\S+) (s\d) at/.exec(line)?.slice(1, 3) ?? []);
  const steps = begun.filter((_, index) => index % 2 === 1 && begun[index - 1] === runId);
  return steps.flatMap((step, index) =>
    step < (steps[index - 1] ?? "") ? [`${runId} ${step}: begun after ${steps[index - 1]}`] : [],
  );
}

interface Life {
  readonly kind: string;
  readonly runId: string;
}

/** @returns Whether the run had ended before the process could be killed. */
async function liveAndDie(
  { address, ledger, store, fault, only }: KillSuite,
  life: Life & { readonly place: Place; readonly random: () => number },
): Promise<boolean> {
  const { place, kind, runId, random } = life;
  const inside = place === "pause" || place === "any" ? "never" : place;
  const number = only?.number ?? 1 + Math.floor(random() * (place === "task" ? 4 : 7));
  const worker = await startWorker([
    address,
    ledger,
    inside,
    String(number),
    String(Math.floor(random() * 1e9)),
    fault ?? "",
  ]);
  await worker.tell(`submit ${kind} ${runId}`);
  if (place === "any") {
    await Promise.race([worker.died, sleep(random() * 80)]);
    worker.kill();
  }
  const deadline = Date.now() + 10_000;
  while (!worker.isDead()) {
    const run = await store.get(runId);
    if (run?.state === "PAUSED" && run.waitingFor.length > 0 && place === "pause") worker.kill();
    else if (run?.state === "PAUSED" && run.waitingFor.length > 0) await worker.tell(`resume ${runId} go`);
    else if (run?.state === "COMPLETED" || run?.state === "FAILED" || Date.now() > deadline) {
      await worker.stop();
      return true;
    }
    await Promise.race([worker.died, sleep(5)]);
  }
  return false;
}

async function finish(
  { address, ledger, store, fault, patienceMs = 30_000 }: KillSuite,
  { kind, runId, seed }: Life & { seed: number },
): Promise<RunRecord | null> {
  const worker = await startWorker([address, ledger, "never", "0", String(seed), fault ?? ""]);
  // A start that was killed before it was stored is made again by whoever made it.
  await worker.tell(`submit ${kind} ${runId}`);
  const deadline = Date.now() + patienceMs;
  let run: RunRecord | null = null;
  while (Date.now() < deadline) {
    run = await store.get(runId);
    if (run?.state === "COMPLETED" || run?.state === "FAILED") break;
    if (run?.state === "PAUSED" && run.waitingFor.some((key) => key.startsWith("pause:"))) {
      await worker.tell(`resume ${runId} go`);
    }
    await sleep(5);
  }
  await worker.stop();
  return run;
}

export interface Worker {
  readonly died: Promise<void>;
  isDead(): boolean;
  kill(): void;
  /** Waits until the command was carried out, or the worker is dead. */
  tell(command: string): Promise<void>;
  stop(): Promise<void>;
}

const script = fileURLToPath(new URL("kill-worker.mjs", import.meta.url));

export async function startWorker(args: readonly string[]): Promise<Worker> {
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", script, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let isDead = false;
  let output = "";
  const waiting = new Set<{ readonly line: string; resolve(): void }>();
  const died = new Promise<void>((resolve) => {
    child.once("exit", () => {
      isDead = true;
      for (const entry of waiting) entry.resolve();
      resolve();
    });
  });
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
    for (const entry of [...waiting]) {
      if (!output.split("\n").includes(entry.line)) continue;
      waiting.delete(entry);
      entry.resolve();
    }
  });
  child.stdin?.on("error", () => {});
  const waitFor = (line: string): Promise<void> =>
    new Promise((resolve) => {
      if (isDead || output.split("\n").includes(line)) resolve();
      else waiting.add({ line, resolve });
    });
  await waitFor("ready");
  if (isDead && args[2] === "never") throw new Error("the worker has died before it was ready");
  return {
    died,
    isDead: () => isDead,
    kill: () => void child.kill("SIGKILL"),
    tell: (command) => {
      output = output.replaceAll(`did ${command}\n`, "");
      child.stdin?.write(`${command}\n`);
      return waitFor(`did ${command}`);
    },
    stop: async () => {
      child.stdin?.write("stop\n");
      await Promise.race([died, sleep(15_000)]);
      if (!isDead) child.kill("SIGKILL");
      await died;
    },
  };
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
