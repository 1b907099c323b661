import { WorkflowError } from "./errors.js";

/** What the body of a workflow is given. */
export interface WorkflowContext<Input = void> {
  /** As it was given when the run began; the same on every replay. */
  readonly input: Input;
  readonly runId: string;
  readonly workflow: string;
  readonly namespace: string;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  /** What the engine's option `deps` holds. */
  readonly deps: unknown;
  /** Shows a value to whoever watches the run. Never stored, and not shown again on replay. */
  progress(value: unknown): void;
}

export interface WorkflowOptions {
  /** `^[a-zA-Z_][a-zA-Z0-9_.-]*$`. Read by the compiler. */
  readonly name: string;
  /** Default `default`. */
  readonly namespace?: string;
  readonly description?: string;
}

/** A durable function: its runs survive the end of the process. */
export interface Workflow<Input = void, Result = unknown> {
  readonly name: string;
  readonly namespace: string;
  readonly description: string | undefined;
  readonly body: (ctx: WorkflowContext<Input>) => Promise<Result>;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.-]{0,127}$/;
/** Words that stand in addresses beside the names of workflows. */
const RESERVED = new Set(["run", "resume", "status", "cancel"]);

/**
 * Makes a workflow. Its body runs again from the top whenever the run goes on in another process; what tasks, agents and
 * the primitives did before is answered from the event log. So a body does nothing else that costs, acts, or comes out
 * differently the next time.
 *
 * @throws {WorkflowError} `workflow-name` for a name that no address can hold.
 *
 * @example
 * import { agent, task, workflow, type WorkflowContext } from "@callsign/runtime"
 *
 * const notify = task(async (text: string) => console.log(text))
 * const assistant = agent("Be brief.", { model: "anthropic/claude-sonnet-5-5" })
 *
 * export const briefing = workflow("briefing", async (ctx: WorkflowContext<{ topic: string }>) => {
 *   const text = await assistant(`What is new about ${ctx.input.topic}?`)
 *   await notify(text)
 *   return text
 * })
 */
export function workflow<Input = void, Result = unknown>(
  name: string | WorkflowOptions,
  body: (ctx: WorkflowContext<Input>) => Promise<Result>,
): Workflow<Input, Result> {
  const options = typeof name === "string" ? { name } : name;
  if (typeof body !== "function") throw new TypeError("workflow() takes a name and an async function");
  const { namespace = "default", description } = options as WorkflowOptions;
  for (const word of [options.name, namespace]) {
    if (!NAME.test(word) || RESERVED.has(word)) {
      throw new WorkflowError(
        `${JSON.stringify(word)} cannot name a workflow or namespace: write letters, digits, _, . and -, a letter or _ first, and none of ${[...RESERVED].join(", ")}`,
        { code: "workflow-name" },
      );
    }
  }
  return { name: options.name, namespace, description, body };
}

export function isWorkflow(value: unknown): value is Workflow<unknown> {
  const { name, namespace, body } = (typeof value === "object" && value !== null ? value : {}) as Partial<Workflow>;
  return typeof name === "string" && typeof namespace === "string" && typeof body === "function";
}

/** `namespace/name`. */
export function workflowKey({ name, namespace }: { readonly name: string; readonly namespace: string }): string {
  return `${namespace}/${name}`;
}
