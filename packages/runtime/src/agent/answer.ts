import { parseArguments } from "../calls/parse-arguments.js";
import { AgentError } from "../errors/agent-error.js";
import type { RunDone, RunStop } from "../events/run-events.js";
import type { Json } from "../manifest/json-schema.js";
import type { ToolCallPart } from "../model/messages.js";
import type { ModelReply } from "../model/model-events.js";
import { ANSWER_TOOL, type CheckedAnswer, checkAnswer, readAnswer, unwrapAnswer } from "../output/response-format.js";
import type { Schema } from "../schema.js";
import type { Run } from "./run.js";

/** What a run ends with: the terminal event, and the answer as the caller gets it. */
export interface RunOutcome {
  readonly done: RunDone;
  readonly value: unknown;
}

/** The end of a run, or what the model gets one chance to mend. */
export type AnswerOutcome =
  | { readonly done: RunOutcome; readonly problem?: undefined }
  | { readonly done?: undefined; readonly problem: string };

export function toolCalls(reply: ModelReply): ToolCallPart[] {
  return reply.message.content.filter((part) => part.type === "tool_call");
}

function textOf(reply: ModelReply): string {
  return reply.message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function needsFormattedAnswer(run: Run, reply: ModelReply): boolean {
  return run.format !== undefined && reply.stop !== "refusal" && reply.stop !== "length";
}

/** The reply's text is the answer. @throws {AgentError} where a format was asked for. */
export function finishWithText(run: Run, reply: ModelReply, stop?: RunStop): RunOutcome {
  const content = textOf(reply) || (reply.refusal ?? "");
  if (run.format !== undefined && stop !== "handoff") throw noAnswer(run, reply, content);
  return { done: done(run, { value: content, content, stop: stop ?? stopOf(run, reply) }), value: content };
}

function noAnswer(run: Run, reply: ModelReply, content: string): AgentError {
  if (reply.stop === "refusal") {
    return new AgentError(`the model refused: ${content || "it gave no reason"}`, { code: "model-refused" });
  }
  if (reply.stop === "length") {
    return new AgentError("the answer was cut by the output limit; raise maxTokens", {
      code: "output-cut",
      text: content,
    });
  }
  const why = run.exhausted ?? "tool use was forbidden";
  return new AgentError(`${why}, and the model called tools again instead of answering`, {
    code: "no-answer",
    text: content,
  });
}

/** The reply's text as a value of the format. */
export async function finishWithFormat(run: Run, reply: ModelReply): Promise<AnswerOutcome> {
  const { output } = run.agent;
  const text = textOf(reply);
  const restore = (value: unknown): unknown => output?.restore(value as Json) ?? value;
  const answer = await readAnswer(run.format as Schema<unknown>, text, restore);
  return conclude(answer, { run, reply, text, again: "Correct this and give the whole answer again, as JSON only." });
}

/** The arguments of the synthetic tool as a value of the format. */
export async function finishWithCall(run: Run, reply: ModelReply, call: ToolCallPart): Promise<AnswerOutcome> {
  const answer = await readCall(run, call);
  return conclude(answer, {
    run,
    reply,
    text: call.arguments,
    again: `Correct this and call ${ANSWER_TOOL} again.`,
  });
}

async function readCall(run: Run, call: ToolCallPart): Promise<CheckedAnswer> {
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) return { valid: false, problem: parsed.problem };
  const format = run.format as Schema<unknown>;
  const args = run.restoreArguments(call.name, parsed.value) as Record<string, unknown>;
  return checkAnswer(format, unwrapAnswer(format, args));
}

function conclude(
  answer: CheckedAnswer,
  context: { readonly run: Run; readonly reply: ModelReply; readonly text: string; readonly again: string },
): AnswerOutcome {
  const { run, reply, text, again } = context;
  if (answer.valid) {
    const content = textOf(reply) || JSON.stringify(answer.json);
    const value = answer.json as Json;
    return { done: { done: done(run, { value, content, stop: stopOf(run, reply) }), value: answer.value } };
  }
  if (run.takeRepair()) return { problem: `${answer.problem}\n\n${again}` };
  throw new AgentError(`the model's answer does not fit the response format, also after a repair: ${answer.problem}`, {
    code: "output-refused",
    retryable: true,
    text,
  });
}

function stopOf(run: Run, reply: ModelReply): RunStop {
  if (reply.stop === "refusal" || reply.stop === "length") return reply.stop;
  if (!run.isFinalRequest || run.tools.size === 0) return "end";
  return run.callsMade >= run.maxToolCalls ? "limit" : "budget";
}

function done(run: Run, end: { readonly value: Json; readonly content: string; readonly stop: RunStop }): RunDone {
  return {
    type: "done",
    value: end.value,
    content: end.content,
    usage: run.usage,
    ...(run.cost === undefined ? {} : { cost: run.cost }),
    stop: end.stop,
    toolCallsExecuted: run.callsExecuted,
    ...(run.notes.length === 0 ? {} : { notes: run.notes }),
  };
}
