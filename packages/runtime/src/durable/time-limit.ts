import { WorkflowError } from "./errors.js";
import type { RetryOptions, TaskOptions } from "./task-options.js";

/** Work that has a time limit. @throws {WorkflowError} `task-timeout`, also when the work does not listen to its signal. */
export async function withTimeLimit<T>(
  limit: { readonly name: string; readonly timeoutMs: number | undefined; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { name, timeoutMs, signal } = limit;
  if (timeoutMs === undefined) return work(signal);
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const expired = new WorkflowError(`${name} took longer than ${timeoutMs} ms`, { code: "task-timeout" });
      controller.abort(expired);
      reject(expired);
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, controller.signal])), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** How many tries come after the first one, and the delay before each. */
export function retryPlan(retries: TaskOptions["retries"]): {
  readonly attempts: number;
  delayMs(failed: number): number;
} {
  const options: RetryOptions = typeof retries === "object" ? retries : { attempts: retries ?? 0 };
  const { attempts, delayMs = 1_000, backoff = 2, maxDelayMs = 60_000 } = options;
  return { attempts, delayMs: (failed) => Math.min(delayMs * backoff ** (failed - 1), maxDelayMs) };
}
