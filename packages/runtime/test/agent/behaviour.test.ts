import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AgentOptions, agent, type RunEvent, Schema } from "../../src/index.js";
import type { Json } from "../../src/manifest/json-schema.js";
import type { Message } from "../../src/model/messages.js";
import { providers } from "../../src/providers/index.js";
import { type FakeProvider, type Scripted, startFakeProvider } from "../../src/testing/index.js";
import { objectSchema } from "../manifest-fixture.js";
import { eventsOf, makeTool, ofType, textIn } from "./run-script.js";

const models = [
  ["anthropic", "claude-opus-5-5"],
  ["openai", "gpt-6-luna"],
  ["openai-chat", "some-model"],
  ["google", "gemini-3.8-flash"],
  ["ollama", "qwen3"],
] as const;

const call = (name: string, args: { readonly [key: string]: Json } | string = {}) => ({ name, arguments: args });

const double = makeTool("double", ({ n }) => (n as number) * 2, objectSchema({ n: { type: "number" } }));
const ping = makeTool("ping", () => "pong");
const forms = [
  ["seconds", 1_000],
  ["milliseconds", 30],
  ["date", 1_000],
  ["body", 30],
] as const;

describe.each(models)("on %s", (name, model) => {
  let fake: FakeProvider;
  let seen = 0;
  beforeAll(async () => {
    fake = await startFakeProvider();
  });
  beforeEach(() => {
    seen = fake.requests.length;
  });
  afterAll(() => fake.close());

  const settings = () => ({ model: `${name}/${model}`, apiKey: "test", baseUrl: fake.url });

  /** One run on a script; no request may be one that the provider refuses. */
  async function run(script: readonly Scripted[], options: Omit<AgentOptions<unknown>, "model"> = {}) {
    fake.script(...script);
    const stream = agent("Be exact.", { ...settings(), ...options }).stream("go");
    const events = await eventsOf(stream);
    expect(fake.refusals).toEqual([]);
    expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
    const messages = await stream.messages;
    const results = messages.flatMap((message) => (message.role === "tool" ? [...message.content] : []));
    return { events, end: events.at(-1) as RunEvent, messages, results, requests: fake.requests.slice(seen) };
  }

  test.each([
    ["an Error", new Error("broken"), "broken"],
    ["a string", "broken text", "broken text"],
    ["null", null, "it threw an error without a message"],
  ])("a tool that throws %s has an error result, and the run goes on", async (_, thrown, said) => {
    const tool = makeTool("bad", () => {
      throw thrown;
    });
    const { results, end } = await run([{ toolCalls: [call("bad")] }, { text: "ok" }], { tools: [tool] });
    expect(results.map((result) => [result.isError, textIn(result)])).toEqual([[true, said]]);
    expect(end).toMatchObject({ type: "done", content: "ok" });
  });

  test("a tool that never settles is given up at its time, and the run goes on", async () => {
    const tool = makeTool("stuck", () => new Promise(() => {}));
    const { results, end } = await run([{ toolCalls: [call("stuck")] }, { text: "ok" }], {
      tools: [tool],
      toolTimeoutMs: 20,
    });
    expect(textIn(results[0])).toContain("longer than 20 ms");
    expect(end).toMatchObject({ type: "done", content: "ok" });
  });

  test("a number of the wrong type is coerced where one reading is left, else refused with its path", async () => {
    const { results } = await run(
      [{ toolCalls: [call("double", { n: "21" }), call("double", { n: "many" })] }, { text: "ok" }],
      { tools: [double] },
    );
    expect(textIn(results[0])).toBe("42");
    expect(results[1]).toMatchObject({ isError: true });
    expect(textIn(results[1])).toMatch(/n: must be a number.*many/);
  });

  test("arguments cut in the middle are an error result and never {}", async () => {
    let runs = 0;
    const tool = makeTool("count", () => ++runs);
    // A wire whose arguments are an object cannot be cut so.
    const broken = name === "google" || name === "ollama" ? { n: 1 } : '{"n';
    const { results, end } = await run([{ toolCalls: [call("count", broken)] }, { text: "ok" }], { tools: [tool] });
    expect(results[0]).toMatchObject({ isError: true });
    expect(runs).toBe(0);
    expect(end).toMatchObject({ type: "done" });
  });

  test("an empty text of arguments is no arguments", async () => {
    const empty = name === "google" || name === "ollama" ? {} : "";
    const { results } = await run([{ toolCalls: [call("ping", empty)] }, { text: "ok" }], { tools: [ping] });
    expect(results.map(textIn)).toEqual(["pong"]);
  });

  test("a tool that is not there has an error result that names those that are", async () => {
    const { results, end } = await run([{ toolCalls: [call("pong")] }, { text: "ok" }], { tools: [ping] });
    expect(textIn(results[0])).toContain('no tool named "pong". The tools are: ping.');
    expect(end).toMatchObject({ type: "done" });
  });

  test("one of three calls side by side that throws leaves the others their results, in the order of the calls", async () => {
    const slow = makeTool("slow", () => sleep(15).then(() => "slow"));
    const bad = makeTool("bad", () => {
      throw new Error("bad");
    });
    const { results } = await run([{ toolCalls: [call("slow"), call("bad"), call("ping")] }, { text: "ok" }], {
      tools: [slow, bad, ping],
    });
    expect(results.map((result) => [textIn(result), result.isError === true])).toEqual([
      ["slow", false],
      ["bad", true],
      ["pong", false],
    ]);
  });

  test("calls beyond the limit have error results, and one last request asks for the answer", async () => {
    const { results, end, requests } = await run(
      [{ toolCalls: [call("ping"), call("ping"), call("ping")] }, { text: "so far" }],
      { tools: [ping], maxToolCalls: 2 },
    );
    expect(results.map((result) => result.isError === true)).toEqual([false, false, true]);
    expect(end).toMatchObject({ type: "done", stop: "limit", content: "so far" });
    expect(requests).toHaveLength(2);
  });

  test.each(forms)("a 429 that says in %s how long to wait is waited for", async (form, ms) => {
    const said = await run([{ status: 429, wait: { in: form, ms } }, { text: "ok" }]);
    const [retry] = ofType(said.events, "retry");
    expect(said.end).toMatchObject({ type: "done", content: "ok" });
    // What the API has no field for is our own back-off.
    expect(retry?.waitMs).toBeGreaterThan(0);
    expect(retry?.waitMs).toBeLessThanOrEqual(1_000);
  });

  test("an overloaded provider is asked again", async () => {
    const { end, events } = await run([{ status: 529, wait: { in: "milliseconds", ms: 5 } }, { text: "ok" }]);
    expect(end).toMatchObject({ type: "done", content: "ok" });
    expect(ofType(events, "retry")).toHaveLength(1);
  });

  const schema = objectSchema({ n: { type: "integer" } });
  const responseFormat = new Schema<{ n: number }>({ name: "Num", schema });
  const written = (value: Json) => {
    const output = providers[name].lowerOutput({ name: "Num", schema }, { model, baseUrl: fake.url });
    return { text: JSON.stringify(output.encode(value)) };
  };

  test("an answer that does not fit goes back once with what is wrong", async () => {
    const { end, messages } = await run([written({ n: "x" }), written({ n: 3 })], { responseFormat });
    expect(end).toMatchObject({ type: "done", value: { n: 3 } });
    expect(JSON.stringify(messages)).toContain("n: must be a whole number");
  });

  test("an answer that does not fit twice is an error that holds the text", async () => {
    fake.script(written({ n: "x" }), written({ n: "y" }));
    const failure = await agent("x", { ...settings(), responseFormat })("go").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "output-refused", text: expect.stringContaining("y") });
    expect(fake.refusals).toEqual([]);
  });

  test("an abort before the run sends no request", async () => {
    const signal = AbortSignal.abort();
    await expect(agent("x", settings())("go", { signal })).rejects.toMatchObject({ code: "aborted" });
    expect(fake.requests).toHaveLength(seen);
  });

  test("an abort inside a tool that ignores the signal ends the run at once, and the tool's late end harms nothing", async () => {
    const controller = new AbortController();
    const late = Promise.withResolvers<string>();
    const tool = makeTool("deaf", () => {
      controller.abort();
      return late.promise;
    });
    fake.script({ toolCalls: [call("deaf"), call("ping")] });
    const stream = agent("x", { ...settings(), tools: [tool, ping] }).stream("go", { signal: controller.signal });
    const events = await eventsOf(stream);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted" });
    late.resolve("late");
    await sleep(5);
    expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
    expect(fake.requests).toHaveLength(seen + 1);
  });

  test("an abort between two requests sends no further one", async () => {
    const controller = new AbortController();
    const tool = makeTool("last", () => "done");
    fake.script({ toolCalls: [call("last")] });
    const stream = agent("x", { ...settings(), tools: [tool] }).stream("go", { signal: controller.signal });
    const events: RunEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === "tool_done") controller.abort();
    }
    expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted" });
    // The server hears of it a moment later.
    await expect.poll(() => fake.openResponses).toBe(0);
  });

  test("an abort while the reply streams frees the socket", async () => {
    fake.script({ text: "one two", delivery: { hang: true, dropAfter: "terminal" } });
    const stream = agent("x", settings()).stream("go");
    for await (const event of stream) if (event.type === "token") stream.abort();
    await expect(stream.result).rejects.toMatchObject({ code: "aborted" });
    await sleep(20);
    expect(fake.openResponses).toBe(0);
  });

  test("a refusal is an answer that says so, and an error where a format was asked for", async () => {
    // Ollama has no word for it.
    if (name === "ollama") {
      const { end } = await run([{ text: "I will not." }]);
      expect(end).toMatchObject({ type: "done", stop: "end", content: "I will not." });
      return;
    }
    const { end } = await run([{ text: "I will not.", stop: "refusal" }]);
    expect(end).toMatchObject({ type: "done", stop: "refusal" });
    const formatted = await run([{ text: "I will not.", stop: "refusal" }], { responseFormat });
    expect(formatted.end).toMatchObject({ type: "error", code: "model-refused" });
  });

  test("a stream that is cut after a token was shown is one retryable error, never an answer", async () => {
    // Chat Completions end with the chunk that says why, not with the mark after it.
    const dropAfter = name === "openai-chat" ? 600 : "terminal";
    const { end, requests } = await run([{ text: "half of it ".repeat(40), delivery: { dropAfter } }]);
    expect(end).toMatchObject({ type: "error", code: "cut", retryable: true });
    expect(requests).toHaveLength(1);
  });

  test("a stream that is cut before anything was shown is asked for again", async () => {
    const { end } = await run([{ toolCalls: [call("ping")], delivery: { dropAfter: 1 } }, { text: "ok" }], {
      tools: [ping],
    });
    expect(end).toMatchObject({ type: "done", content: "ok" });
  });

  test("an empty reply is an empty answer", async () => {
    const { end } = await run([{ text: "" }]);
    expect(end).toMatchObject({ type: "done", value: "", stop: "end" });
  });

  test("two calls of one id both run, and the provider takes their results", async () => {
    const same = { ...call("ping"), id: name === "anthropic" ? "toolu_same" : "call_same" };
    const { results, end } = await run([{ toolCalls: [same, same] }, { text: "ok" }], { tools: [ping] });
    expect(results.map(textIn)).toEqual(["pong", "pong"]);
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(2);
    expect(end).toMatchObject({ type: "done" });
  });

  test("a history with images is taken", async () => {
    const image = { type: "image", mediaType: "image/png", source: { base64: "iVBORw0KGgo=" } } as const;
    const history: Message[] = [
      { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
      { role: "assistant", content: [{ type: "text", text: "A dot." }] },
    ];
    fake.script({ text: "Still a dot." });
    expect(await agent("x", settings())("And now?", { history })).toBe("Still a dot.");
    expect(fake.refusals).toEqual([]);
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain("iVBORw0KGgo=");
  });

  test("a reply cut by its token limit runs none of its calls", async () => {
    const { results } = await run([{ toolCalls: [call("ping")], stop: "length" }, { text: "ok" }], { tools: [ping] });
    expect(results).toMatchObject([{ isError: true }]);
    expect(textIn(results[0])).toContain("cut off");
  });

  test("a handoff goes on with a request that the provider takes, reasoning of before left out", async () => {
    const other = agent("Compute.", { ...settings(), name: "math", tools: [double], reasoningEffort: "medium" });
    const { events, end } = await run(
      [
        { reasoning: "Not mine.", toolCalls: [call("transfer_to_math", { reason: "sum" })] },
        { reasoning: "Easy.", toolCalls: [call("double", { n: 2 })] },
        { text: "4" },
      ],
      { handoffs: [other], reasoningEffort: "medium" },
    );
    expect(end).toMatchObject({ type: "done", content: "4" });
    expect(ofType(events, "handoff")).toHaveLength(1);
    if (name !== "openai-chat") expect(ofType(events, "reasoning_dropped").length).toBeLessThanOrEqual(1);
  });

  test("a conversation saved and loaded goes on, its reasoning unharmed", async () => {
    fake.script({ reasoning: "Hm.", toolCalls: [call("ping")] }, { reasoning: "So.", text: "one" }, { text: "two" });
    const assistant = agent("x", { ...settings(), tools: [ping], reasoningEffort: "medium" });
    const first = assistant.stream("a");
    await first.result;
    const history = JSON.parse(JSON.stringify(await first.messages)) as Message[];
    const events = await eventsOf(assistant.stream("b", { history }));
    expect(events.at(-1)).toMatchObject({ type: "done", content: "two" });
    expect(ofType(events, "reasoning_dropped")).toEqual([]);
    expect(fake.refusals).toEqual([]);
  });
});
