import type OpenAI from "openai";
import type { ProviderOptions } from "../../model/provider.js";
import { ProviderError } from "../../model/provider-error.js";
import { keyMissing, loadSdk } from "../model-call.js";
import type { Failure } from "../provider-failure.js";

/** A client of OpenAI's SDK, and what its errors say. */
export async function openClient(
  options: ProviderOptions,
  provider: string,
): Promise<{ readonly client: OpenAI; readFailure(thrown: unknown): Failure | undefined }> {
  const {
    default: OpenAIClient,
    APIError,
    APIConnectionError,
    APIUserAbortError,
  } = await loadSdk(() => import("openai"), { provider, install: "openai" });
  // Servers of one's own often want no key, but the SDK does.
  const needsNone = options.baseUrl !== undefined && process.env.OPENAI_API_KEY === undefined;
  const apiKey = options.apiKey ?? (needsNone ? "none" : undefined);
  if (apiKey === undefined && process.env.OPENAI_API_KEY === undefined && process.env.OPENAI_ADMIN_KEY === undefined) {
    const message = `${provider}: ${keyMissing("OPENAI_API_KEY")}`;
    throw new ProviderError(message, { code: "authentication", provider, retryable: false });
  }
  const client = new OpenAIClient({
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(options.baseUrl === undefined ? {} : { baseURL: withVersion(options.baseUrl) }),
    defaultHeaders: { ...azureKey(options), ...options.headers },
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    maxRetries: 0,
    // It would print pieces of replies; what there is to know stands in our errors.
    ...(process.env.OPENAI_LOG === undefined ? { logLevel: "off" as const } : {}),
    timeout: 2 ** 31 - 1,
  });
  return {
    client,
    readFailure(thrown) {
      const isOurs = thrown instanceof APIError;
      if (!isOurs || thrown instanceof APIConnectionError || thrown instanceof APIUserAbortError) return undefined;
      const { status, headers, error, message, code } = thrown;
      const body = error === undefined ? { message, code } : error;
      return { status, headers, body, message };
    },
  };
}

/** Azure wants the key in a header of its own. */
function azureKey({ baseUrl, apiKey }: ProviderOptions): Readonly<Record<string, string>> {
  return apiKey !== undefined && baseUrl?.includes(".azure.com") === true ? { "api-key": apiKey } : {};
}

/** OpenAI's own address and those of most servers end in `/v1`; one with a path is left as it is. */
function withVersion(baseUrl: string): string {
  const url = baseUrl.replace(/\/+$/, "");
  return /^https?:\/\/[^/]+$/.test(url) ? `${url}/v1` : url;
}
