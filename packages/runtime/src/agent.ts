import type { AgentOptions, RunOptions } from "./agent-options.js";
import { AgentRun, type RunWatch } from "./agent-run.js";
import { ManifestError } from "./errors/manifest-error.js";
import { duplicateName } from "./errors/messages.js";
import { resolveTool } from "./manifest/tool-registry.js";
import { openModel } from "./open-model.js";
import { ANSWER_TOOL } from "./output/response-format.js";
import { Run } from "./run.js";
import { runAgent } from "./run-agent.js";
import type { Tool } from "./tool-class.js";

/** A model with instructions and tools, ready for questions. Holds no conversation: each question stands alone. */
export interface Agent<T> {
  /** Asks and waits for the answer. @throws what ended the run: `AgentError`, `ManifestError` or `ProviderError`. */
  (question: string, options?: RunOptions): Promise<T>;
  /** Asks and shows everything that happens on the way. */
  stream(question: string, options?: RunOptions): AgentRun<T>;
  readonly agentName: string | undefined;
  readonly description: string | undefined;
}

/**
 * Makes an agent. Nothing is loaded or checked before the first question.
 *
 * @param instructions The system prompt.
 * @returns A function from a question to the answer: text, or a `T` with a `responseFormat`.
 *
 * @example
 * import { agent, Tool } from "@callsign/runtime"
 *
 * const findOrder = new Tool({
 *   name: "find_order",
 *   parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
 *   execute: ({ id }) => ({ id, state: "sent" }),
 * })
 * const assistant = agent("Answer questions about orders.", { model: "openai/gpt-6-luna", tools: [findOrder] })
 * const answer = await assistant("Where is order 1042?")
 * for await (const event of assistant.stream("And 1043?")) console.log(event)
 */
export function agent<T = string>(instructions: string, options: AgentOptions<T>): Agent<T> {
  let tools: ReadonlyMap<string, Tool> | undefined;
  const start = (question: string, runOptions: RunOptions) => async (watch: RunWatch) => {
    tools ??= resolveTools(options.tools ?? []);
    const model = await openModel(options.model, options);
    return runAgent(new Run({ instructions, question, tools, model, options, runOptions, ...watch }));
  };
  const stream = (question: string, runOptions: RunOptions = {}): AgentRun<T> =>
    new AgentRun<T>(start(question, runOptions), { signal: runOptions.signal });
  const ask = (question: string, runOptions: RunOptions = {}): Promise<T> =>
    new AgentRun<T>(start(question, runOptions), { signal: runOptions.signal, keepsEvents: false }).result;
  return Object.assign(ask, {
    stream,
    agentName: options.name,
    description: options.description,
  });
}

/** @throws {ManifestError} `tool-not-compiled`, `duplicate-name`. */
function resolveTools(given: readonly unknown[]): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const value of given) {
    const tool = resolveTool(value);
    if (tool.name === ANSWER_TOOL || (tools.has(tool.name) && tools.get(tool.name) !== tool)) {
      throw new ManifestError([duplicateName("", tool.name)]);
    }
    tools.set(tool.name, tool);
  }
  return tools;
}
