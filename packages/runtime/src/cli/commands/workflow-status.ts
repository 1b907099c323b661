import { hasEnded } from "../../durable/run-store.js";
import { shownRun } from "../../server/shown-run.js";
import type { CommandInput, ExitStatus } from "../command.js";
import { describeRun } from "../describe-run.js";
import { findRun } from "../find-run.js";
import { openRuns } from "../open-store.js";
import type { Terminal } from "../terminal.js";
import { waitingFor } from "../waiting-for.js";

/** `callsign workflow status RUN` */
export async function runWorkflowStatus(
  { arguments: [given = ""], options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { engine } = await openRuns(options, { cwd: process.cwd() });
  const run = await findRun(engine, given);
  const waiting = hasEnded(run.state) ? [] : ((await waitingFor(engine, run.id)) ?? []);
  await engine.stop();
  terminal.out(
    options.json === true
      ? `${JSON.stringify({ ...(shownRun(run) as object), ...(waiting.length === 0 ? {} : { waiting }) }, null, 2)}\n`
      : describeRun(run, { waiting, paint: terminal.paint }),
  );
  return 0;
}
