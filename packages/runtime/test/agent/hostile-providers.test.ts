import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentOptions, agent, MemorySessionStore, Runner, type RunOptions, Schema } from "../../src/index.js";
import type { Message } from "../../src/model/messages.js";
import { type FakeProvider, type Scripted, startFakeProvider } from "../../src/testing/index.js";
import { objectSchema } from "../manifest-fixture.js";
import { eventsOf, makeTool, textIn } from "./run-script.js";

const models = [
  ["anthropic", "claude-opus-5-5"],
  ["openai", "gpt-6-luna"],
  ["openai-chat", "some-model"],
  ["google", "gemini-3.8-flash"],
  ["ollama", "qwen3"],
] as const;

const ping = makeTool("ping", () => "pong");
const Answer = new Schema<{ n: number }>({ name: "Answer", schema: objectSchema({ n: { type: "number" } }) });
const callOf = (name: string, args = {}) => ({ name, arguments: args });
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const called = (...ids: string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_call", id, name: "ping", arguments: "{}" })),
});
const result = (...ids: string[]): Message => ({
  role: "tool",
  content: ids.map((callId) => ({
    type: "tool_result",
    callId,
    name: "ping",
    content: [{ type: "text", text: "pong" }],
  })),
});

describe.each(models)("on %s", (name, model) => {
  let fake: FakeProvider;
  beforeEach(async () => {
    fake = await startFakeProvider();
  });
  afterEach(() => fake.close());

  const settings = () => ({ model: `${name}/${model}`, apiKey: "test", baseUrl: fake.url, maxRetries: 0 });

  async function run(
    script: readonly Scripted[],
    options: Partial<AgentOptions<unknown>> = {},
    runOptions: RunOptions = {},
  ) {
    fake.script(...script);
    const stream = agent("Be exact.", { ...settings(), ...options }).stream("go", runOptions);
    const events = await eventsOf(stream);
    expect(fake.refusals).toEqual([]);
    return { end: events.at(-1), messages: await stream.messages };
  }

  test.each<[string, readonly Message[]]>([
    ["a call without a result", [user("a"), called("c1")]],
    ["two calls of which one has no result", [user("a"), called("c1", "c2"), result("c2")]],
    ["a result without its call at the beginning", [result("c1"), user("b")]],
    ["results in another order and in two messages", [user("a"), called("c1", "c2"), result("c2"), result("c1")]],
    ["a result that stands twice", [user("a"), called("c1"), result("c1", "c1")]],
    ["a call after which the user spoke", [user("a"), called("c1"), user("stop"), result("c1")]],
    ["an assistant's message at the beginning", [{ role: "assistant", content: [{ type: "text", text: "Hello" }] }]],
    ["an assistant's message without content", [user("a"), { role: "assistant", content: [] }]],
    ["empty texts", [user(""), { role: "assistant", content: [{ type: "text", text: "" }] }]],
    ["several messages of one side in a row", [user("a"), user("b"), user("c")]],
    ["the same id in two turns", [user("a"), called("c1"), result("c1"), user("b"), called("c1"), result("c1")]],
    [
      "an empty result",
      [
        user("a"),
        called("c1"),
        { role: "tool", content: [{ type: "tool_result", callId: "c1", name: "ping", content: [] }] },
      ],
    ],
    ["a tool message without results", [user("a"), { role: "tool", content: [] }]],
  ])("a history with %s is sent as the provider takes it", async (_, history) => {
    const { end } = await run([{ text: "ok" }], { tools: [ping] }, { history });
    expect(end).toMatchObject({ type: "done", content: "ok" });
  });

  test("a run that was aborted in the middle of a tool can be carried on with its messages", async () => {
    const stuck = makeTool("stuck", () => new Promise(() => {}));
    fake.script({ toolCalls: [callOf("stuck")] });
    const first = agent("x", { ...settings(), tools: [stuck] }).stream("go");
    for await (const event of first) if (event.type === "tool_start") first.abort();
    const { end } = await run([{ text: "ok" }], { tools: [stuck] }, { history: await first.messages });
    expect(end).toMatchObject({ type: "done", content: "ok" });
  });

  test("a window that parts a call from its result does not break the session", async () => {
    fake.script({ toolCalls: [callOf("ping")] }, { text: "one" }, { text: "two" });
    const runner = new Runner({
      agent: agent("x", { ...settings(), tools: [ping] }),
      sessionStore: new MemorySessionStore(),
      window: (messages) => messages.slice(-2),
    });
    await runner.run({ sessionId: "s", message: "a" });
    expect((await runner.run({ sessionId: "s", message: "b" })).content).toBe("two");
    expect(fake.refusals).toEqual([]);
  });

  test("reasoning survives two turns with tools whose history goes through JSON", async () => {
    const options = { tools: [ping], reasoningEffort: "high" } as const;
    const first = await run(
      [
        { reasoning: "think", toolCalls: [callOf("ping"), callOf("ping")] },
        { reasoning: "more", text: "one" },
      ],
      options,
    );
    const history = JSON.parse(JSON.stringify(first.messages)) as Message[];
    const second = await run([{ reasoning: "x", toolCalls: [callOf("ping")] }, { text: "two" }], options, { history });
    expect(second.end).toMatchObject({ type: "done", content: "two" });
  });

  test("a reply in one piece works with tools, reasoning and a format", async () => {
    const { end } = await run(
      [{ reasoning: "think", toolCalls: [callOf("ping"), callOf("ping")] }, { text: '{"n":1}' }, { text: '{"n":1}' }],
      { tools: [ping], reasoningEffort: "high", stream: false, responseFormat: Answer },
    );
    expect(end).toMatchObject({ type: "done", value: { n: 1 } });
    fake.script();
  });

  test.each(models)("another provider, %s, goes on in the middle of a tool loop", async (other, otherModel) => {
    fake.script(
      { reasoning: "think", toolCalls: [callOf("ping")] },
      { status: 529, message: "busy" },
      { reasoning: "hm", toolCalls: [callOf("ping"), callOf("gone")] },
      { text: "ok" },
    );
    const list = [`${name}/${model}`, `${other}/${otherModel}`];
    const { end } = await run([], { model: list, tools: [ping], reasoningEffort: "high" });
    expect(end).toMatchObject({ type: "done", content: "ok" });
  });

  test("a handoff beside another call, with a format, goes on under the other's tools", async () => {
    const expert = agent("Know.", { ...settings(), name: "expert", tools: [ping] });
    const { end } = await run(
      [
        { reasoning: "hm", toolCalls: [callOf("ping"), callOf("transfer_to_expert", { reason: "x" })] },
        { toolCalls: [callOf("ping")] },
        { text: '{"n":2}' },
        { text: '{"n":2}' },
      ],
      { tools: [ping], handoffs: [expert], responseFormat: Answer },
    );
    expect(end).toMatchObject({ type: "done", value: { n: 2 } });
  });

  test("texts of every script, and half of a surrogate pair, go through", async () => {
    const odd = makeTool("odd", () => "cut \ud83d");
    const { messages, end } = await run([{ toolCalls: [callOf("odd")] }, { text: "naïve 🧮 שלום" }], { tools: [odd] });
    expect(end).toMatchObject({ type: "done", content: "naïve 🧮 שלום" });
    const results = messages.flatMap((message) => (message.role === "tool" ? message.content : []));
    expect(results.map(textIn)).toEqual(["cut \ufffd"]);
  });
});
