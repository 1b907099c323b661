import { inParallel } from "../events/in-parallel.js";
import type { ToolCallPart, ToolResultPart } from "../model/messages.js";
import type { ToolChoice } from "../model/provider.js";
import { ANSWER_TOOL } from "../output/response-format.js";
import {
  finishWithCall,
  finishWithFormat,
  finishWithText,
  needsFormattedAnswer,
  type RunOutcome,
  toolCalls,
} from "./answer.js";
import { askModel } from "./ask-model.js";
import { callTool } from "./call-tool.js";
import { handOver } from "./hand-over.js";
import type { GrantedCall, Run } from "./run.js";

/**
 * The loop: ask the model, run the tools that it calls, give the results back, until it answers.
 *
 * @throws {AgentError | ProviderError} The caller turns it into the terminal event.
 */
export async function runAgent(run: Run): Promise<RunOutcome> {
  while (true) {
    const reply = await askModel(run, () => chooseTools(run));
    const calls = toolCalls(reply);
    const answerCall = calls.find(({ name }) => run.answersByTool && name === ANSWER_TOOL);
    if (answerCall !== undefined) {
      const outcome = await finishWithCall(run, reply, answerCall);
      // Every call has a result in the history, also those beside the answer.
      run.addResults(
        calls.map((call) => run.answerResult(call, { isAnswer: call === answerCall, problem: outcome.problem })),
      );
      if (outcome.done !== undefined) return outcome.done;
    } else if (calls.length > 0) {
      run.addResults(await callAll(run.grantCalls(reply, calls), run));
      if (await handOver(run)) return finishWithText(run, reply, "handoff");
      // Tool use was forbidden and yet asked for: another request would end no better.
      if (run.isFinalRequest) return finishWithText(run, reply);
    } else if (!needsFormattedAnswer(run, reply)) {
      return finishWithText(run, reply);
    } else if (run.outputWasAsked) {
      const outcome = await finishWithFormat(run, reply);
      if (outcome.done !== undefined) return outcome.done;
      run.addUser(outcome.problem);
    } else {
      run.askForOutput();
    }
  }
}

/** None left: a final answer from what is known, with the same tools, since reasoning is bound to the tools array. */
function chooseTools(run: Run): ToolChoice {
  run.isFinalRequest = run.exhausted !== undefined;
  if (run.isFinalRequest || run.tools.size === 0) return run.answersByTool ? { tool: ANSWER_TOOL } : "none";
  return run.callsMade === 0 ? (run.options.toolChoice ?? "auto") : "auto";
}

/** Side by side, except for tools that want to be alone: such a call waits for those before it, and those after wait. */
async function callAll(calls: readonly GrantedCall[], run: Run): Promise<readonly ToolResultPart[]> {
  const limit = run.options.parallelToolCalls === false ? 1 : (run.options.maxConcurrentTools ?? calls.length);
  const results: ToolResultPart[] = [];
  for (const group of inGroups(calls, (call) => run.tools.get(call.name)?.sequential === true)) {
    const tasks = group.map((granted) => () => callTool(granted, run));
    results.push(...(await inParallel(tasks, limit)));
  }
  return results;
}

function inGroups(calls: readonly GrantedCall[], isAlone: (call: ToolCallPart) => boolean): readonly GrantedCall[][] {
  const groups: GrantedCall[][] = [];
  let open: GrantedCall[] | undefined;
  for (const granted of calls) {
    const alone = isAlone(granted.call);
    if (alone || open === undefined) {
      const group = [granted];
      groups.push(group);
      open = alone ? undefined : group;
    } else {
      open.push(granted);
    }
  }
  return groups;
}
