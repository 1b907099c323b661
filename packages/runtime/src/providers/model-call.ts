import type { ModelRequest } from "../model/provider.js";
import { ProviderError } from "../model/provider-error.js";
import { cutFailure, type Failure, type FailureSite, providerFailure } from "./provider-failure.js";

/** One request on its way: its signal, and what became of it. */
export interface ModelCall {
  readonly site: FailureSite;
  /** Fires on the caller's signal, after the time allowed, and when the call is over. */
  readonly signal: AbortSignal;
  /** To be called when the head of the answer is there: what breaks afterwards is a cut reply. */
  answered(): void;
  /** What is thrown to the caller for what the SDK threw. */
  failure(thrown: unknown): ProviderError;
  /** The stream ended without its terminal event. */
  cut(): ProviderError;
  /** Frees the socket, whatever the SDK does with its stream. */
  end(): void;
}

/** @param readFailure What the SDK's own errors say; undefined for what is none of them. */
export function beginCall(
  request: ModelRequest,
  provider: string,
  readFailure: (thrown: unknown) => Failure | undefined,
): ModelCall {
  const site = { provider, model: request.model };
  const controller = new AbortController();
  const limit = request.timeoutMs === undefined ? undefined : AbortSignal.timeout(request.timeoutMs);
  const signals = [controller.signal, request.signal, limit].filter((signal) => signal !== undefined);
  let isAnswered = false;

  const stopped = (cause: unknown): ProviderError | undefined => {
    const name = `${provider}/${request.model}`;
    if (request.signal?.aborted === true) {
      return new ProviderError(`${name}: aborted by the caller`, { ...site, code: "aborted", retryable: false, cause });
    }
    return limit?.aborted === true
      ? new ProviderError(`${name}: no complete reply within ${request.timeoutMs} ms`, {
          ...site,
          code: "timeout",
          retryable: true,
          cause,
        })
      : undefined;
  };
  return {
    site,
    signal: signals.length === 1 ? controller.signal : AbortSignal.any(signals),
    answered: () => {
      isAnswered = true;
    },
    failure(thrown) {
      if (thrown instanceof ProviderError) return thrown;
      const stop = stopped(thrown);
      if (stop !== undefined) return stop;
      const failure = readFailure(thrown);
      if (failure !== undefined) return providerFailure({ cause: thrown, ...failure }, site);
      if (isAnswered) return cutFailure(site, thrown);
      const reason = reasonOf(thrown);
      return new ProviderError(`${provider}/${request.model}: no connection: ${reason}`, {
        ...site,
        code: "connection",
        retryable: true,
        cause: thrown,
      });
    },
    cut: () => stopped(undefined) ?? cutFailure(site),
    end: () => controller.abort(),
  };
}

/** The innermost message: `fetch failed` alone says nothing. */
function reasonOf(thrown: unknown): string {
  let reason = thrown instanceof Error ? thrown : new Error(String(thrown));
  while (reason.cause instanceof Error) reason = reason.cause;
  return reason.message === "" ? String((reason as { code?: unknown }).code ?? reason.name) : reason.message;
}

/** Imports an SDK; says what to install when it is not there. */
export async function loadSdk<T>(load: () => Promise<T>, site: { provider: string; install: string }): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const isMissing = (cause as { code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
    const message = isMissing
      ? `${site.provider}: the package ${site.install} is not installed; run npm install ${site.install}`
      : `${site.provider}: the package ${site.install} could not be loaded: ${String(cause)}`;
    throw new ProviderError(message, { code: "sdk-missing", provider: site.provider, retryable: false, cause });
  }
}

/** What to do where there is no key, in the words that every provider shares. */
export function keyMissing(variable: string): string {
  return `there is no API key; set the environment variable ${variable}, or give the option apiKey`;
}
