import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  agent,
  lastTurns,
  MemorySessionStore,
  type Message,
  type RunEvent,
  Runner,
  Schema,
  type SessionStore,
  Tool,
} from "../../src/index.js";
import { SqliteSessionStore } from "../../src/sqlite/index.js";
import { type ScriptReply, scriptedModel, startFakeProvider } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "callsign-runner-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const add = new Tool({
  name: "add",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: ({ a, b }) => (a as number) + (b as number),
});
const echo: ScriptReply = ({ messages }) => ({
  text: messages.flatMap((message) => (message.role === "user" ? [textOf(message)] : [])).join(" | "),
});

function textOf({ content }: Message): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function eventsOf(run: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe.each([
  ["memory", () => new MemorySessionStore()],
  ["SQLite", () => new SqliteSessionStore(join(folder, `${Math.random()}.db`))],
])("Runner with sessions in %s", (_, open: () => SessionStore) => {
  test("carries a conversation on, each turn with what was said before", async () => {
    const sessionStore = open();
    const runner = new Runner({ agent: agent("x", { model: scriptedModel([echo, echo, echo]) }), sessionStore });
    expect((await runner.run({ sessionId: "a", message: "one" })).content).toBe("one");
    expect((await runner.run({ sessionId: "b", message: "other" })).content).toBe("other");
    expect((await runner.run({ sessionId: "a", message: "two" })).content).toBe("one | two");
    const session = await sessionStore.load("a");
    expect(session?.messages.map(textOf)).toEqual(["one", "one", "two", "one | two"]);
    expect(session?.version).toBe(2);
  });

  test("tells what a turn came to", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: '{"sum":3}' }]);
    const responseFormat = new Schema<{ sum: number }>({
      name: "Sum",
      schema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
    });
    const runner = new Runner({ agent: agent("x", { model, tools: [add], responseFormat }), sessionStore: open() });
    const result = await runner.run({ sessionId: "a", message: "1 + 2?", metadata: { plan: "pro" } });
    expect(result).toMatchObject({
      value: { sum: 3 },
      content: '{"sum":3}',
      toolCallsExecuted: 1,
      stop: "end",
      usage: { inputTokens: expect.any(Number) },
      agentName: "agent",
    });
  });

  test("runs the turns of one session one after another, and none is lost", async () => {
    const sessionStore = open();
    const model = scriptedModel(
      Array.from({ length: 8 }, () => echo),
      { delayMs: 1 },
    );
    const runner = new Runner({ agent: agent("x", { model }), sessionStore });
    const turns = Array.from({ length: 8 }, (_, index) => runner.run({ sessionId: "a", message: String(index) }));
    const contents = (await Promise.all(turns)).map(({ content }) => content);
    expect(contents.at(-1)).toBe("0 | 1 | 2 | 3 | 4 | 5 | 6 | 7");
    expect((await sessionStore.load("a"))?.version).toBe(8);
  });

  test("a turn that fails saves nothing, and the next one goes on from the last good one", async () => {
    const sessionStore = open();
    const model = scriptedModel(
      [echo, { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { fails: { code: "billing" } }, echo],
      { by: "requests" },
    );
    const runner = new Runner({ agent: agent("x", { model, tools: [add] }), sessionStore });
    await runner.run({ sessionId: "a", message: "one" });
    await expect(runner.run({ sessionId: "a", message: "two" })).rejects.toMatchObject({ code: "billing" });
    expect((await sessionStore.load("a"))?.messages).toHaveLength(2);
    expect((await runner.run({ sessionId: "a", message: "three" })).content).toBe("one | three");
  });
});

describe("Runner", () => {
  test("shows the events of a turn, and its end after it was saved", async () => {
    const sessionStore = new MemorySessionStore();
    const runner = new Runner({ agent: agent("x", { model: scriptedModel([{ text: "a b" }]) }), sessionStore });
    const run = runner.stream({ sessionId: "s", message: "?" });
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      expect(await sessionStore.load("s")).toEqual(event.type === "done" ? expect.anything() : undefined);
    }
    expect(types).toEqual(["step_start", "token", "token", "usage", "done"]);
    expect((await run.result).content).toBe("a b");
  });

  test("says so when another process was faster, and has not shown an end then", async () => {
    const sessionStore = new MemorySessionStore();
    const model = scriptedModel([
      async () => {
        await sessionStore.save("s", { expectedVersion: 0 });
        return { text: "late" };
      },
    ]);
    const run = new Runner({ agent: agent("x", { model }), sessionStore }).stream({ sessionId: "s", message: "?" });
    const events = await eventsOf(run);
    expect(events.filter(({ type }) => type === "done")).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "session-changed", retryable: true });
    await expect(run.result).rejects.toMatchObject({ code: "session-changed" });
  });

  test("after a handoff later messages go to whoever has the conversation, also in a new process", async () => {
    const sessionStore = new MemorySessionStore();
    const make = () => {
      const math = agent("Compute.", {
        name: "math",
        description: "Computes.",
        model: scriptedModel([{ text: "3" }, { text: "7" }], { by: "requests" }),
      });
      const desk = agent("Greet.", {
        name: "desk",
        model: scriptedModel([{ toolCalls: [{ name: "transfer_to_math", arguments: {} }] }]),
        handoffs: [math],
      });
      return new Runner({ agent: desk, sessionStore });
    };
    expect(await make().run({ sessionId: "s", message: "1+2?" })).toMatchObject({ content: "3", agentName: "math" });
    expect((await sessionStore.load("s"))?.agentName).toBe("math");
    expect(await make().run({ sessionId: "s", message: "3+4?" })).toMatchObject({ content: "3", agentName: "math" });
    const renamed = agent("x", { model: scriptedModel([echo], { by: "requests" }), name: "front" });
    const runner = new Runner({ agent: renamed, sessionStore });
    expect(await runner.run({ sessionId: "s", message: "?" })).toMatchObject({ agentName: "front" });
  });

  test("a window shortens what the model gets, not what is kept, and drops reasoning that it was bound to", async () => {
    const sessionStore = new MemorySessionStore();
    const provider = await startFakeProvider();
    provider.script(...["one", "two", "three"].map((text) => ({ reasoning: `think ${text}`, text })));
    const assistant = agent("x", {
      model: "anthropic/claude-sonnet-5-5",
      apiKey: "test",
      baseUrl: provider.url,
      reasoningEffort: "high",
    });
    const runner = new Runner({ agent: assistant, sessionStore, window: lastTurns(1) });
    for (const message of ["1", "2"]) await runner.run({ sessionId: "s", message });
    const events = await eventsOf(runner.stream({ sessionId: "s", message: "3" }));
    await provider.close();
    expect(provider.refusals).toEqual([]);
    expect(events).toContainEqual({ type: "reasoning_dropped", reason: expect.stringContaining("window") });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain("think two");
    const kept = (await sessionStore.load("s"))?.messages ?? [];
    expect(kept).toHaveLength(6);
    expect(JSON.stringify(kept)).toContain("think two");
  });

  test("refuses calls that need approval where nobody sees them, and lets a reader of events decide", async () => {
    const guarded = new Tool({ name: "add", parameters: add.parameters, requiresApproval: true, execute: () => "ran" });
    const model = scriptedModel([
      { toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
      ({ messages }) => ({ text: JSON.stringify(messages.at(-1)) }),
    ]);
    const runner = new Runner({
      agent: agent("x", { model, tools: [guarded] }),
      sessionStore: new MemorySessionStore(),
    });
    expect((await runner.run({ sessionId: "a", message: "?" })).content).toContain("nobody can be asked here");
    const run = runner.stream({ sessionId: "b", message: "?" });
    for await (const event of run) if (event.type === "approval_requested") run.approve(event.id);
    expect((await run.result).content).toContain("ran");
  });

  test("a turn ends by its signal, also while it waits, and one that is left saves nothing", async () => {
    const sessionStore = new MemorySessionStore();
    const model = scriptedModel([{ text: "one two three", delayMs: 5 }]);
    const runner = new Runner({ agent: agent("x", { model }), sessionStore, waitMs: 60_000 });
    const first = runner.stream({ sessionId: "s", message: "?" });
    const stop = new AbortController();
    const started = first[Symbol.asyncIterator]();
    await started.next();
    const waiting = runner.run({ sessionId: "s", message: "?", signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await started.return?.();
    await expect(first.result).rejects.toMatchObject({ code: "aborted" });
    expect(await sessionStore.load("s")).toBeUndefined();
    expect((await runner.run({ sessionId: "s", message: "?" })).content).toBe("one two three");
  });
});
