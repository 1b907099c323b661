import type { Json } from "../manifest/json-schema.js";
import { ProviderError, type ProviderErrorCode } from "../model/provider-error.js";

/** What is known of a failed request, whatever SDK reported it. */
export interface Failure {
  readonly status?: number | undefined;
  readonly headers?: Headers | undefined;
  /** Parsed where it was JSON. */
  readonly body?: unknown;
  readonly message?: string | undefined;
  readonly cause?: unknown;
}

/** Where a failure happened. */
export interface FailureSite {
  readonly provider: string;
  readonly model: string;
}

/** Turns what is known of a failed request into the one error that the agent loop understands. */
export function providerFailure(failure: Failure, site: FailureSite): ProviderError {
  const body = readErrorBody(failure.body);
  const status = failure.status ?? body.status ?? statusOfType(body.code) ?? statusOfType(body.type);
  const message = body.message ?? plainText(failure.message) ?? `status ${status ?? "unknown"}`;
  const code = codeOf(status, { ...body, message });
  const asked = failure.headers?.get("x-should-retry");
  const retryable = asked === "true" || (asked !== "false" && isRetryable(code));
  return new ProviderError(`${site.provider}/${site.model}: ${message}`, {
    ...site,
    code,
    status,
    retryable,
    retryAfterMs: retryable ? waitOf(failure.headers, body, message) : undefined,
    requestId:
      failure.headers?.get("request-id") ?? failure.headers?.get("x-request-id") ?? body.requestId ?? undefined,
    body: body.text,
    cause: failure.cause,
  });
}

/** The stream ended before the event that ends a reply. */
export function cutFailure(site: FailureSite, cause?: unknown): ProviderError {
  const message = `${site.provider}/${site.model}: the reply broke off before its end`;
  return new ProviderError(message, { ...site, code: "cut", retryable: true, cause });
}

interface ErrorBody {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  readonly status?: number;
  readonly retryDelayMs?: number;
  readonly reason?: string;
  readonly requestId?: string;
  readonly text?: string;
}

/** Reads `{error: {…}}`, `{error: "…"}`, `{detail: …}`, an array of one of them, JSON inside `message`, or plain text. */
function readErrorBody(body: unknown): ErrorBody {
  const text = body === undefined || body === null ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const parsed = typeof body === "string" ? tryParse(body) : body;
  const root = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isRecord(root)) return text === undefined ? {} : { text };
  const inner = isRecord(root.error) ? root.error : root;
  const said = [inner.message, root.error, root.detail, root.message].find((part) => typeof part === "string");
  const nested = typeof said === "string" && said.startsWith("{") ? tryParse(said) : undefined;
  if (isRecord(nested) && (nested.error !== undefined || nested.message !== undefined)) {
    return { ...readErrorBody(nested), ...(text === undefined ? {} : { text }) };
  }
  const code = [inner.code, inner.status].find((part) => typeof part === "string") as string | undefined;
  const status = [inner.code, inner.status, root.status].find(
    (part) => typeof part === "number" && part >= 400 && part < 600,
  ) as number | undefined;
  const details = Array.isArray(inner.details) ? inner.details.filter(isRecord) : [];
  const retryDelay = details.map((detail) => detail.retryDelay).find((delay) => typeof delay === "string");
  const reason = details.map((detail) => detail.reason).find((part) => typeof part === "string");
  const filter = isRecord(inner.innererror) ? inner.innererror.code : undefined;
  return {
    ...(typeof said === "string" ? { message: said } : {}),
    ...(typeof inner.type === "string" ? { type: inner.type } : {}),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    ...(typeof retryDelay === "string" ? { retryDelayMs: Number.parseFloat(retryDelay) * 1_000 } : {}),
    ...(typeof reason === "string" ? { reason } : typeof filter === "string" ? { reason: filter } : {}),
    ...(typeof root.request_id === "string" ? { requestId: root.request_id } : {}),
    ...(text === undefined ? {} : { text }),
  };
}

/** Error events in a stream have a type and no status. */
function statusOfType(type: string | undefined): number | undefined {
  const statuses: Record<string, number> = {
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    insufficient_quota: 429,
    api_error: 500,
    server_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  };
  return type === undefined ? undefined : statuses[type];
}

function codeOf(status: number | undefined, body: ErrorBody & { message: string }): ProviderErrorCode {
  const { code, type, message, reason } = body;
  if (code === "tool_use_failed" || message.includes("tool_use_failed")) return "tool-call-refused";
  if (code === "content_filter" || reason === "ResponsibleAIPolicyViolation") return "content-filter";
  if (reason === "API_KEY_INVALID") return "authentication";
  if (code === "insufficient_quota" || type === "insufficient_quota") return "quota";
  if (status === 400 || status === 413 || status === undefined) {
    const isTooLong =
      code === "context_length_exceeded" ||
      /prompt is too long|maximum context length|context window|input token count.*exceeds|exceeds? the (?:model's )?context/i.test(
        message,
      );
    if (isTooLong) return "context-too-long";
  }
  switch (status) {
    case 401:
      return "authentication";
    case 402:
      return "billing";
    case 403:
      return "permission";
    case 404:
      return "not-found";
    case 408:
      return "timeout";
    case 413:
      return "too-large";
    case 429:
      return "rate-limit";
    case 503:
    case 529:
      return "overloaded";
    case undefined:
    case 409:
      return "server";
    default:
      return status >= 500 ? "server" : "bad-request";
  }
}

/** Whether the same request may succeed later, where the provider does not say. */
export function isRetryable(code: ProviderErrorCode): boolean {
  return ["rate-limit", "overloaded", "server", "connection", "timeout", "cut", "malformed-reply"].includes(code);
}

/** `retry-after-ms`, `retry-after` in seconds or as a date, `RetryInfo` in the body, or a sentence in the message. */
function waitOf(headers: Headers | undefined, body: ErrorBody, message: string): number | undefined {
  const milliseconds = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const after = headers?.get("retry-after");
  if (after !== null && after !== undefined) {
    const seconds = Number(after);
    if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
    const date = Date.parse(after);
    if (Number.isFinite(date)) return Math.max(0, date - Date.now());
  }
  if (body.retryDelayMs !== undefined && Number.isFinite(body.retryDelayMs)) return body.retryDelayMs;
  const said = /(?:try again|retry) in (\d+(?:\.\d+)?)\s*(ms|s|m)?/i.exec(message);
  if (said === null) return undefined;
  return Number(said[1]) * { ms: 1, s: 1_000, m: 60_000 }[(said[2] ?? "s").toLowerCase() as "ms" | "s" | "m"];
}

/** Proxies answer with HTML pages: the first words of the text are enough. */
function plainText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const plain = text
    .replaceAll(/<(?:style|script)[\s\S]*?<\/(?:style|script)>|<[^>]*>/gi, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return plain === "" ? undefined : plain.slice(0, 500);
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
