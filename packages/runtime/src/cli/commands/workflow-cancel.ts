import { openEngine } from "../../durable/engine.js";
import { hasEnded } from "../../durable/run-store.js";
import { workflow } from "../../durable/workflow.js";
import { shownRun } from "../../server/shown-run.js";
import { ChosenCarrier } from "../chosen-carrier.js";
import type { CommandInput, ExitStatus } from "../command.js";
import { findRun } from "../find-run.js";
import { openRuns, openStore } from "../open-store.js";
import type { Terminal } from "../terminal.js";

/** So long the process that has a run is waited for. */
const PATIENCE_MS = 5_000;

/** `callsign workflow cancel RUN` */
export async function runWorkflowCancel(
  { arguments: [given = ""], options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const cwd = process.cwd();
  const { engine: answering } = await openRuns(options, { cwd });
  const run = await findRun(answering, given);
  if (hasEnded(run.state)) {
    await answering.stop();
    if (options.json === true) terminal.out(`${JSON.stringify(shownRun(run))}\n`);
    else terminal.error(`the run ${run.id} has ended already: ${run.state}\n`);
    return 0;
  }
  await answering.cancel(run.id);
  await answering.stop();
  const { store } = await openStore(options, { cwd, create: false });
  const carrier = new ChosenCarrier(store);
  // A run that is cancelled ends before its body begins, so this one is never called.
  const body = async (): Promise<never> => {
    throw new Error("the run was cancelled");
  };
  const engine = await openEngine({
    workflows: [workflow({ name: run.workflow, namespace: run.namespace }, body)],
    store,
    carrier,
    onError: () => {},
  });
  await carrier.submit(run.id);
  for await (const _ of engine.events(run.id, { signal: AbortSignal.timeout(PATIENCE_MS) })) {
    // Until it has ended.
  }
  const after = await engine.get(run.id);
  await engine.stop();
  if (options.json === true) terminal.out(`${JSON.stringify(shownRun(after))}\n`);
  else if (after.state === "CANCELLED") terminal.error(`the run ${run.id} is cancelled\n`);
  else if (hasEnded(after.state)) terminal.error(`the run ${run.id} had ended before: ${after.state}\n`);
  else terminal.error(`the run ${run.id} is being cancelled by the process that has it\n`);
  return 0;
}
