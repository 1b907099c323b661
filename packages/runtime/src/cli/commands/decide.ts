import { userInfo } from "node:os";
import type { Engine } from "../../durable/engine.js";
import { hasEnded, type RunRecord } from "../../durable/run-store.js";
import { carryOn, openProjectEngine } from "../carry-on.js";
import { type CommandInput, type ExitStatus, textOption, textOptions } from "../command.js";
import { workflowName } from "../describe-run.js";
import { findModules } from "../find-modules.js";
import { findRun, rootOf } from "../find-run.js";
import { loadProject } from "../load-project.js";
import { openRuns, openStore } from "../open-store.js";
import { asCall } from "../show-activity.js";
import type { Terminal } from "../terminal.js";
import { waitingFor } from "../waiting-for.js";

/** `callsign approve RUN` */
export function runApprove(input: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  return decide("approve", input, terminal);
}

/** `callsign reject RUN` */
export function runReject(input: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  return decide("reject", input, terminal);
}

async function decide(
  how: "approve" | "reject",
  { arguments: words, options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const cwd = process.cwd();
  const { engine: answering, isShared } = await openRuns(options, { cwd });
  const run = await whoWaits(answering, await findRun(answering, words[0] ?? ""));
  const root = await rootOf(answering, run);
  const { length: from } = await answering.store.load(root.id);
  const pending = await answering.approvals(run.id);
  const [taskId, reason] = [textOption(options, "task"), textOption(options, "reason")];
  await answering[how](run.id, {
    ...(taskId === undefined ? {} : { taskId }),
    ...(reason === undefined ? {} : { reason }),
    by: textOption(options, "by") ?? userName(),
  });
  const left = await answering.approvals(run.id);
  await answering.stop();
  const decided = pending.find((each) => !left.some((other) => other.taskId === each.taskId));
  const done = how === "approve" ? "approved" : "rejected";
  if (options.json !== true) {
    const call = decided === undefined ? "the call" : asCall(decided.name, decided.args);
    terminal.error(`${terminal.paint("error", how === "approve" ? "green" : "red", done)} ${call}\n`);
  }
  const elsewhere = (why: string): ExitStatus => {
    if (options.json === true) terminal.out(`${JSON.stringify({ runId: run.id, [done]: decided?.taskId ?? true })}\n`);
    else terminal.error(`${why}\n`);
    return 0;
  };
  const goesOn = `the run goes on where \`callsign serve\` or another engine has this store; here by\n    callsign workflow resume ${root.id}`;
  if (options.detach === true) return elsewhere(goesOn);
  // Several machines share such a store: the one that decides need not be one that executes.
  if (isShared) return elsewhere(goesOn);
  const paths = findModules(textOptions(options, "module"), cwd);
  if (paths.length === 0) return elsewhere(`no module is found here that could carry the run on; ${goesOn}`);
  const project = await loadProject(paths, cwd);
  const isKnown = project.workflows.some(
    ({ name, namespace }) => name === root.workflow && namespace === root.namespace,
  );
  if (!isKnown) return elsewhere(`${project.modules.join(", ")} exports no workflow ${workflowName(root)}; ${goesOn}`);
  const store = await openStore(options, { cwd, create: false });
  const { engine, carrier } = await openProjectEngine(project, store, { terminal, debug: options.debug === true });
  const begin = async (): Promise<void> => {
    await carrier.submit(run.id);
    await carrier.submit(root.id);
  };
  return carryOn(engine, root.id, { options, terminal, from, begin });
}

/** The run itself, or the only one of those that it called which waits for a decision. */
async function whoWaits(engine: Engine, run: RunRecord): Promise<RunRecord> {
  if (hasEnded(run.state) || (await engine.approvals(run.id)).length > 0) return run;
  const inside = ((await waitingFor(engine, run.id)) ?? []).filter(({ approvals }) => approvals.length > 0);
  const [only] = inside;
  return only !== undefined && inside.length === 1 ? engine.get(only.runId) : run;
}

/** Who is logged in; the log is to say who decided. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "command line";
  }
}
