import { type Engine, openEngine } from "../durable/engine.js";
import { ChosenCarrier } from "./chosen-carrier.js";
import type { CommandOptions, ExitStatus } from "./command.js";
import { describeFailure } from "./describe-failure.js";
import { describeWaiting } from "./describe-run.js";
import { followRun } from "./follow-run.js";
import type { Project } from "./load-project.js";
import type { OpenStore } from "./open-store.js";
import { jsonActivity, textActivity } from "./show-activity.js";
import type { Terminal } from "./terminal.js";
import { withSignals } from "./with-signals.js";
import { withoutControls } from "./without-controls.js";

/** An engine for the project's workflows that executes only what it is asked for. */
export async function openProjectEngine(
  project: Project,
  { store }: OpenStore,
  { terminal, debug }: { readonly terminal: Terminal; readonly debug: boolean },
): Promise<{ readonly engine: Engine; readonly carrier: ChosenCarrier }> {
  const carrier = new ChosenCarrier(store);
  const engine = await openEngine({
    workflows: project.workflows,
    store,
    carrier,
    deps: project.deps,
    ...(project.manifest === undefined ? {} : { manifest: project.manifest }),
    onError: (error) => terminal.error(describeFailure(error, { debug }).text),
  });
  return { engine, carrier };
}

export interface CarryOnOptions {
  readonly options: CommandOptions;
  readonly terminal: Terminal;
  /** The number of the last event that was there before. */
  readonly from: number;
  /** Begins the run, or tells it what it waits for: it is watched already. */
  begin(): Promise<void>;
}

/** Executes a run in this process, shows what happens, and ends when it has ended or waits for a person. */
export async function carryOn(engine: Engine, runId: string, how: CarryOnOptions): Promise<ExitStatus> {
  const { options, terminal, from, begin } = how;
  const isJson = options.json === true;
  return withSignals(async (interruption) => {
    const show = isJson ? jsonActivity(runId, terminal) : options.quiet === true ? () => {} : textActivity(terminal);
    const followed = await followRun(engine, runId, { from, begin, signal: interruption.signal, show });
    const { run } = followed;
    if (followed.kind === "ended") {
      await engine.stop();
      if (run.state === "COMPLETED") {
        if (!isJson) printResult(run.result, terminal);
        return 0;
      }
      const message = run.error?.message ?? `it is ${run.state}`;
      const state = run.state === "FAILED" ? "failed" : "was cancelled";
      if (isJson) return 1;
      terminal.error(
        `${terminal.paint("error", "red", `the run ${runId} ${state}`)}: ${message}\n  hint  \`callsign runs show ${runId}\` shows its log\n`,
      );
      return 1;
    }
    // Whatever is still under way goes on when the run does.
    await engine.stop({ timeoutMs: followed.kind === "waits" ? 2_000 : 0 });
    if (followed.kind === "waits") {
      if (!isJson) {
        const lines = describeWaiting(followed.waiting).join("\n");
        terminal.error(`${terminal.paint("error", "yellow", `the run ${runId} waits, and is kept`)}\n${lines}\n`);
      }
      return 3;
    }
    if (!isJson) {
      terminal.error(`\nstopped; the run is kept, and goes on by\n    callsign workflow resume ${runId}\n`);
    }
    return interruption.status() ?? 1;
  });
}

/** A text as it is, anything else as JSON. In a pipe it stays byte by byte what it is. */
export function printResult(value: unknown, { out, isTerminal }: Terminal): void {
  if (value === undefined) return;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  out(isTerminal.out ? withoutControls(whole) : whole);
}
