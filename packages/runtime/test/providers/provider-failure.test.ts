import { describe, expect, it } from "vitest";
import { type Failure, providerFailure } from "../../src/providers/provider-failure.js";

const site = { provider: "p", model: "m" };
const failed = (failure: Failure) => providerFailure(failure, site);

describe("providerFailure()", () => {
  it.each<[string, Failure, string, boolean]>([
    [
      "Anthropic's overload",
      { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
      "overloaded",
      true,
    ],
    [
      "an error event without status",
      { body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } } },
      "overloaded",
      true,
    ],
    [
      "a quota that no waiting fills",
      { status: 429, body: { error: { message: "x", type: "insufficient_quota", code: "insufficient_quota" } } },
      "quota",
      false,
    ],
    [
      "a prompt that is too long",
      { status: 400, body: { error: { message: "prompt is too long: 210000 tokens > 200000 maximum" } } },
      "context-too-long",
      false,
    ],
    [
      "OpenAI's code for the same",
      { status: 400, body: { error: { message: "x", code: "context_length_exceeded" } } },
      "context-too-long",
      false,
    ],
    [
      "Gemini's words for the same",
      {
        status: 400,
        body: { error: { message: "The input token count (1) exceeds the maximum number of tokens allowed (0)." } },
      },
      "context-too-long",
      false,
    ],
    [
      "Azure's filter",
      { status: 400, body: { error: { message: "x", code: "content_filter" } } },
      "content-filter",
      false,
    ],
    [
      "Gemini's wrong key",
      {
        status: 400,
        body: '{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}',
      },
      "authentication",
      false,
    ],
    [
      "a model's call that the server could not read",
      { status: 400, body: { error: { message: "x", code: "tool_use_failed" } } },
      "tool-call-refused",
      false,
    ],
    ["no money", { status: 402 }, "billing", false],
    ["a body that is too large", { status: 413 }, "too-large", false],
    ["a conflict", { status: 409 }, "server", true],
    [
      "an HTML page of a proxy",
      { status: 502, body: undefined, message: "502 <html><head><title>Bad Gateway</title></head></html>" },
      "server",
      true,
    ],
    ["a plain text", { status: 503, body: "busy" }, "overloaded", true],
  ])("tells %s", (_name, failure, code, retryable) => {
    expect(failed(failure)).toMatchObject({ code, retryable, provider: "p", model: "m" });
  });

  it.each<[string, unknown, string]>([
    ["text as error", { error: "model 'x' not found" }, "model 'x' not found"],
    ["detail", { detail: "Not found" }, "Not found"],
    ["an array", [{ error: { message: "Slow down", code: 429 } }], "Slow down"],
    ["JSON inside the message", { message: '{"error":{"message":"inner"}}' }, "inner"],
    ["a text of JSON", '{"error":{"message":"said"}}', "said"],
  ])("finds the message in %s", (_form, body, message) => {
    expect(failed({ status: 404, body }).message).toBe(`p/m: ${message}`);
  });

  it("shows no markup of a proxy's page", () => {
    expect(failed({ status: 502, message: "<html><style>a{}</style><h1>Bad Gateway</h1></html>" }).message).toBe(
      "p/m: Bad Gateway",
    );
  });

  it.each<[string, Failure, number]>([
    ["retry-after-ms", { headers: new Headers({ "retry-after-ms": "1500", "retry-after": "9" }) }, 1_500],
    ["retry-after in seconds", { headers: new Headers({ "retry-after": "2.5" }) }, 2_500],
    [
      "RetryInfo in the body",
      {
        body: {
          error: { code: 429, details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "48s" }] },
        },
      },
      48_000,
    ],
    ["a fraction in RetryInfo", { body: { error: { details: [{ retryDelay: "0.5s" }] } } }, 500],
    ["a sentence", { body: { error: { message: "Rate limit reached. Please try again in 1.2s." } } }, 1_200],
    ["a sentence in milliseconds", { body: { error: { message: "Please try again in 300ms." } } }, 300],
  ])("reads the wait from %s", (_form, failure, ms) => {
    expect(failed({ status: 429, ...failure }).retryAfterMs).toBe(ms);
  });

  it("reads the wait from a date, and takes one that has passed as none", () => {
    const at = (offset: number) => new Headers({ "retry-after": new Date(Date.now() + offset).toUTCString() });
    expect(failed({ status: 429, headers: at(5_000) }).retryAfterMs).toBeGreaterThan(3_000);
    expect(failed({ status: 429, headers: at(-5_000) }).retryAfterMs).toBe(0);
  });

  it("follows x-should-retry against its own judgement", () => {
    expect(failed({ status: 500, headers: new Headers({ "x-should-retry": "false" }) }).retryable).toBe(false);
    expect(failed({ status: 400, headers: new Headers({ "x-should-retry": "true" }) }).retryable).toBe(true);
  });

  it("keeps the request's id and the body as it came", () => {
    const error = failed({
      status: 500,
      headers: new Headers({ "request-id": "req_1" }),
      body: { error: { message: "x" }, more: 1 },
    });
    expect(error).toMatchObject({ requestId: "req_1", body: '{"error":{"message":"x"},"more":1}' });
  });
});
