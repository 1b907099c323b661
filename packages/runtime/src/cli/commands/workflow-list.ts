import type { Workflow } from "../../durable/workflow.js";
import { workflowKey } from "../../durable/workflow.js";
import { workflowSchema } from "../../durable/workflow-schemas.js";
import type { JsonSchema } from "../../manifest/json-schema.js";
import { shownRun } from "../../server/shown-run.js";
import type { CommandInput, ExitStatus } from "../command.js";
import { shownState, shownTime } from "../describe-run.js";
import { table } from "../help.js";
import type { Project } from "../load-project.js";
import { openStore } from "../open-store.js";
import type { Terminal } from "../terminal.js";
import { UsageError } from "../usage-error.js";
import { findWorkflow, openProject } from "./project.js";

/** `callsign workflow list` */
export async function runWorkflowList({ options }: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  const project = await openProject(options);
  const entries = project.workflows.map((workflow) => describe(workflow, project));
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ workflows: entries }, null, 2)}\n`);
    return 0;
  }
  if (entries.length === 0) {
    terminal.error(`${project.modules.join(", ")} exports no workflow\n`);
    return 0;
  }
  const rows = project.workflows.map(
    (workflow) => [shownName(workflow), describe(workflow, project).description ?? ""] as const,
  );
  terminal.out(`${table(rows).join("\n")}\n`);
  return 0;
}

/** `callsign workflow show NAME` */
export async function runWorkflowShow(
  { arguments: [name = ""], options }: CommandInput,
  terminal: Terminal,
): Promise<ExitStatus> {
  const project = await openProject(options);
  const workflow = findWorkflow(project, name);
  const entry = describe(workflow, project);
  const runs = await lastRuns(workflow, options);
  if (options.json === true) {
    terminal.out(`${JSON.stringify({ ...entry, runs: runs.map(shownRun) }, null, 2)}\n`);
    return 0;
  }
  const { paint } = terminal;
  const lines = [paint("out", "bold", shownName(workflow))];
  if (entry.description !== undefined) lines.push(`  ${entry.description}`);
  lines.push("", "input");
  if (entry.input === undefined)
    lines.push("  not checked: the workflow is in no manifest; `callsignc build` puts it there");
  else lines.push(JSON.stringify(entry.input, null, 2).replaceAll(/^/gm, "  "));
  if (runs.length > 0) {
    lines.push("", "last runs");
    for (const run of runs) lines.push(`  ${run.id}  ${shownTime(run.createdAt)}  ${shownState(run.state, paint)}`);
  }
  terminal.out(`${lines.join("\n")}\n`);
  return 0;
}

function shownName(workflow: Workflow<never, unknown>): string {
  return workflowKey(workflow).replace(/^default\//, "");
}

function describe(
  workflow: Workflow<never, unknown>,
  { manifest }: Project,
): {
  readonly name: string;
  readonly namespace: string;
  readonly description?: string;
  readonly input?: JsonSchema;
} {
  const { name, namespace } = workflow;
  const compiled = manifest?.workflows.find((entry) => entry.name === name);
  const description = workflow.description ?? compiled?.summary ?? compiled?.description;
  const input = compiled?.input ?? workflowSchema(workflow);
  return {
    name,
    namespace,
    ...(description === undefined ? {} : { description }),
    ...(input === undefined ? {} : { input }),
  };
}

async function lastRuns({ name, namespace }: Workflow<never, unknown>, options: CommandInput["options"]) {
  try {
    const { store } = await openStore(options, { cwd: process.cwd(), create: false });
    const { runs } = await store.list({ workflow: name, namespace, limit: 5 });
    await store.close();
    return runs;
  } catch (error) {
    // Nothing ran yet.
    if (error instanceof UsageError) return [];
    throw error;
  }
}
