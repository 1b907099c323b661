import type { Workflow } from "../../durable/workflow.js";
import { workflowKey } from "../../durable/workflow.js";
import { type CommandOptions, textOptions } from "../command.js";
import { findModules, MODULE_HINT } from "../find-modules.js";
import { loadProject, type Project } from "../load-project.js";
import { suggest } from "../nearest-word.js";
import { UsageError } from "../usage-error.js";

/** The project that a command is about. @throws {UsageError} where no module is found. */
export async function openProject(options: CommandOptions): Promise<Project> {
  const cwd = process.cwd();
  const paths = findModules(textOptions(options, "module"), cwd);
  if (paths.length === 0) throw new UsageError("there is no module that holds the project's workflows", MODULE_HINT);
  return loadProject(paths, cwd);
}

/** The workflow of a name: `name`, or `namespace/name`. @throws {UsageError} with the nearest name. */
export function findWorkflow({ workflows, modules }: Project, given: string): Workflow<never, unknown> {
  const key = given.includes("/") ? given : `default/${given}`;
  const found = workflows.find((workflow) => workflowKey(workflow) === key);
  if (found !== undefined) return found;
  const names = workflows.map((workflow) => workflowKey(workflow).replace(/^default\//, ""));
  throw new UsageError(
    `${modules.join(", ")} exports no workflow ${JSON.stringify(given)}`,
    suggest(given, names, "workflows"),
  );
}
