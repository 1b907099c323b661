import { toDurable } from "./durable-value.js";
import { TaskError, toFailure } from "./errors.js";
import type { TaskCall } from "./run-task.js";
import { retryPlan, withTimeLimit } from "./time-limit.js";

/** A task outside of a workflow: the same tries, limits and values, without a log. */
export async function runAlone(call: TaskCall): Promise<unknown> {
  const { name, options } = call;
  const taskId = crypto.randomUUID();
  if (options.requiresApproval !== undefined && (await options.requiresApproval())) {
    const message = `${name} needs a person's approval, which only a workflow can wait for; call it inside of one`;
    throw new TaskError({ name: "WorkflowError", code: "outside-workflow", message }, { task: name, taskId });
  }
  const retry = retryPlan(options.retries);
  const { signal } = new AbortController();
  for (let failed = 0; ; ) {
    try {
      const made = await withTimeLimit({ name, timeoutMs: options.timeoutMs, signal }, async (limited) =>
        call.execute({ taskId, attempt: failed + 1, idempotencyKey: taskId, signal: limited }),
      );
      return (await toDurable(made, { schema: call.returns, name })).value;
    } catch (thrown) {
      failed += 1;
      if (failed <= retry.attempts) {
        await new Promise((resolve) => setTimeout(resolve, retry.delayMs(failed)));
        continue;
      }
      return concludeFailure(call, { taskId, thrown });
    }
  }
}

async function concludeFailure(
  call: TaskCall,
  { taskId, thrown }: { taskId: string; thrown: unknown },
): Promise<unknown> {
  const { fallback, rollback } = call.options;
  let last = thrown;
  if (fallback !== undefined) {
    try {
      return (await toDurable(await fallback(), { schema: call.returns, name: call.name })).value;
    } catch (error) {
      last = error;
    }
  }
  try {
    await rollback?.();
  } catch {
    // As inside of a workflow: the task's own failure is what the caller gets.
  }
  throw new TaskError(toFailure(last, "task-failed"), { task: call.name, taskId, cause: last });
}
