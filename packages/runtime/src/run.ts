import type { AgentOptions, Approver, RunOptions } from "./agent-options.js";
import { toolResult } from "./call-tool.js";
import { callCut, limitReached } from "./calls/messages.js";
import { parseArguments } from "./calls/parse-arguments.js";
import type { RunEvent } from "./events/run-events.js";
import type { Json } from "./manifest/json-schema.js";
import type { LoweredOutput, LoweredTool } from "./model/lowered.js";
import type { Message, ToolCallPart, ToolResultPart } from "./model/messages.js";
import type { ModelReply } from "./model/model-events.js";
import type { ModelRequest, OutputMode, ToolChoice } from "./model/provider.js";
import type { Usage } from "./model/usage.js";
import type { OpenModel } from "./open-model.js";
import {
  ANSWER_TOOL,
  answerTool,
  type CheckedAnswer,
  checkAnswer,
  readAnswer,
  unwrapAnswer,
} from "./output/response-format.js";
import type { Schema } from "./schema.js";
import type { Tool } from "./tool-class.js";

/** What a run starts with. */
export interface RunStart {
  readonly instructions: string;
  readonly question: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly model: OpenModel;
  readonly options: AgentOptions<unknown>;
  readonly runOptions: RunOptions;
  readonly signal: AbortSignal;
  readonly emit: Emit;
}

/**
 * Shows an event to whoever follows the run. Never throws. A promise means that the reader is behind: whoever has more
 * to show waits for it.
 */
export type Emit = (event: RunEvent) => Promise<void> | undefined;

/** One run of an agent: its history, and how much of what it may still do. */
export class Run {
  readonly id: string = crypto.randomUUID();
  readonly model: OpenModel;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly responseFormat: Schema<unknown> | undefined;
  readonly approve: Approver | undefined;
  readonly sessionId: string | undefined;
  readonly deps: unknown;
  readonly maxToolCalls: number;
  readonly maxRetries: number;
  readonly toolTimeoutMs: number;
  readonly parallelToolCalls: boolean;
  /** Tokens of a formatted answer are of no use before it is whole and checked. */
  readonly streamsTokens: boolean;
  callsExecuted = 0;
  usage: Usage = {};
  /** Whether no tool call was left at the last request: whatever comes of it is the end. */
  isFinalRequest = false;
  readonly #messages: Message[];
  readonly #options: AgentOptions<unknown>;
  readonly #instructions: string;
  readonly #loweredTools: readonly LoweredTool[];
  readonly #output: LoweredOutput | undefined;
  readonly #outputMode: OutputMode | undefined;
  #callsLeft: number;
  #steps = 0;
  #outputAsked: boolean;
  #repairsLeft = 1;

  constructor({ instructions, question, tools, model, options, runOptions, signal, emit }: RunStart) {
    this.model = model;
    this.tools = tools;
    this.signal = signal;
    this.emit = emit;
    this.responseFormat = options.responseFormat;
    this.approve = options.approve;
    this.sessionId = runOptions.sessionId;
    this.deps = runOptions.deps ?? options.deps;
    this.maxRetries = options.maxRetries ?? 2;
    this.toolTimeoutMs = options.toolTimeoutMs ?? 60_000;
    this.parallelToolCalls = options.parallelToolCalls ?? true;
    this.streamsTokens = (options.stream ?? true) && options.responseFormat === undefined;
    this.#options = options;
    this.#instructions = instructions;
    this.#messages = [...(runOptions.history ?? []), { role: "user", content: [{ type: "text", text: question }] }];
    this.maxToolCalls = options.maxToolCalls ?? 10;
    this.#callsLeft = this.maxToolCalls;
    const lowering = {
      model: model.model,
      ...(options.strict === undefined ? {} : { strict: options.strict }),
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    };
    const format = options.responseFormat;
    this.#outputMode = format && model.entry.outputMode(model.model, { tools: tools.size > 0 });
    const manifestTools = [...tools.values()].map((tool) => tool.manifestTool);
    if (format !== undefined && this.answersByTool) manifestTools.push(answerTool(format));
    this.#loweredTools = manifestTools.length === 0 ? [] : model.entry.lowerTools(manifestTools, lowering);
    this.#output =
      format === undefined || this.answersByTool
        ? undefined
        : model.entry.lowerOutput(
            {
              name: format.name,
              schema: format.schema,
              ...(format.description === undefined ? {} : { description: format.description }),
            },
            lowering,
          );
    this.#outputAsked = this.#outputMode !== "after-tools" || tools.size === 0;
  }

  get callsLeft(): number {
    return this.#callsLeft;
  }

  /** The conversation so far. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Whether the answer comes as the arguments of a synthetic tool. */
  get answersByTool(): boolean {
    return this.#outputMode === "tool";
  }

  get outputWasAsked(): boolean {
    return this.#outputAsked;
  }

  beginStep(): number {
    this.#steps += 1;
    return this.#steps;
  }

  request(toolChoice: ToolChoice): ModelRequest {
    const { reasoningEffort, maxTokens, temperature, timeoutMs } = this.#options;
    const afterTools = this.#outputMode === "after-tools" && this.#outputAsked;
    const tools = afterTools ? [] : this.#loweredTools;
    this.isFinalRequest = this.#callsLeft <= 0;
    return {
      model: this.model.model,
      system: this.#instructions,
      messages: [...this.#messages],
      ...(tools.length === 0 ? {} : { tools, toolChoice }),
      ...(tools.length === 0 || this.parallelToolCalls ? {} : { parallelToolCalls: false }),
      ...(this.#output === undefined || !this.#outputAsked ? {} : { output: this.#output }),
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      stream: this.streamsTokens,
      signal: this.signal,
    };
  }

  addReply({ message }: ModelReply): void {
    this.#messages.push({ ...message, model: this.model.id });
  }

  addUser(text: string): void {
    this.#messages.push({ role: "user", content: [{ type: "text", text }] });
  }

  addResults(results: readonly ToolResultPart[]): void {
    this.#messages.push({ role: "tool", content: results });
  }

  addUsage(usage: Usage): void {
    const sum: Record<string, number> = { ...this.usage };
    for (const [name, tokens] of Object.entries(usage)) {
      if (typeof tokens === "number") sum[name] = (sum[name] ?? 0) + tokens;
    }
    this.usage = sum;
  }

  /** Says of each call whether it may run; what may not counts as a call all the same. */
  grantCalls(reply: ModelReply, calls: readonly ToolCallPart[]): { call: ToolCallPart; refusal: string | undefined }[] {
    const granted = calls.map((call, index) => {
      if (index >= this.#callsLeft) return { call, refusal: limitReached(this.maxToolCalls) };
      return { call, refusal: reply.stop === "length" ? callCut() : undefined };
    });
    this.#callsLeft = Math.max(0, this.#callsLeft - calls.length);
    return granted;
  }

  restoreArguments(toolName: string, args: Record<string, unknown>): unknown {
    const lowered = this.#loweredTools.find(({ name }) => name === toolName);
    return lowered === undefined ? args : lowered.restore(args as Json);
  }

  needsFormattedAnswer(reply: ModelReply): boolean {
    return this.responseFormat !== undefined && reply.stop !== "refusal" && reply.stop !== "length";
  }

  /** From now on the format is asked for, without tools. */
  askForOutput(): void {
    this.#outputAsked = true;
    this.addUser("Now give the final answer in the requested format.");
  }

  get repairRequest(): string {
    return this.answersByTool
      ? `Correct this and call ${ANSWER_TOOL} again.`
      : "Correct this and give the whole answer again, as JSON only.";
  }

  /** One chance to mend an answer that does not fit. */
  takeRepair(): boolean {
    this.#repairsLeft -= 1;
    return this.#repairsLeft >= 0;
  }

  readAnswerText(reply: ModelReply): Promise<CheckedAnswer> {
    const text = reply.message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    const restore = (value: unknown): unknown => this.#output?.restore(value as Json) ?? value;
    return readAnswer(this.responseFormat as Schema<unknown>, text, restore);
  }

  async readAnswerCall(call: ToolCallPart): Promise<CheckedAnswer> {
    const parsed = parseArguments(call.arguments);
    if (!parsed.ok) return { valid: false, problem: parsed.problem };
    const format = this.responseFormat as Schema<unknown>;
    const args = this.restoreArguments(call.name, parsed.value) as Record<string, unknown>;
    return checkAnswer(format, unwrapAnswer(format, args));
  }

  /** The result of a call that came together with the answer, and of the answer's own. */
  answerResult(call: ToolCallPart, problem: string | undefined): ToolResultPart {
    if (call.name === ANSWER_TOOL && problem === undefined) {
      return toolResult(call, { status: "success", result: "The answer was taken." });
    }
    const result =
      call.name === ANSWER_TOOL ? `${problem}\n\n${this.repairRequest}` : "Not run: the answer came with it.";
    return toolResult(call, { status: "error", result });
  }
}
