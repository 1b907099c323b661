import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";
import type { ManifestTool } from "../../src/manifest/manifest.js";
import type {
  AssistantMessage,
  Message,
  ModelEvent,
  ModelReply,
  ModelRequest,
  Provider,
  ToolMessage,
} from "../../src/model/index.js";
import { providers } from "../../src/providers/index.js";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";

/** One suite for all providers; what one of them cannot do is named in its row. */
const cases = [
  {
    name: "anthropic",
    model: "claude-opus-5-5",
    forces: false,
    flagsErrors: true,
    native: true,
    refusal: "This request was refused.",
  },
  {
    name: "anthropic",
    model: "claude-sonnet-4-5",
    forces: true,
    flagsErrors: true,
    native: true,
    refusal: "This request was refused.",
  },
  {
    name: "openai",
    model: "gpt-6-luna",
    forces: true,
    flagsErrors: false,
    native: true,
    refusal: "No.",
  },
  {
    name: "openai-chat",
    model: "some-model",
    forces: true,
    flagsErrors: false,
    native: true,
    refusal: "No.",
  },
  {
    name: "google",
    model: "gemini-3.8-flash",
    forces: true,
    flagsErrors: true,
    native: true,
    refusal: "SAFETY",
  },
  {
    name: "google",
    model: "gemini-2.5-flash",
    forces: true,
    flagsErrors: true,
    native: false,
    refusal: "SAFETY",
  },
  {
    name: "ollama",
    model: "qwen3",
    forces: false,
    flagsErrors: false,
    native: false,
    refusal: undefined,
  },
] as const;

const parameters: JsonSchema = {
  type: "object",
  properties: { city: { type: "string", description: "Where." }, days: { type: "integer", minimum: 1 } },
  required: ["city"],
  additionalProperties: false,
};
const weather = toolOf("weather", parameters);
const ping = toolOf("ping", { type: "object", properties: {}, additionalProperties: false });
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function toolOf(name: string, schema: JsonSchema): ManifestTool {
  return {
    name,
    module: "t.ts",
    export: name,
    description: `The ${name}.`,
    parameters: schema,
    call: [{ from: "arguments" }],
  };
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function results(message: AssistantMessage, text = "sunny"): ToolMessage {
  const calls = message.content.filter((part) => part.type === "tool_call");
  return {
    role: "tool",
    content: calls.map(({ id, name }) => ({
      type: "tool_result",
      callId: id,
      name,
      content: [{ type: "text", text }],
    })),
  };
}

async function heard(provider: Provider, request: ModelRequest): Promise<{ events: ModelEvent[]; reply: ModelReply }> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "reply") throw new Error("the last event is not the reply");
  return { events, reply: last.reply };
}

function joined(events: readonly ModelEvent[], type: "text" | "reasoning"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

function callsIn({ message }: ModelReply) {
  return message.content.filter((part) => part.type === "tool_call");
}

describe.each(cases)("$name with $model", ({ name, model, forces, flagsErrors, native, refusal }) => {
  const entry = providers[name];
  const tools = entry.lowerTools([weather, ping], { model });
  let fake: FakeProvider;
  let provider: Provider;

  beforeAll(async () => {
    fake = await startFakeProvider();
    provider = await entry.open({ apiKey: "test", baseUrl: fake.url });
  });
  afterAll(() => fake.close());
  beforeEach(() => {
    expect(fake.refusals).toEqual([]);
  });

  /** On Chat Completions the last event only says that there is nothing more. */
  const early = name === "openai-chat" ? 600 : "terminal";
  const ask = (more: Partial<ModelRequest> = {}) => heard(provider, { model, messages: [user("hi")], ...more });
  const failure = async (more: Partial<ModelRequest> = {}) => {
    const thrown = await ask(more).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect((thrown as Error | undefined)?.name).toBe("ProviderError");
    const { code, retryable, retryAfterMs, status, message } = thrown as Record<string, unknown>;
    return { code, retryable, retryAfterMs, status, message };
  };
  const lastBody = () => fake.requests.at(-1)!.body;

  it.each([true, false])("reads text and usage, streamed: %s", async (stream) => {
    fake.script({
      text: "Grüße 🚀 aus 日本",
      usage: { inputTokens: 20, outputTokens: 9 },
      delivery: { noise: true, cuts: [1, 7, 50, 51, 52, 53, 120] },
    });
    const { events, reply } = await ask({ system: "Be brief.", stream });
    expect(joined(events, "text")).toBe("Grüße 🚀 aus 日本");
    expect(reply.message.content).toMatchObject([{ type: "text", text: "Grüße 🚀 aus 日本" }]);
    expect(reply).toMatchObject({
      stop: "end",
      servedModel: model,
      usage: { inputTokens: 20, outputTokens: 9 },
      notes: [],
    });
    expect(reply.message.model).toBe(`${name}/${model}`);
  });

  it.each([true, false])(
    "runs parallel calls and sends their results back in one turn, streamed: %s",
    async (stream) => {
      fake.script(
        {
          toolCalls: [
            { name: "weather", arguments: { city: "Oslo", days: 2 } },
            { name: "ping", arguments: {} },
          ],
        },
        { text: "Sunny." },
      );
      const first = await ask({ tools, stream });
      expect(first.reply.stop).toBe("tool");
      const calls = callsIn(first.reply);
      expect(calls.map((call) => [call.name, JSON.parse(call.arguments || "{}")])).toEqual([
        ["weather", { city: "Oslo", days: 2 }],
        ["ping", {}],
      ]);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
      const second = await ask({
        tools,
        stream,
        messages: [user("hi"), first.reply.message, results(first.reply.message)],
      });
      expect(joined(second.events, "text")).toBe("Sunny.");
    },
  );

  it("carries reasoning back byte by byte, through parallel calls and a save and load of the history", async () => {
    fake.script(
      {
        reasoning: "Let me see: Grüße 🚀.",
        toolCalls: [
          { name: "weather", arguments: { city: "Oslo" } },
          { name: "weather", arguments: { city: "Rome" } },
        ],
      },
      { reasoning: "Once more.", toolCalls: [{ name: "ping", arguments: {} }] },
      { text: "Done." },
    );
    const reasoning = { reasoningEffort: "low", tools } as const;
    let messages: Message[] = [user("hi")];
    let shown = "";
    for (let step = 0; step < 3; step += 1) {
      const { events, reply } = await ask({ ...reasoning, messages });
      shown += joined(events, "reasoning");
      messages = [...messages, reply.message, ...(step < 2 ? [results(reply.message)] : [])];
      messages = JSON.parse(JSON.stringify(messages)) as Message[];
    }
    expect(shown).toBe("Let me see: Grüße 🚀.Once more.");
    expect(fake.refusals).toEqual([]);
    const sent = JSON.stringify(lastBody());
    for (const part of messages.flatMap(({ content }) => [...content])) {
      if (part.type !== "reasoning" || part.native === undefined) continue;
      const value = JSON.stringify(part.native.value);
      expect(sent).toContain(value === "{}" ? JSON.stringify(part.text) : value.slice(1, -1));
    }
  });

  it("forbids tools without taking them away", async () => {
    fake.script({ text: "Enough." });
    const { reply } = await ask({ tools, toolChoice: "none" });
    expect(reply.stop).toBe("end");
    const isThere = lastBody().tools !== undefined;
    expect(isThere).toBe(name !== "ollama");
  });

  it.each(["required", { tool: "ping" }] as const)(
    "forces a call where the model takes that, and says where not: %j",
    async (toolChoice) => {
      fake.script({ toolCalls: [{ name: "ping", arguments: {} }] });
      const { reply } = await ask({ tools, toolChoice });
      expect(callsIn(reply)).toHaveLength(1);
      expect(reply.notes.length > 0).toBe(!forces);
    },
  );

  it("asks for structured output by the means that the model has", async () => {
    const schema: JsonSchema = { type: "array", items: { type: "string" } };
    const output = entry.lowerOutput({ name: "Names", schema }, { model });
    expect(entry.outputMode(model, { tools: false })).toBe("native");
    fake.script({ text: JSON.stringify(output.encode(["a", "b"])) });
    const { reply } = await ask({ output });
    const [part] = reply.message.content;
    expect(output.restore(JSON.parse((part as { text: string }).text) as Json)).toEqual(["a", "b"]);
    expect(entry.outputMode(model, { tools: true })).toBe(native ? "native" : "after-tools");
    if (!native) return;
    fake.script({ toolCalls: [{ name: "ping", arguments: {} }] });
    await ask({ output, tools });
  });

  it("asks for a format that its grammar cannot hold, without a failed request", async () => {
    const tree: JsonSchema = {
      type: "object",
      properties: { name: { type: "string" }, next: { $ref: "#/$defs/Tree" } },
      required: ["name"],
      additionalProperties: false,
    };
    const names = Array.from({ length: 23 }, (_, index) => `p${index}`);
    const wide = (required: string[]): JsonSchema => ({
      type: "object",
      properties: Object.fromEntries(names.map((property) => [property, { type: "string" }])),
      required,
      additionalProperties: false,
    });
    const formats = [{ $ref: "#/$defs/Tree", $defs: { Tree: tree } }, wide([])];
    for (const schema of formats) {
      fake.script({ text: "{}" });
      const output = entry.lowerOutput({ name: "Out", schema }, { model });
      await ask({ output, ...(native ? { tools: entry.lowerTools([toolOf("wide", wide(["p0"]))], { model }) } : {}) });
      expect(JSON.stringify(lastBody())).toContain(schema === formats[0] ? "next" : "p22");
    }
  });

  it("shows pictures to the model, also those that a tool gave", async () => {
    fake.script({ toolCalls: [{ name: "ping", arguments: {} }] }, { text: "A dot." });
    const image = { type: "image", mediaType: "image/png", source: { base64: PIXEL } } as const;
    const question: Message = { role: "user", content: [{ type: "text", text: "What is this?" }, image] };
    const { reply } = await ask({ tools, messages: [question] });
    expect(JSON.stringify(lastBody())).toContain(PIXEL);
    const [call] = callsIn(reply);
    const answer: ToolMessage = {
      role: "tool",
      content: [
        { type: "tool_result", callId: call!.id, name: "ping", content: [{ type: "text", text: "see" }, image] },
      ],
    };
    await ask({ tools, messages: [user("hi"), reply.message, answer] });
    expect(JSON.stringify(lastBody())).toContain(PIXEL);
  });

  it("tells the model that a call failed", async () => {
    fake.script({ toolCalls: [{ name: "ping", arguments: {} }] }, { text: "Oh." });
    const { reply } = await ask({ tools });
    const answer = results(reply.message, "disk full");
    const failed: ToolMessage = { ...answer, content: answer.content.map((part) => ({ ...part, isError: true })) };
    await ask({ tools, messages: [user("hi"), reply.message, failed] });
    expect(JSON.stringify(lastBody())).toMatch(
      flagsErrors ? /"is_error":true|"error":"disk full"/ : /Error: disk full/,
    );
  });

  it("goes on after a call whose arguments broke, with a history that holds valid JSON only", async () => {
    const broken: AssistantMessage = {
      role: "assistant",
      content: [{ type: "tool_call", id: "call_x", name: "ping", arguments: '{"path":"a.txt","cont' }],
    };
    fake.script({ text: "I will write less." });
    await ask({ tools, messages: [user("hi"), broken, results(broken, "cut by the limit")] });
    expect(JSON.stringify(lastBody())).not.toContain("a.txt");
  });

  it("takes up a history that another provider wrote", async () => {
    const foreign: AssistantMessage = {
      role: "assistant",
      model: "elsewhere/m",
      content: [
        { type: "reasoning", text: "Hmm.", native: { api: "elsewhere", value: { secret: "opaque" } } },
        { type: "text", text: "I look." },
        {
          type: "tool_call",
          id: "call:1",
          name: "ping",
          arguments: "{}",
          native: { api: "elsewhere", value: { secret: "opaque" } },
        },
      ],
    };
    fake.script({ text: "Fine." });
    await ask({ tools, messages: [user("hi"), foreign, results(foreign), user("go on")] });
    expect(JSON.stringify(lastBody())).not.toContain("opaque");
  });

  it("says when the reply was cut by a limit, and never calls it finished", async () => {
    fake.script({ text: "And then", stop: "length" });
    expect((await ask()).reply.stop).toBe("length");
  });

  it("says when the model refused, and why, where the API has a word for it", async () => {
    if (refusal === undefined) return;
    fake.script({ text: "No.", stop: "refusal" });
    const { reply } = await ask();
    expect(reply.stop).toBe("refusal");
    expect(reply.refusal).toBe(refusal);
  });

  it.each([
    [401, "authentication", false],
    [403, "permission", false],
    [404, "not-found", false],
    [429, "rate-limit", true],
    [500, "server", true],
    [503, "overloaded", true],
  ] as const)("turns status %i into %s", async (status, code, retryable) => {
    fake.script({ status, message: "So it is." });
    const found = await failure();
    expect(found).toMatchObject({ code, retryable, status });
    expect(found.message).toBe(`${name}/${model}: So it is.`);
  });

  it.each(["seconds", "milliseconds", "date", "body"] as const)("hears how long to wait, said in %s", async (form) => {
    const isBody = form === "body";
    // Gemini says it in the body, and its SDK hides the headers; the others say it in headers.
    if (isBody !== (name === "google")) return;
    fake.script({ status: 429, wait: { in: form, ms: 3_000 } });
    const { retryAfterMs } = await failure();
    expect(retryAfterMs).toBeGreaterThan(1_500);
    expect(retryAfterMs).toBeLessThanOrEqual(3_000);
  });

  it("throws what the provider reports in mid-stream", async () => {
    fake.script({ status: 503, message: "Busy.", inStream: true });
    const found = await failure();
    expect(found).toMatchObject({ retryable: true });
    expect(found.message).toContain("Busy.");
  });

  it.each(["terminal", 40] as const)("calls a stream that ends early cut: %s", async (dropAfter) => {
    fake.script({ text: "Hello there", toolCalls: [{ name: "ping", arguments: {} }], delivery: { dropAfter } });
    if (name === "openai-chat" && dropAfter === "terminal") {
      // What was left out is `[DONE]` alone: the finish reason is terminal enough.
      expect((await ask({ tools })).reply.stop).toBe("tool");
      return;
    }
    expect(await failure({ tools })).toMatchObject({ code: "cut", retryable: true });
  });

  it("says when nobody answers", async () => {
    const nowhere = await entry.open({ apiKey: "test", baseUrl: "http://127.0.0.1:9" });
    const thrown = await heard(nowhere, { model, messages: [user("hi")] }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "connection", retryable: true });
  });

  it.each([true, false])("frees the socket when the caller aborts, streamed: %s", async (stream) => {
    fake.script({
      text: "Never ending",
      delivery: stream ? { hang: true, dropAfter: early } : { delayMs: 60_000 },
    });
    const controller = new AbortController();
    const pending = failure({ stream, signal: controller.signal });
    await sleep(50);
    controller.abort();
    expect(await pending).toMatchObject({ code: "aborted", retryable: false });
    await free(fake);
  });

  it("does not even begin when it is aborted already", async () => {
    const count = fake.requests.length;
    expect(await failure({ signal: AbortSignal.abort() })).toMatchObject({ code: "aborted" });
    expect(fake.requests.length).toBe(count);
  });

  it("frees the socket when the time is over", async () => {
    fake.script({ text: "Never ending", delivery: { hang: true, dropAfter: early } });
    expect(await failure({ timeoutMs: 100 })).toMatchObject({ code: "timeout", retryable: true });
    await free(fake);
  });

  it("frees the socket when the caller leaves the loop", async () => {
    fake.script({ text: "Never ending", delivery: { hang: true, dropAfter: early } });
    for await (const event of provider.stream({ model, messages: [user("hi")] })) {
      expect(event.type).toBe("text");
      break;
    }
    await free(fake);
  });

  it("asks once, without retries of the SDK", async () => {
    const count = fake.requests.length;
    fake.script({ status: 503 }, { text: "too late" });
    await failure();
    expect(fake.requests.length).toBe(count + 1);
    await ask();
  });

  it("sends what the contract does not name", async () => {
    fake.script({ text: "ok" });
    await ask({ extraBody: name === "google" ? { labels: { team: "a" } } : { metadata: { user_id: "a" } } });
    expect(JSON.stringify(lastBody())).toMatch(/"team":"a"|"user_id":"a"/);
  });
});

/** Aborting closes the connection a moment later on the other side. */
async function free(fake: FakeProvider): Promise<void> {
  for (let wait = 0; wait < 100 && fake.openResponses > 0; wait += 1) await sleep(20);
  expect(fake.openResponses).toBe(0);
}
