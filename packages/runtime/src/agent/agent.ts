import { recordedExecution } from "../durable/agent-execution.js";
import { currentScope } from "../durable/scope.js";
import { openModelEntry } from "../open-model.js";
import { toFormat } from "../output/format-source.js";
import { agentSpan, usageAttributes } from "../telemetry/spans.js";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.js";
import type { Tool } from "../tool-class.js";
import type { AgentOptions, RunOptions } from "./agent-options.js";
import { AgentRun } from "./agent-run.js";
import { agentTool } from "./agent-tool.js";
import { checkOptions } from "./check-options.js";
import { type AgentDefinition, type RunWatch, registerAgent } from "./definition.js";
import { directExecution } from "./execution.js";
import { modelChoices, outputWithTools, prepareAgent } from "./prepare-agent.js";
import { Run } from "./run.js";
import { runAgent } from "./run-agent.js";

/** A model with instructions and tools, ready for questions. Holds no conversation: each question stands alone. */
export interface Agent<T> {
  /** Asks and waits for the answer. @throws what ended the run: `AgentError`, `ManifestError` or `ProviderError`. */
  (question: string, options?: RunOptions): Promise<T>;
  /** Asks and shows everything that happens on the way. */
  stream(question: string, options?: RunOptions): AgentRun<T>;
  /** The agent as a tool that gets one text, for use outside of an agent; within one, pass the agent itself. */
  asTool(): Tool<{ input: string }>;
  readonly agentName: string | undefined;
  readonly description: string | undefined;
}

/**
 * Makes an agent. Tools are resolved, and the provider's SDK is loaded, at the first question.
 *
 * @param instructions The system prompt.
 * @returns A function from a question to the answer: text, or a `T` with a `responseFormat`.
 * @throws {AgentError} `options-invalid` with every option that does not fit, `format-unusable`, `output-with-tools`.
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
  checkOptions(instructions, options);
  const definition: AgentDefinition = {
    instructions,
    options,
    name: options.name ?? "agent",
    start: (question, watch) => start(definition, question, watch),
  };
  refuseCombination(definition);
  const stream = (question: string, runOptions: RunOptions = {}): AgentRun<T> =>
    new AgentRun<T>(definition, { question, runOptions });
  const ask = (question: string, runOptions: RunOptions = {}): Promise<T> =>
    new AgentRun<T>(definition, { question, runOptions, isWatched: false }).result;
  const made = Object.assign(ask, {
    stream,
    asTool: () => agentTool(definition),
    agentName: options.name,
    description: options.description,
  });
  registerAgent(made, definition);
  return made;
}

async function start(definition: AgentDefinition, question: string, watch: RunWatch): ReturnType<typeof runAgent> {
  const { runOptions, signal, emit, approvals, outer, formatOf = definition } = watch;
  const { responseFormat } = formatOf.options;
  const format = responseFormat && toFormat(responseFormat);
  const prepared = await prepareAgent(definition, { format, modelIndex: 0 });
  const scope = currentScope();
  const execution =
    scope === undefined ? directExecution() : recordedExecution(scope, { agent: definition.name, question });
  const telemetry = await telemetryOf(definition);
  const run = new Run({
    agent: prepared,
    question,
    format,
    runOptions,
    signal,
    emit,
    execution,
    approvals,
    telemetry,
    outer,
  });
  watch.onStart?.(run);
  const { description } = definition.options;
  const span = agentSpan({ agent: definition.name, description, sessionId: run.sessionId, model: prepared.model.id });
  return telemetry.withSpan(span, async ({ set }) => {
    try {
      return await runAgent(run);
    } finally {
      set(usageAttributes(run.usage));
    }
  });
}

const opened = new WeakMap<AgentDefinition, Promise<Telemetry>>();

/** @throws {AgentError} `telemetry-missing`. */
async function telemetryOf(definition: AgentDefinition): Promise<Telemetry> {
  const { telemetry = false } = definition.options;
  if (telemetry === false) return noTelemetry;
  let known = opened.get(definition);
  if (known === undefined) {
    known = import("../telemetry/open-telemetry.js").then(({ openTelemetry }) =>
      openTelemetry(telemetry === true ? {} : telemetry),
    );
    opened.set(definition, known);
  }
  return known;
}

/** What `structuredOutput: "exclusive"` refuses is known before the first question. */
function refuseCombination(definition: AgentDefinition): void {
  const { tools = [], handoffs = [], responseFormat, structuredOutput } = definition.options;
  if (responseFormat !== undefined) toFormat(responseFormat);
  if (structuredOutput !== "exclusive" || responseFormat === undefined || tools.length + handoffs.length === 0) return;
  for (const choice of modelChoices(definition)) {
    const { entry, id, model } = openModelEntry(choice);
    if (entry.outputMode(model, { tools: true }) === "after-tools") throw outputWithTools(id);
  }
}
