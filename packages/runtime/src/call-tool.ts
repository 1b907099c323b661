import { approvalMissing, approvalRefused } from "./calls/messages.js";
import { encodeResult, runTool } from "./calls/run-tool.js";
import { thrownMessage } from "./calls/thrown-message.js";
import { toJson } from "./calls/to-json.js";
import { shownArguments, validateCall } from "./calls/validate-call.js";
import type { Json } from "./manifest/json-schema.js";
import type { ToolCallPart, ToolResultPart } from "./model/messages.js";
import type { Run } from "./run.js";
import type { Tool } from "./tool-class.js";
import type { ToolContext } from "./tool-context.js";

/**
 * One call, from the model's text to its result. Whatever goes wrong becomes a result that says so: every call has
 * exactly one, and the loop goes on.
 *
 * @param options `refusal`: why the call must not run at all.
 */
export async function callTool(
  call: ToolCallPart,
  run: Run,
  options: { readonly refusal: string | undefined },
): Promise<ToolResultPart> {
  const prepared =
    options.refusal === undefined
      ? await validateCall(call, run)
      : { problem: options.refusal, args: shownArguments(call, run) };
  if ("problem" in prepared) {
    run.emit({ type: "tool_start", id: call.id, name: call.name, args: prepared.args });
    return conclude(call, { status: "error", result: prepared.problem }, run);
  }
  const { tool, args, value } = prepared;
  const refusal = tool.manifestTool.requiresApproval === true ? await askApproval(call, args, run) : undefined;
  run.emit({ type: "tool_start", id: call.id, name: call.name, args });
  if (refusal !== undefined) return conclude(call, { status: "error", result: refusal }, run);
  return conclude(call, await execute(call, { tool, value }, run), run);
}

interface Outcome {
  readonly status: "success" | "error";
  readonly result: Json;
}

function conclude(call: ToolCallPart, outcome: Outcome, run: Run): ToolResultPart {
  const { status, result } = outcome;
  run.emit({ type: "tool_done", id: call.id, name: call.name, status, result });
  return toolResult(call, outcome);
}

/** A string goes to the model bare, everything else as JSON text. */
export function toolResult({ id, name }: ToolCallPart, { status, result }: Outcome): ToolResultPart {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return {
    type: "tool_result",
    callId: id,
    name,
    content: [{ type: "text", text }],
    ...(status === "error" ? { isError: true } : {}),
  };
}

/** @returns Why the call must not run; undefined when it may. */
async function askApproval(call: ToolCallPart, args: Json, run: Run): Promise<string | undefined> {
  if (run.approve === undefined) return approvalMissing();
  run.emit({ type: "approval_requested", id: call.id, name: call.name, args });
  let decision: { readonly approved: boolean; readonly reason?: string };
  try {
    const answer = await run.approve({ id: call.id, name: call.name, args });
    decision = typeof answer === "boolean" ? { approved: answer } : answer;
  } catch (error) {
    decision = { approved: false, reason: `asking failed: ${thrownMessage(error)}` };
  }
  const { approved, reason } = decision;
  run.emit({ type: "approval_decided", id: call.id, approved, ...(reason === undefined ? {} : { reason }) });
  return approved === true ? undefined : approvalRefused(reason);
}

async function execute(
  call: ToolCallPart,
  { tool, value }: { readonly tool: Tool; readonly value: object },
  run: Run,
): Promise<Outcome> {
  let running = true;
  const time = limitTime(run.signal, run.toolTimeoutMs);
  const context: ToolContext = {
    toolName: tool.name,
    callId: call.id,
    idempotencyKey: `${run.id}:${call.id}`,
    ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
    signal: time.signal,
    deps: run.deps,
    // What a call shows after its end has no place in the order of events.
    progress: (shown) => {
      if (running) run.emit({ type: "tool_progress", id: call.id, value: progressJson(shown) });
    },
  };
  run.callsExecuted += 1;
  try {
    const returned = await runTool(tool, value, context);
    return { status: "success", result: await encodeResult(tool, returned, { callId: call.id }) };
  } catch (error) {
    return { status: "error", result: thrownMessage(error) };
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
