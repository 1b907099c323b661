import { pendingPauses } from "../../durable/decisions.js";
import { hasEnded } from "../../durable/run-store.js";
import { carryOn, openProjectEngine, printResult } from "../carry-on.js";
import { type CommandInput, type ExitStatus, textOption } from "../command.js";
import { describeWaiting, workflowName } from "../describe-run.js";
import { findRun, rootOf } from "../find-run.js";
import { openStore } from "../open-store.js";
import { readInput } from "../read-input.js";
import type { Terminal } from "../terminal.js";
import { UsageError } from "../usage-error.js";
import { waitingFor } from "../waiting-for.js";
import { findWorkflow, openProject } from "./project.js";

/** `callsign workflow resume RUN [VALUE]` */
export async function runWorkflowResume(
  { arguments: words, options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const [given = "", valueText] = words;
  const value = await readInput(valueText, terminal);
  const name = textOption(options, "name");
  const opened = await openStore(options, { cwd: process.cwd(), create: false });
  const project = await openProject(options);
  const { engine, carrier } = await openProjectEngine(project, opened, { terminal, debug: options.debug === true });
  const run = await findRun(engine, given);
  if (hasEnded(run.state)) {
    await engine.stop();
    if (run.state === "COMPLETED" && value === undefined) {
      terminal.error(`the run ${run.id} has completed already\n`);
      if (options.json !== true) printResult(run.result, terminal);
      return 0;
    }
    throw new UsageError(`the run ${run.id} has ended: ${run.state}`, `\`callsign runs show ${run.id}\` shows its log`);
  }
  const root = await rootOf(engine, run);
  findWorkflow(project, workflowName(root));
  const pauses = pendingPauses(await engine.store.load(run.id));
  const isGiven = value !== undefined || name !== undefined;
  const waiting = isGiven ? [] : await waitingFor(engine, root.id);
  if (!isGiven && pauses.length === 0 && waiting !== undefined && waiting.length > 0) {
    await engine.stop();
    terminal.error(`the run ${root.id} waits for a person\n${describeWaiting(waiting).join("\n")}\n`);
    return 3;
  }
  const { length: from } = await engine.store.load(root.id);
  return carryOn(engine, root.id, {
    options,
    terminal,
    from,
    begin: async () => {
      if (isGiven || pauses.length > 0) {
        await engine.resume(run.id, { value: value ?? null, ...(name === undefined ? {} : { name }) });
      }
      await carrier.submit(root.id);
    },
  });
}
