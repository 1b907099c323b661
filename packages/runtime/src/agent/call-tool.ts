import { approvalMissing, approvalRefused } from "../calls/messages.js";
import { encodeResult, runTool } from "../calls/run-tool.js";
import { thrownMessage } from "../calls/thrown-message.js";
import { toJson } from "../calls/to-json.js";
import { toolResult } from "../calls/tool-result.js";
import { shownArguments, validateCall } from "../calls/validate-call.js";
import { showValue } from "../errors/show-value.js";
import { isRecord } from "../manifest/is-record.js";
import type { Json } from "../manifest/json-schema.js";
import type { ToolCallPart, ToolResultPart } from "../model/messages.js";
import { resultAttributes, toolSpan } from "../telemetry/spans.js";
import type { Tool } from "../tool-class.js";
import { markToolContext } from "../tool-context.js";
import type { Approver } from "./agent-options.js";
import { rememberRun } from "./context-runs.js";
import type { Decision } from "./execution.js";
import { handoffReason } from "./handoff.js";
import type { ToolOutcome, ToolStep } from "./hooks.js";
import type { GrantedCall, Run } from "./run.js";

/**
 * One call, from the model's text to its result. Whatever goes wrong becomes a result that says so: every call has
 * exactly one, and the loop goes on.
 */
export async function callTool({ call, refusal }: GrantedCall, run: Run): Promise<ToolResultPart> {
  if (refusal !== undefined) return conclude(call, failed(refusal), { args: shownArguments(call, run), run });
  const checked = await validateCall(call, run);
  if ("problem" in checked) return conclude(call, failed(checked.problem), { args: checked.args, run });
  const { tool, args, value } = checked;
  const step: ToolStep = { id: call.id, name: call.name, args };
  const isQuiet = run.execution.isRecorded(step);
  let outcome = (await decideBefore(step, run)) ?? (await refuseUnapproved(step, { tool, run }));
  if (!isQuiet) run.emit({ type: "tool_start", ...step });
  outcome ??= await perform(step, { tool, value }, run);
  const final = await replaceAfter(step, outcome, run);
  return isQuiet ? toolResult(call, final) : conclude(call, final, { run });
}

const failed = (result: Json): ToolOutcome => ({ status: "error", result });

/** @param options `args`: what is shown of a call that was not announced yet. */
function conclude(
  call: ToolCallPart,
  outcome: ToolOutcome,
  { args, run }: { readonly args?: Json; readonly run: Run },
): ToolResultPart {
  if (args !== undefined) run.emit({ type: "tool_start", id: call.id, name: call.name, args });
  run.emit({ type: "tool_done", id: call.id, name: call.name, ...outcome });
  return toolResult(call, outcome);
}

async function decideBefore(step: ToolStep, run: Run): Promise<ToolOutcome | undefined> {
  const hook = run.options.hooks?.beforeTool;
  if (hook === undefined) return undefined;
  try {
    const decision: unknown = await hook(step);
    if (decision === undefined || decision === null) return undefined;
    if (isRecord(decision)) {
      if (typeof decision.refuse === "string") return failed(`Not run: ${decision.refuse}`);
      if (!("refuse" in decision) && "result" in decision) {
        return { status: "success", result: toJson(decision.result) };
      }
    }
    // It may have been meant to refuse.
    const seen = showValue(decision);
    return failed(`Not run: the hook beforeTool gave back ${seen}, and not undefined, { refuse: text } or { result }`);
  } catch (error) {
    return failed(`Not run: ${thrownMessage(error)}`);
  }
}

async function replaceAfter(step: ToolStep, outcome: ToolOutcome, run: Run): Promise<ToolOutcome> {
  const hook = run.options.hooks?.afterTool;
  if (hook === undefined) return outcome;
  try {
    const replaced: unknown = await hook(step, outcome);
    if (replaced === undefined || replaced === null) return outcome;
    if (isRecord(replaced) && (replaced.status === "success" || replaced.status === "error")) {
      return { status: replaced.status, result: toJson(replaced.result) };
    }
    // It may have been meant to hide the result.
    const seen = showValue(replaced);
    return failed(`the result is not shown: the hook afterTool gave back ${seen}, and not { status, result }`);
  } catch (error) {
    return failed(thrownMessage(error));
  }
}

/** @returns What the model is told instead; undefined when the call may run. */
async function refuseUnapproved(
  step: ToolStep,
  { tool, run }: { readonly tool: Tool; readonly run: Run },
): Promise<ToolOutcome | undefined> {
  const { approve } = run.options;
  const { approvals, signal } = run;
  const shown = { ...step, id: `${run.idPrefix}${step.id}` };
  try {
    const decision = await run.execution.approval(step, {
      needs: () => tool.needsApproval(step.args),
      announce: () => run.emit({ type: "approval_requested", ...shown }),
      approver: approve && (() => askApprover(approve, shown)),
      wait: approvals && (() => approvals.wait(shown.id, signal)),
      conclude: ({ approved, reason }) =>
        run.emit({ type: "approval_decided", id: shown.id, approved, ...(reason === undefined ? {} : { reason }) }),
    });
    if (decision === undefined) return failed(approvalMissing());
    return decision.approved ? undefined : failed(approvalRefused(decision.reason));
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(approvalRefused(`asking failed: ${thrownMessage(error)}`));
  }
}

/** What an approver answers wrongly, or throws, is no approval. */
async function askApprover(approve: Approver, step: ToolStep): Promise<Decision> {
  try {
    const answer = await approve(step);
    if (typeof answer === "boolean") return { approved: answer };
    const { approved, reason } = answer;
    return { approved: approved === true, ...(typeof reason === "string" ? { reason } : {}) };
  } catch (error) {
    return { approved: false, reason: `asking failed: ${thrownMessage(error)}` };
  }
}

async function perform(
  step: ToolStep,
  { tool, value }: { readonly tool: Tool; readonly value: object },
  run: Run,
): Promise<ToolOutcome> {
  const target = run.agent.handoffs.get(step.name);
  if (target !== undefined) return run.proposeHandoff(target, handoffReason(step.args));
  run.callsExecuted += 1;
  const task = { ...step, once: tool.manifestTool.once === true };
  return run.execution.tool(task, (idempotencyKey) => execute(step, { tool, value, idempotencyKey }, run));
}

async function execute(
  { id, args }: ToolStep,
  { tool, value, idempotencyKey }: { readonly tool: Tool; readonly value: object; readonly idempotencyKey: string },
  run: Run,
): Promise<ToolOutcome> {
  let running = true;
  const time = limitTime(run.signal, tool.timeoutMs ?? run.options.toolTimeoutMs ?? 60_000);
  const context = markToolContext({
    toolName: tool.name,
    callId: id,
    idempotencyKey,
    ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
    signal: time.signal,
    deps: run.deps,
    // What a call shows after its end has no place in the order of events.
    progress: (shown) => {
      if (running) run.emit({ type: "tool_progress", id, value: progressJson(shown) });
    },
  });
  rememberRun(context, run);
  const { telemetry } = run;
  const { contents } = telemetry;
  const { name, description } = tool;
  try {
    return await telemetry.withSpan(toolSpan({ id, name, description, args, contents }), async (span) => {
      try {
        const returned = await runTool(tool, value, context);
        const result = await encodeResult(tool, returned, { callId: id });
        span.set(resultAttributes(result, { contents }));
        return { status: "success", result } as const;
      } catch (error) {
        span.fail((error as { code?: string }).code ?? "tool-failed");
        return failed(thrownMessage(error));
      }
    });
  } finally {
    running = false;
    time.clear();
  }
}

/** Showing progress must not fail the call. */
function progressJson(shown: unknown): Json {
  try {
    return toJson(shown);
  } catch {
    return "(a value without a JSON form)";
  }
}

/** A timer set for longer would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The run's signal, and a time of its own. */
function limitTime(runSignal: AbortSignal, timeoutMs: number): { signal: AbortSignal; clear: () => void } {
  if (timeoutMs > LONGEST_TIMER_MS) return { signal: runSignal, clear: () => {} };
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`the tool took longer than ${timeoutMs} ms and was stopped`, "TimeoutError"));
  }, timeoutMs);
  return { signal: AbortSignal.any([runSignal, controller.signal]), clear: () => clearTimeout(timer) };
}
