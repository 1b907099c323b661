import { callCut, callsExhausted } from "../calls/messages.js";
import { toolResult } from "../calls/tool-result.js";
import { addCosts, costOf, type ModelPrice, priceOf } from "../cost/cost-of.js";
import type { RunDone, RunEvent } from "../events/run-events.js";
import type { Json } from "../manifest/json-schema.js";
import type { Message, ToolCallPart, ToolResultPart } from "../model/messages.js";
import type { ModelReply } from "../model/model-events.js";
import type { ModelRequest, ToolChoice } from "../model/provider.js";
import { addUsages, type Usage } from "../model/usage.js";
import { carriesReasoning, withoutReasoning } from "../providers/history.js";
import type { Schema } from "../schema.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Tool } from "../tool-class.js";
import type { AgentOptions, RunOptions } from "./agent-options.js";
import type { Approvals } from "./approvals.js";
import { Budget } from "./budget.js";
import type { Execution } from "./execution.js";
import type { HandoffTarget } from "./handoff.js";
import type { ToolOutcome } from "./hooks.js";
import { pairResults, withOwnId } from "./pair-results.js";
import { modelChoices, type PreparedAgent, prepareAgent } from "./prepare-agent.js";

/** What a run starts with. */
export interface RunStart {
  readonly agent: PreparedAgent;
  readonly question: string;
  readonly format: Schema<unknown> | undefined;
  readonly runOptions: RunOptions;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly execution: Execution;
  /** Where calls wait for a person; undefined where nobody could decide. */
  readonly approvals: Approvals | undefined;
  readonly telemetry: Telemetry;
  /** The run that this one is a tool call of. */
  readonly outer?: { readonly run: Run; readonly callId: string } | undefined;
}

/**
 * Shows an event to whoever follows the run. Never throws. A promise means that the reader is behind: whoever has more
 * to show waits for it.
 */
export type Emit = (event: RunEvent) => Promise<void> | undefined;

/** One run: its history, who answers, and how much of what it may still do. */
export class Run {
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly execution: Execution;
  readonly approvals: Approvals | undefined;
  readonly telemetry: Telemetry;
  readonly sessionId: string | undefined;
  readonly deps: unknown;
  readonly budget: Budget;
  readonly format: Schema<unknown> | undefined;
  /** Of nested runs: what their calls' ids begin with where they are shown outside. */
  readonly idPrefix: string;
  /** How many runs this one is nested in. */
  readonly depth: number;
  callsExecuted = 0;
  usage: Usage = {};
  /** Undefined where a model that was asked has no price. */
  cost: number | undefined = 0;
  /** Whether no tool call was left at the last request: whatever comes of it is the end. */
  isFinalRequest = false;
  #agent: PreparedAgent;
  readonly #firstOptions: AgentOptions<unknown>;
  readonly #outer: Run | undefined;
  readonly #messages: Message[];
  /** `#messages` as the current model may see them. */
  #sent: Message[] = [];
  readonly #callIds = new Set<string>();
  readonly #historyChanged: string | undefined;
  readonly #notes = new Set<string>();
  #callsMade = 0;
  #handoffs = 0;
  #handoff: { readonly target: HandoffTarget; readonly reason: string | undefined } | undefined;
  #queue: string | undefined;
  #steps = 0;
  #outputAsked = false;
  #repairsLeft = 1;

  constructor(start: RunStart) {
    const { agent, question, runOptions, outer } = start;
    this.#agent = agent;
    this.#firstOptions = agent.definition.options;
    this.#outer = outer?.run;
    this.depth = outer === undefined ? 0 : outer.run.depth + 1;
    this.format = start.format;
    this.signal = start.signal;
    this.emit = start.emit;
    this.execution = start.execution;
    this.approvals = start.approvals;
    this.telemetry = start.telemetry;
    this.sessionId = runOptions.sessionId;
    this.deps = runOptions.deps ?? this.options.deps;
    this.budget = new Budget(this.options.budget, outer?.run.budget);
    this.idPrefix = outer === undefined ? "" : `${outer.run.idPrefix}${outer.callId}/`;
    this.#historyChanged = runOptions.historyChanged;
    // Own objects: what the caller does with his does not reach requests under way.
    const history = (runOptions.history ?? []).map((message) => ({ ...message }));
    this.#messages = [...history, { role: "user", content: [{ type: "text", text: question }] }];
    for (const message of this.#messages) this.#rememberCalls(message);
    this.#outputAsked = this.#asksOutputFirst;
    this.#seeAsCurrentModel();
  }

  get agent(): PreparedAgent {
    return this.#agent;
  }

  get options(): AgentOptions<unknown> {
    return this.#agent.definition.options;
  }

  get tools(): ReadonlyMap<string, Tool> {
    return this.#agent.tools;
  }

  /** The whole conversation, as it was received. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** What was asked for and could not be sent, each once. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  get maxToolCalls(): number {
    return this.options.maxToolCalls ?? 10;
  }

  /** Why no call may run any more, in words for the model. */
  get exhausted(): string | undefined {
    if (this.#callsMade >= this.maxToolCalls) return `the limit of ${this.maxToolCalls} tool calls is reached`;
    return this.budget.exhausted;
  }

  /** Whether the answer comes as the arguments of a synthetic tool. */
  get answersByTool(): boolean {
    return this.#agent.outputMode === "tool";
  }

  get outputWasAsked(): boolean {
    return this.#outputAsked;
  }

  get #asksOutputFirst(): boolean {
    return this.#agent.outputMode !== "after-tools" || this.tools.size === 0;
  }

  /** Tokens of a formatted answer are of no use before it is whole and checked. */
  get streamsTokens(): boolean {
    return (this.options.stream ?? true) && this.format === undefined;
  }

  beginStep(): number {
    this.#steps += 1;
    return this.#steps;
  }

  get sentMessages(): readonly Message[] {
    return this.#sent;
  }

  /** @param messages Instead of the conversation, for this request only. */
  request(toolChoice: ToolChoice, messages?: readonly Message[]): ModelRequest {
    const { reasoningEffort, maxTokens, temperature, timeoutMs, parallelToolCalls } = this.options;
    const { output, outputMode, loweredTools, model, definition } = this.#agent;
    const afterTools = outputMode === "after-tools" && this.#outputAsked;
    const tools = afterTools ? [] : loweredTools;
    return {
      model: model.model,
      system: definition.instructions,
      messages: messages ?? [...this.#sent],
      ...(tools.length === 0 ? {} : { tools, toolChoice }),
      ...(tools.length === 0 || parallelToolCalls !== false ? {} : { parallelToolCalls: false }),
      ...(output === undefined || !this.#outputAsked ? {} : { output }),
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      stream: this.streamsTokens,
      signal: this.signal,
    };
  }

  /** Says in a reply who wrote it and what its reasoning is bound to. */
  bind(reply: ModelReply): ModelReply {
    const message = { ...reply.message, model: this.#agent.model.id, boundTo: this.#binding };
    return { ...reply, message };
  }

  /**
   * Takes a reply into the conversation.
   *
   * @param wasChanged Whether the model saw something else than the conversation; its reasoning is bound to that.
   * @returns The reply with ids of calls that no other call has.
   */
  addReply(reply: ModelReply, { wasChanged }: { readonly wasChanged: boolean }): ModelReply {
    const content = reply.message.content.map((part) =>
      part.type === "tool_call" ? withOwnId(part, this.#callIds) : part,
    );
    const message = {
      ...reply.message,
      content,
      ...(wasChanged ? { boundTo: "nothing" } : {}),
    };
    this.#messages.push(message);
    this.#sent.push(message.boundTo === this.#binding ? message : withoutReasoning(message));
    for (const note of reply.notes) this.#notes.add(note);
    return { ...reply, message };
  }

  addUser(text: string): void {
    this.#push({ role: "user", content: [{ type: "text", text }] });
  }

  addResults(results: readonly ToolResultPart[]): void {
    this.#push({ role: "tool", content: results });
  }

  /** What one request took. */
  addUsage(usage: Usage): void {
    const { id } = this.#agent.model;
    const price = this.priceOf(id);
    const cost = costOf(usage, price);
    if (cost === undefined && this.budget.limitsCost) {
      const why = price === undefined ? "prices has none for it" : "its provider did not say what it used";
      this.#notes.add(`the budget of cost does not count ${id}: ${why}`);
    }
    this.#count(usage, cost);
    this.budget.spend(usage, cost);
  }

  /** What an agent that is a tool took; its own budget has passed it on already. */
  addNested({ usage, cost, notes = [] }: Pick<RunDone, "usage" | "cost" | "notes">): void {
    for (const note of notes) this.#notes.add(note);
    this.#count(usage, cost);
  }

  /** By whoever has the conversation, who began it, or who calls this agent as a tool. */
  priceOf(model: string): ModelPrice | undefined {
    return (
      priceOf(this.options.prices, model) ?? priceOf(this.#firstOptions.prices, model) ?? this.#outer?.priceOf(model)
    );
  }

  #count(usage: Usage, cost: number | undefined): void {
    this.usage = addUsages(this.usage, usage);
    this.cost = addCosts(this.cost, cost);
  }

  /** Says of each call whether it may run; what may not counts as a call all the same. */
  grantCalls(reply: ModelReply, calls: readonly ToolCallPart[]): GrantedCall[] {
    const left = this.budget.exhausted === undefined ? this.maxToolCalls - this.#callsMade : 0;
    const spent = this.budget.exhausted ?? `the limit of ${this.maxToolCalls} tool calls is reached`;
    this.#callsMade += calls.length;
    return calls.map((call, index) => {
      if (index >= left) return { call, refusal: callsExhausted(spent) };
      return { call, refusal: reply.stop === "length" ? callCut() : undefined };
    });
  }

  get callsMade(): number {
    return this.#callsMade;
  }

  restoreArguments(toolName: string, args: Record<string, unknown>): unknown {
    const lowered = this.#agent.lowered.get(toolName);
    return lowered === undefined ? args : lowered.restore(args as Json);
  }

  /** From now on the format is asked for, without tools. */
  askForOutput(): void {
    this.#outputAsked = true;
    this.addUser("Now give the final answer in the requested format.");
  }

  /** One chance to mend an answer that does not fit. */
  takeRepair(): boolean {
    this.#repairsLeft -= 1;
    return this.#repairsLeft >= 0;
  }

  /** Notes that the conversation is to change hands once all calls of the reply have their results. */
  proposeHandoff(target: HandoffTarget, reason: string | undefined): ToolOutcome {
    const most = this.options.maxHandoffs ?? 5;
    if (this.#handoff !== undefined) {
      const { name } = this.#handoff.target;
      return { status: "error", result: `Not done: the conversation already goes over to ${name}.` };
    }
    if (this.#handoffs >= most) {
      return {
        status: "error",
        result: `Not done: the limit of ${most} handoffs is reached. Answer with what is known.`,
      };
    }
    this.#handoffs += 1;
    this.#handoff = { target, reason };
    return { status: "success", result: `The conversation goes over to ${target.name}.` };
  }

  /** Says that people have the conversation now. */
  giveToPeople(queue: string): void {
    this.#queue = queue;
  }

  /** Who has the conversation: an agent, or a queue of people. */
  get holder(): string {
    return this.#queue ?? this.#agent.definition.name;
  }

  takeHandoff(): { readonly target: HandoffTarget; readonly reason: string | undefined } | undefined {
    const handoff = this.#handoff;
    this.#handoff = undefined;
    return handoff;
  }

  /** Goes on with another agent, or with another model of the same one. */
  switchTo(agent: PreparedAgent): void {
    this.#agent = agent;
    this.#outputAsked = this.#asksOutputFirst;
    this.#seeAsCurrentModel();
  }

  /** Goes on with the next model of the list. @returns undefined when there is none. */
  async nextModel(): Promise<PreparedAgent | undefined> {
    const { definition, modelIndex } = this.#agent;
    if (modelIndex + 1 >= modelChoices(definition).length) return undefined;
    const asked = this.#outputAsked;
    this.switchTo(await prepareAgent(definition, { format: this.format, modelIndex: modelIndex + 1 }));
    if (this.#agent.outputMode === "after-tools") this.#outputAsked = asked;
    return this.#agent;
  }

  /** The result of a call that came together with the answer, and of the answer's own. */
  answerResult(
    call: ToolCallPart,
    outcome: { readonly isAnswer: boolean; readonly problem: string | undefined },
  ): ToolResultPart {
    if (!outcome.isAnswer) return toolResult(call, { status: "error", result: "Not run: the answer came with it." });
    return outcome.problem === undefined
      ? toolResult(call, { status: "success", result: "The answer was taken." })
      : toolResult(call, { status: "error", result: outcome.problem });
  }

  /** Reasoning of a windowed or otherwise changed conversation is good for this run only. */
  get #binding(): string {
    const { binding } = this.#agent;
    return this.#historyChanged === undefined ? binding : `${binding} in ${this.execution.runId}`;
  }

  /** Reasoning is good only for the model, instructions and tools that it was written under. */
  #seeAsCurrentModel(): void {
    let reason: string | undefined;
    this.#sent = pairResults(this.#messages).map((message) => {
      if (message.role !== "assistant" || message.boundTo === this.#binding) return message;
      const otherModel = message.model !== undefined && message.model !== this.#agent.model.id;
      // Written by hand, or by a version that did not say what it is bound to.
      if (message.boundTo === undefined && !otherModel && this.#historyChanged === undefined) return message;
      if (carriesReasoning(message)) {
        reason ??= this.#historyChanged ?? (otherModel ? "another model answers" : "the instructions or tools changed");
      }
      return withoutReasoning(message);
    });
    if (reason !== undefined) this.emit({ type: "reasoning_dropped", reason });
  }

  #push(message: Message): void {
    this.#messages.push(message);
    this.#sent.push(message);
  }

  #rememberCalls(message: Message): void {
    if (message.role !== "assistant") return;
    for (const part of message.content) if (part.type === "tool_call") this.#callIds.add(part.id);
  }
}

export interface GrantedCall {
  readonly call: ToolCallPart;
  readonly refusal: string | undefined;
}
