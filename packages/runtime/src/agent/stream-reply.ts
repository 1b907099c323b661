import type { ModelReply } from "../model/model-events.js";
import type { ModelRequest } from "../model/provider.js";
import { ProviderError } from "../model/provider-error.js";
import type { Run } from "./run.js";

/** A provider that asks for a longer wait gets none: the caller knows better what to do with a minute. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 500;

/**
 * One request to the model, made again on failures that may pass. What was shown of a failed attempt cannot be taken
 * back, so once a token was shown there is no second attempt.
 *
 * @throws {ProviderError} with `partial` when part of the reply was shown.
 */
export async function streamReply(request: ModelRequest, { run }: { readonly run: Run }): Promise<ModelReply> {
  const { model } = run.agent;
  const maxRetries = run.options.maxRetries ?? 2;
  for (let attempt = 1; ; attempt += 1) {
    let shown = false;
    try {
      for await (const event of model.provider.stream(request)) {
        if (event.type === "reply") return event.reply;
        if (!run.streamsTokens) continue;
        shown = true;
        const behind = run.emit({ type: event.type === "text" ? "token" : "reasoning", text: event.text });
        if (behind !== undefined) await behind;
      }
      throw new ProviderError("the stream ended without a reply", {
        code: "cut",
        provider: model.provider.name,
        model: model.model,
        retryable: true,
      });
    } catch (error) {
      if (shown) throw markPartial(error);
      const waitMs = waitBeforeNext(error, attempt);
      if (attempt > maxRetries || waitMs === undefined) throw error;
      run.emit({ type: "retry", attempt: attempt + 1, waitMs, reason: (error as Error).message });
      await pause(waitMs, run.signal);
    }
  }
}

function markPartial(error: unknown): unknown {
  if (error instanceof ProviderError) error.partial = true;
  return error;
}

/** Callers test fields, not classes: two copies of the package may be installed. */
function waitBeforeNext(error: unknown, attempt: number): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { retryable, retryAfterMs } = error as Partial<ProviderError>;
  if (retryable !== true) return undefined;
  if (retryAfterMs !== undefined) return retryAfterMs <= LONGEST_WAIT_MS ? Math.max(retryAfterMs, 0) : undefined;
  const backoff = FIRST_WAIT_MS * 2 ** (attempt - 1);
  return Math.round(Math.min(backoff, 8000) * (0.75 + Math.random() / 4));
}

function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, waitMs);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
