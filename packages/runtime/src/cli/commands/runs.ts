import { writeFile } from "node:fs/promises";
import type { LogEvent } from "../../durable/log-events.js";
import { runPages } from "../../durable/run-pages.js";
import { hasEnded, type RunRecord, type RunState } from "../../durable/run-store.js";
import { shownRun } from "../../server/shown-run.js";
import { type CommandInput, type CommandOptions, type ExitStatus, textOption, textOptions } from "../command.js";
import { describeRun, shownState, shownTime, workflowName } from "../describe-run.js";
import { findRun } from "../find-run.js";
import { openRuns } from "../open-store.js";
import { readAge } from "../read-age.js";
import { inOneLine } from "../show-activity.js";
import type { Terminal } from "../terminal.js";
import { UsageError } from "../usage-error.js";
import { waitingFor } from "../waiting-for.js";

const open = (options: CommandOptions) => openRuns(options, { cwd: process.cwd() });

/** `callsign runs list` */
export async function runRunsList({ options }: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  const { engine } = await open(options);
  const limit = readCount(options, "limit") ?? 20;
  const runs: RunRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list({
      ...queryOf(options),
      limit: Math.min(limit - runs.length, 1_000),
      ...(cursor === undefined ? {} : { cursor }),
    });
    runs.push(...page.runs);
    cursor = page.cursor;
  } while (cursor !== undefined && runs.length < limit);
  await engine.stop();
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ runs: runs.map(shownRun) }, null, 2)}\n`);
    return 0;
  }
  if (runs.length === 0) {
    terminal.error("there is no such run\n");
    return 0;
  }
  const width = Math.max(...runs.map(({ id }) => id.length));
  const names = Math.max(...runs.map((run) => workflowName(run).length));
  for (const run of runs) {
    const state = `${shownState(run.state, terminal.paint)}${" ".repeat(9 - run.state.length)}`;
    const row = `${run.id.padEnd(width)}  ${state}  ${shownTime(run.createdAt)}  ${workflowName(run).padEnd(names)}  ${inOneLine(run.input)}`;
    terminal.out(`${row.trimEnd()}\n`);
  }
  if (cursor !== undefined) terminal.error(`there are more; --limit shows them\n`);
  return 0;
}

/** `callsign runs show RUN` */
export async function runRunsShow(
  { arguments: [given = ""], options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { engine } = await open(options);
  const run = await findRun(engine, given);
  const events = await engine.log(run.id);
  const waiting = hasEnded(run.state) ? [] : ((await waitingFor(engine, run.id)) ?? []);
  await engine.stop();
  if (options.json === true) {
    const more = waiting.length === 0 ? {} : { waiting };
    terminal.out(`${JSON.stringify({ ...(shownRun(run) as object), ...more, events }, null, 2)}\n`);
    return 0;
  }
  terminal.out(`${describeRun(run, { waiting, paint: terminal.paint })}\n${describeLog(events)}`);
  return 0;
}

/** The log as a timeline: seconds since the first event. */
function describeLog(events: readonly LogEvent[]): string {
  const first = events[0]?.time ?? 0;
  const [types, names] = [
    Math.max(...events.map(({ type }) => type.length)),
    Math.max(...events.map(({ name = "" }) => name.length)),
  ];
  const rows = events.map(({ seq, time, type, name = "", value }) => {
    const at = `+${((time - first) / 1_000).toFixed(3)} s`;
    const columns = [
      String(seq).padStart(3),
      at.padStart(11),
      type.padEnd(types),
      name.padEnd(names),
      inOneLine(value),
    ];
    return `  ${columns.join("  ")}`.trimEnd();
  });
  return rows.length === 0 ? "" : `${rows.join("\n")}\n`;
}

/** `callsign runs export RUN` */
export async function runRunsExport(
  { arguments: [given = ""], options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { engine } = await open(options);
  const { id } = await findRun(engine, given);
  const text = `${JSON.stringify(await engine.export(id), null, 2)}\n`;
  await engine.stop();
  const out = textOption(options, "out");
  if (out === undefined) terminal.out(text);
  else {
    // It may hold what only the owner of the store should read.
    await writeFile(out, text, { mode: 0o600 });
    terminal.error(`wrote ${out}\n`);
  }
  return 0;
}

/** `callsign runs delete RUN…` */
export async function runRunsDelete(
  { arguments: given, options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { engine } = await open(options);
  // All are looked up first: with a wrong word among them nothing is deleted.
  const runs: RunRecord[] = [];
  for (const each of given) runs.push(await findRun(engine, each));
  const active = runs.filter(({ state }) => !hasEnded(state));
  if (active.length > 0) {
    await engine.stop();
    const ids = active.map(({ id, state }) => `${id} (${state})`).join(", ");
    throw new UsageError(
      `runs that have not ended are not deleted: ${ids}`,
      `\`callsign workflow cancel ${active[0]?.id}\` ends one first`,
    );
  }
  for (const { id } of runs) await engine.delete(id);
  await engine.stop();
  if (options.json === true) terminal.out(`${JSON.stringify({ deleted: runs.map(({ id }) => id) })}\n`);
  else terminal.error(`deleted ${runs.length === 1 ? runs[0]?.id : `${runs.length} runs`}\n`);
  return 0;
}

const ENDED: readonly RunState[] = ["COMPLETED", "FAILED", "CANCELLED"];

/** `callsign runs prune --older-than AGE` */
export async function runRunsPrune({ options }: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  const age = textOption(options, "older-than");
  if (age === undefined) {
    throw new UsageError("callsign runs prune needs --older-than AGE", "such as --older-than 30d; see --dry-run");
  }
  const endedBefore = Date.now() - readAge(age);
  const states = textOptions(options, "state").length === 0 ? ENDED : (textOptions(options, "state") as RunState[]);
  const isDry = options["dry-run"] === true;
  const { engine } = await open(options);
  const { state: _, ...query } = queryOf({ ...options, state: undefined });
  const found: RunRecord[] = [];
  for (const state of states) {
    for await (const page of runPages(engine, { ...query, state, endedBefore })) found.push(...page);
  }
  if (!isDry) for (const { id } of found) await engine.delete(id);
  await engine.stop();
  if (options.json === true) {
    const ids = found.map(({ id }) => id);
    terminal.out(`${JSON.stringify(isDry ? { wouldDelete: ids } : { deleted: ids })}\n`);
    return 0;
  }
  if (isDry) for (const run of found) terminal.out(`${run.id}  ${run.state}  ${shownTime(run.updatedAt)}\n`);
  const count = `${found.length} ${found.length === 1 ? "run" : "runs"}`;
  terminal.error(isDry ? `${count} would be deleted\n` : `deleted ${count}\n`);
  return 0;
}

function queryOf(options: CommandOptions): { state?: RunState; workflow?: string; namespace?: string } {
  const [state, name] = [textOption(options, "state"), textOption(options, "workflow")];
  const slash = name?.lastIndexOf("/") ?? -1;
  return {
    ...(state === undefined ? {} : { state: state as RunState }),
    ...(name === undefined
      ? {}
      : { workflow: name.slice(slash + 1), namespace: slash < 0 ? "default" : name.slice(0, slash) }),
  };
}

function readCount(options: CommandOptions, name: string): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} is ${JSON.stringify(text)}`, "give a whole number, 1 or more");
}
