import { describe, expect, it } from "vitest";
import { textOf } from "../../src/providers/history.js";
import { ask } from "./ask-recording.js";
import { expectedOf, recordings } from "./read-recording.js";

const all = recordings();

/** Streams that report an error after they began. */
const ERRORS_IN_STREAM: Record<string, string> = {
  "compat/openrouter-stream-error.json": "bad-request",
  "compat/tool-use-failed-error-streaming.1.json": "tool-call-refused",
  "compat/tool-use-failed-error-streaming-with-text.1.json": "tool-call-refused",
  "openai/stream-rate-limited.json": "rate-limit",
  "openai/stream-unknown-error-responses.json": "server",
};

/** The fixture lost its last blank line: on the wire that is a reply that was cut. */
const CUT = ["gemini/stream-basic-text.json"];

const CODES: Record<number, string> = { 401: "authentication", 404: "not-found", 429: "rate-limit", 529: "overloaded" };

describe("recorded exchanges", () => {
  it("are there as a whole or not at all", () => {
    expect([0, 448]).toContain(all.length);
  });

  it.each(all.map((recording) => [recording.file, recording] as const))("%s is read right", async (file, recording) => {
    const { provider, response, model, isStream } = recording;
    const heard = await ask(
      provider,
      { ...response, body: new TextEncoder().encode(response.body) },
      { model, stream: isStream },
    );
    if (CUT.includes(file)) {
      expect(heard.error).toEqual({ code: "cut", retryable: true, status: undefined });
      return;
    }
    if (ERRORS_IN_STREAM[file] !== undefined) {
      expect(heard.error?.code).toBe(ERRORS_IN_STREAM[file]);
      return;
    }
    if (response.status !== 200) {
      expect(heard.error?.status).toBe(response.status);
      const isFinal = response.status < 429;
      expect(heard.error?.retryable).toBe(!isFinal);
      const code = CODES[response.status];
      if (code !== undefined) expect(heard.error?.code).toBe(code);
      else
        expect(["bad-request", "context-too-long", "tool-call-refused", "authentication", "quota"]).toContain(
          heard.error?.code,
        );
      return;
    }
    const expected = expectedOf(recording);
    expect(heard.error).toBeUndefined();
    const reply = heard.reply!;
    const calls = reply.message.content.filter((part) => part.type === "tool_call");
    const { inputTokens, outputTokens } = reply.usage;
    expect({
      text: reply.message.content.map((part) => (part.type === "text" ? textOf([part]) : "")).join(""),
      calls: calls.map(({ name, arguments: text }) => ({ name, args: JSON.parse(text || "{}") })),
      usage: {
        ...(inputTokens === undefined ? {} : { inputTokens }),
        ...(outputTokens === undefined ? {} : { outputTokens }),
      },
      stop: reply.stop,
    }).toEqual(expected);
    expect(heard.text).toBe(expected.text);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });
});
