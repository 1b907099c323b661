import { AgentError } from "../errors/agent-error.js";
import { ManifestError } from "../errors/manifest-error.js";
import { duplicateName } from "../errors/messages.js";
import { showValue } from "../errors/show-value.js";
import { isRecord } from "../manifest/is-record.js";
import { resolveTool } from "../manifest/tool-registry.js";
import type { LoweredOutput, LoweredTool } from "../model/lowered.js";
import type { OutputMode } from "../model/provider.js";
import { type OpenModel, openModel } from "../open-model.js";
import { ANSWER_TOOL, answerTool } from "../output/response-format.js";
import type { Schema } from "../schema.js";
import type { Tool } from "../tool-class.js";
import { hashJson } from "../validation/hash-json.js";
import type { ModelChoice } from "./agent-options.js";
import { agentTool } from "./agent-tool.js";
import { isAgentName, NAME_RULE } from "./check-options.js";
import { type AgentDefinition, definitionOf } from "./definition.js";
import { type HandoffTarget, handoffTool, handoffToolName } from "./handoff.js";

/** An agent with one of its models, ready to be asked: everything that stays the same from one request to the next. */
export interface PreparedAgent {
  readonly definition: AgentDefinition;
  readonly model: OpenModel;
  /** Which one of `definition.options.model` it is. */
  readonly modelIndex: number;
  /** By name; those that hand over are among them. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** By the name of the tool that hands over to it. */
  readonly handoffs: ReadonlyMap<string, HandoffTarget>;
  readonly loweredTools: readonly LoweredTool[];
  readonly lowered: ReadonlyMap<string, LoweredTool>;
  /** Undefined where there is no format, or where it is asked for by a tool. */
  readonly output: LoweredOutput | undefined;
  readonly outputMode: OutputMode | undefined;
  /** Tells one set of model, instructions and tools from every other: what a model's reasoning is bound to. */
  readonly binding: string;
}

export interface PrepareOptions {
  /** Of the agent that the run began with. */
  readonly format: Schema<unknown> | undefined;
  readonly modelIndex: number;
}

export function modelChoices(definition: AgentDefinition): readonly ModelChoice[] {
  const { model } = definition.options;
  return Array.isArray(model) ? model : [model as ModelChoice];
}

const prepared = new WeakMap<AgentDefinition, Map<string, { format: unknown; agent: Promise<PreparedAgent> }>>();

/**
 * Resolves tools, opens the model and lowers everything for it, once for each agent, model and format.
 *
 * @throws {AgentError} `model-unknown`, `handoff-to-itself`.
 * @throws {ManifestError} `tool-not-compiled`, `duplicate-name`.
 * @throws {ProviderError} `sdk-missing`.
 */
export function prepareAgent(definition: AgentDefinition, options: PrepareOptions): Promise<PreparedAgent> {
  let known = prepared.get(definition);
  if (known === undefined) {
    known = new Map();
    prepared.set(definition, known);
  }
  const key = `${options.modelIndex} ${options.format?.name ?? ""}`;
  const entry = known.get(key);
  if (entry !== undefined && entry.format === options.format) return entry.agent;
  const agent = prepare(definition, options);
  const made = { format: options.format, agent };
  known.set(key, made);
  // A function may be bound, an SDK installed, before the next question.
  agent.catch(() => {
    if (known.get(key) === made) known.delete(key);
  });
  return agent;
}

async function prepare(definition: AgentDefinition, { format, modelIndex }: PrepareOptions): Promise<PreparedAgent> {
  const { options } = definition;
  const handoffs = resolveHandoffs(definition);
  const tools = resolveTools(definition, handoffs);
  const model = await openModel(modelChoices(definition)[modelIndex] as ModelChoice, options);
  const lowering = {
    model: model.model,
    ...(options.strict === undefined ? {} : { strict: options.strict }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
  };
  const output =
    format &&
    model.entry.lowerOutput(
      {
        name: format.name,
        schema: format.schema,
        ...(format.description === undefined ? {} : { description: format.description }),
      },
      lowering,
    );
  const outputMode = output && chooseOutputMode(definition, { model, output, hasTools: tools.size > 0 });
  const manifestTools = [...tools.values()].map((tool) => tool.manifestTool);
  if (format !== undefined && outputMode === "tool") manifestTools.push(answerTool(format));
  const loweredTools =
    manifestTools.length === 0
      ? []
      : model.entry.lowerTools(manifestTools, {
          ...lowering,
          // Limits of a whole request count the format where it stands beside the tools.
          ...(output !== undefined && outputMode === "native" ? { beside: [output] } : {}),
        });
  return {
    definition,
    model,
    modelIndex,
    tools,
    handoffs,
    loweredTools,
    lowered: new Map(loweredTools.map((tool) => [tool.name, tool])),
    output: outputMode === "tool" ? undefined : output,
    outputMode,
    binding: hashJson([model.id, definition.instructions, loweredTools.map(({ wire }) => wire)]),
  };
}

function chooseOutputMode(
  { options }: AgentDefinition,
  {
    model,
    output,
    hasTools,
  }: { readonly model: OpenModel; readonly output: LoweredOutput; readonly hasTools: boolean },
): OutputMode {
  if (options.structuredOutput === "tool") return "tool";
  const mode = model.entry.outputMode(model.model, {
    tools: hasTools,
    output,
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
  });
  if (mode === "after-tools" && options.structuredOutput === "exclusive") throw outputWithTools(model.id);
  return mode;
}

export function outputWithTools(model: string): AgentError {
  return new AgentError(
    `${model} cannot have tools and a responseFormat in one request; leave one of the two out, or leave out structuredOutput: "exclusive" to have the format asked for last`,
    { code: "output-with-tools" },
  );
}

function resolveHandoffs(definition: AgentDefinition): ReadonlyMap<string, HandoffTarget> {
  const handoffs = new Map<string, HandoffTarget>();
  for (const value of definition.options.handoffs ?? []) {
    const target = definitionOf(value);
    if (target === undefined) checkQueue(value);
    if (target === definition) {
      throw new AgentError(`${definition.name} cannot hand over to itself`, { code: "handoff-to-itself" });
    }
    if (target !== undefined && target.options.name === undefined) throw nameMissing("handoffs");
    const { name } = target ?? value;
    const toolName = handoffToolName(name);
    if (handoffs.has(toolName)) throw new ManifestError([duplicateName("", toolName)]);
    handoffs.set(
      toolName,
      target === undefined
        ? { kind: "queue", name, queue: value as Extract<typeof value, { enqueue: unknown }> }
        : { kind: "agent", name, definition: target },
    );
  }
  return handoffs;
}

function checkQueue(value: unknown): void {
  if (isRecord(value) && isAgentName(value.name) && typeof value.enqueue === "function") return;
  throw new AgentError(
    `handoffs takes agents, and queues of people as { name, enqueue } whose name ${NAME_RULE}; got ${showValue(value)}`,
    { code: "options-invalid" },
  );
}

function resolveTools(
  { options }: AgentDefinition,
  handoffs: ReadonlyMap<string, HandoffTarget>,
): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  const given = (options.tools ?? []).map((value) => {
    const inner = definitionOf(value);
    if (inner === undefined) return resolveTool(value);
    if (inner.options.name === undefined) throw nameMissing("tools");
    return agentTool(inner);
  });
  for (const target of handoffs.values()) {
    const description = target.kind === "agent" ? target.definition.options.description : target.queue.description;
    given.push(handoffTool(target.name, description));
  }
  for (const tool of given) {
    if (tool.name === ANSWER_TOOL || (tools.has(tool.name) && tools.get(tool.name) !== tool)) {
      throw new ManifestError([duplicateName("", tool.name)]);
    }
    tools.set(tool.name, tool);
  }
  return tools;
}

function nameMissing(option: string): AgentError {
  return new AgentError(`an agent in ${option} needs the options name and description`, { code: "name-missing" });
}
