import type { Decision, Execution, ModelTask, ToolTask } from "../agent/execution.js";
import type { ToolOutcome } from "../agent/hooks.js";
import type { Json } from "../manifest/json-schema.js";
import type { ModelReply } from "../model/model-events.js";
import { ProviderError, type ProviderErrorCode } from "../model/provider-error.js";
import { shortHash } from "./canonical-json.js";
import { TaskError } from "./errors.js";
import { decide, runTask, type TaskCall, taskIdBase, taskName } from "./run-task.js";
import type { Scope } from "./scope.js";

/**
 * The steps of an agent inside a workflow: each request to the model is a task `llm_0`, `llm_1`, …, each call a task
 * of its tool's name. What was recorded is answered from the log, so the model is not asked again.
 */
export function recordedExecution(
  outer: Scope,
  { agent, question }: { readonly agent: string; readonly question: string },
): Execution {
  const { run } = outer;
  const scope: Scope = {
    ...outer,
    prefix: `${run.nextId(`${outer.prefix}${taskName(agent)}#${shortHash(question)}`)}/`,
  };
  const modelCall = ({ step, model }: ModelTask): Omit<TaskCall, "execute"> => ({
    name: `llm_${step - 1}`,
    args: { model },
    key: "",
    options: {},
    failureDetails: providerFailure,
  });
  const toolCall = ({ id, name, args }: ToolTask): Omit<TaskCall, "execute"> => ({ name, args, key: id, options: {} });
  return {
    runId: run.runId,
    isRecorded: (task) => run.hasEnd(taskIdBase("step" in task ? modelCall(task) : toolCall(task), scope.prefix)),
    async model(task, ask) {
      try {
        return (await runTask({ ...modelCall(task), execute: ask }, scope)) as ModelReply;
      } catch (error) {
        throw error instanceof TaskError ? revive(error) : error;
      }
    },
    async tool(task, call) {
      const { once } = task;
      const execute: TaskCall["execute"] = async ({ idempotencyKey }) => {
        const outcome = await call(idempotencyKey);
        // Cut off: that is no result, and the call is made again when the run goes on.
        run.signal.throwIfAborted();
        return outcome;
      };
      try {
        return (await runTask({ ...toolCall(task), options: { once }, execute }, scope)) as ToolOutcome;
      } catch (error) {
        if ((error as { code?: unknown }).code !== "outcome-unknown") throw error;
        return { status: "error", result: (error as Error).message };
      }
    },
    async approval(task, { needs, announce, approver, conclude }) {
      const call = toolCall(task);
      const taskId = taskIdBase(call, scope.prefix);
      // It ran, so it was approved.
      if (run.hasEnd(taskId)) return { approved: true };
      if (approver === undefined) {
        const site = { call, taskId, scope, frame: scope.frame };
        return decide(site, { args: task.args, needs, onAsk: announce, onDecision: conclude });
      }
      const execute = async (): Promise<Decision> => {
        if (!(await needs())) return { approved: true };
        announce();
        const decision = await approver();
        conclude(decision);
        return decision;
      };
      return (await runTask({ ...call, name: `approve_${call.name}`, execute }, scope)) as Decision;
    },
  };
}

/** What a failed request says of itself, for those who decide whether to ask another model. */
function providerFailure(thrown: unknown): Json | undefined {
  if (!(thrown instanceof ProviderError)) return undefined;
  const { provider, model, retryable, partial, status } = thrown;
  return {
    provider,
    retryable,
    partial,
    ...(model === undefined ? {} : { model }),
    ...(status === undefined ? {} : { status }),
  };
}

function revive(error: TaskError): Error {
  const { provider, model, retryable, partial, status } = (error.details ?? {}) as {
    readonly provider?: string;
    readonly model?: string;
    readonly retryable?: boolean;
    readonly partial?: boolean;
    readonly status?: number;
  };
  if (provider === undefined) return error;
  const revived = new ProviderError(error.message, {
    code: error.code as ProviderErrorCode,
    provider,
    model,
    status,
    retryable: retryable === true,
    cause: error,
  });
  revived.partial = partial === true;
  return revived;
}
