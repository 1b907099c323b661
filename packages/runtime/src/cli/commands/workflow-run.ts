import { faultOfRunId } from "../../durable/run-id.js";
import { carryOn, openProjectEngine } from "../carry-on.js";
import { type CommandInput, type ExitStatus, textOption } from "../command.js";
import { openStore } from "../open-store.js";
import { readInput } from "../read-input.js";
import type { Terminal } from "../terminal.js";
import { UsageError } from "../usage-error.js";
import { findWorkflow, openProject } from "./project.js";

/** `callsign workflow run NAME [INPUT]` */
export async function runWorkflowRun(
  { arguments: words, options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const [name = "", given] = words;
  const runId = textOption(options, "run-id") ?? crypto.randomUUID();
  const fault = faultOfRunId(runId);
  if (fault !== undefined) throw new UsageError(`--run-id ${fault}`, "give another one, or leave it out for a new one");
  const input = await readInput(given, terminal);
  const project = await openProject(options);
  const workflow = findWorkflow(project, name);
  const store = await openStore(options, { cwd: process.cwd(), create: true });
  const { engine } = await openProjectEngine(project, store, { terminal, debug: options.debug === true });
  const checked = await engine.checkInput(workflow, input);
  if (options.detach === true) {
    // Not submitted: nobody here is to execute it.
    const { namespace, name: workflowName } = workflow;
    const { state } = await store.store.create({ id: runId, namespace, workflow: workflowName, input: checked });
    await engine.stop();
    terminal.out(options.json === true ? `${JSON.stringify({ runId, state })}\n` : `${runId}\n`);
    return 0;
  }
  if (options.json !== true && options.quiet !== true) {
    terminal.error(terminal.paint("error", "dim", `run ${runId} of ${name}\n`));
  }
  return carryOn(engine, runId, {
    options,
    terminal,
    from: 0,
    begin: async () => {
      await engine.submit(workflow, input as never, { runId });
    },
  });
}
