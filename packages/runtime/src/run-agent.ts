import { callTool } from "./call-tool.js";
import { AgentError } from "./errors/agent-error.js";
import { inParallel } from "./events/in-parallel.js";
import type { RunDone, RunStop } from "./events/run-events.js";
import type { Json } from "./manifest/json-schema.js";
import type { ToolCallPart } from "./model/messages.js";
import type { ModelReply } from "./model/model-events.js";
import type { ToolChoice } from "./model/provider.js";
import { ANSWER_TOOL, type CheckedAnswer } from "./output/response-format.js";
import type { Run } from "./run.js";
import { streamReply } from "./stream-reply.js";

/** How often a provider may ask for its own turn back before that is no progress. */
const MOST_PAUSES = 10;

/** What a run ends with: the terminal event, and the answer as the caller gets it. */
export interface RunOutcome {
  readonly done: RunDone;
  readonly value: unknown;
}

/**
 * The loop: ask the model, run the tools that it calls, give the results back, until it answers.
 *
 * @throws {AgentError | ProviderError} The caller turns it into the terminal event.
 */
export async function runAgent(run: Run): Promise<RunOutcome> {
  while (true) {
    const reply = await askModel(run, chooseTools(run));
    const calls = toolCalls(reply);
    const answerCall = calls.find(({ name }) => run.answersByTool && name === ANSWER_TOOL);
    if (answerCall !== undefined) {
      const outcome = await finish(run, reply, await run.readAnswerCall(answerCall));
      // Every call has a result in the history, also those beside the answer.
      run.addResults(calls.map((call) => run.answerResult(call, outcome.problem)));
      if (outcome.done !== undefined) return outcome.done;
    } else if (calls.length > 0) {
      const granted = run.grantCalls(reply, calls);
      const results = await inParallel(
        granted.map(
          ({ call, refusal }) =>
            () =>
              callTool(call, run, { refusal }),
        ),
        run.parallelToolCalls ? granted.length : 1,
      );
      run.addResults(results);
      // Tool use was forbidden and yet asked for: another request would end no better.
      if (run.isFinalRequest) return finishWithText(run, reply);
    } else if (!run.needsFormattedAnswer(reply)) {
      return finishWithText(run, reply);
    } else if (run.outputWasAsked) {
      const outcome = await finish(run, reply, await run.readAnswerText(reply));
      if (outcome.done !== undefined) return outcome.done;
      run.addUser(`${outcome.problem}\n\n${run.repairRequest}`);
    } else {
      run.askForOutput();
    }
  }
}

/** None left: a final answer from what is known, with the same tools, since reasoning is bound to the tools array. */
function chooseTools(run: Run): ToolChoice {
  if (run.callsLeft > 0 && run.tools.size > 0) return "auto";
  return run.answersByTool ? { tool: ANSWER_TOOL } : "none";
}

async function askModel(run: Run, toolChoice: ToolChoice): Promise<ModelReply> {
  let malformed = 0;
  for (let pauses = 0; ; ) {
    const reply = await streamReply(run, toolChoice);
    if (reply.stop === "malformed" && malformed === 0) {
      malformed += 1;
      run.emit({ type: "retry", attempt: 2, waitMs: 0, reason: "the model wrote a tool call that cannot be read" });
      continue;
    }
    if (reply.stop === "malformed" || reply.stop === "error") {
      const word = reply.rawStop === undefined ? "" : ` (${reply.rawStop})`;
      throw new AgentError(`the model stopped without an answer${word}`, { code: "model-stopped", retryable: true });
    }
    run.addReply(reply);
    // A call is due its result first, whatever word the provider has for the stop.
    if (reply.stop !== "pause" || toolCalls(reply).length > 0) return reply;
    pauses += 1;
    if (pauses > MOST_PAUSES) {
      throw new AgentError(`the provider paused the turn ${MOST_PAUSES} times`, {
        code: "model-stopped",
        retryable: true,
      });
    }
  }
}

export function toolCalls(reply: ModelReply): ToolCallPart[] {
  return reply.message.content.filter((part) => part.type === "tool_call");
}

export function textOf(reply: ModelReply): string {
  return reply.message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function stopOf(run: Run, reply: ModelReply): RunStop {
  if (reply.stop === "refusal" || reply.stop === "length") return reply.stop;
  return run.isFinalRequest && run.tools.size > 0 ? "limit" : "end";
}

function finishWithText(run: Run, reply: ModelReply): RunOutcome {
  const content = textOf(reply) || (reply.refusal ?? "");
  if (run.responseFormat !== undefined) {
    throw noAnswer(run, reply, content);
  }
  return { done: done(run, reply, { value: content, content }), value: content };
}

function noAnswer(run: Run, reply: ModelReply, content: string): AgentError {
  if (reply.stop === "refusal") {
    return new AgentError(`the model refused: ${content || "it gave no reason"}`, { code: "model-refused" });
  }
  if (reply.stop === "length") {
    return new AgentError("the answer was cut by the output limit; raise maxTokens", { code: "output-cut" });
  }
  const limit = `the limit of ${run.maxToolCalls} tool calls was reached`;
  return new AgentError(`${limit}, and the model called tools again instead of answering`, { code: "no-answer" });
}

/** The end of a run with a `responseFormat`, or the problem that the model gets one chance to mend. */
async function finish(
  run: Run,
  reply: ModelReply,
  answer: CheckedAnswer,
): Promise<{ done: RunOutcome; problem?: undefined } | { done?: undefined; problem: string }> {
  if (answer.valid) {
    const content = textOf(reply) || JSON.stringify(answer.json);
    return { done: { done: done(run, reply, { value: answer.json as Json, content }), value: answer.value } };
  }
  if (!run.takeRepair()) {
    throw new AgentError(
      `the model's answer does not fit the response format, also after a repair: ${answer.problem}`,
      {
        code: "output-refused",
        retryable: true,
      },
    );
  }
  return { problem: answer.problem };
}

function done(run: Run, reply: ModelReply, { value, content }: { value: Json; content: string }): RunDone {
  return {
    type: "done",
    value,
    content,
    usage: run.usage,
    stop: stopOf(run, reply),
    toolCallsExecuted: run.callsExecuted,
  };
}
