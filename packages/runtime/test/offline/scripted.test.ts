import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { agent, type RunEvent, Tool } from "../../src/index.js";
import { type ScriptReply, scriptedModel } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "callsign-script-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
function writeScript(content: unknown): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const add = new Tool({
  name: "add",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: ({ a, b }) => (a as number) + (b as number),
});
const script: ScriptReply[] = [
  { reasoning: "I add.", toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
  { text: "It is three." },
  { text: "You are welcome." },
];

async function eventsOf(run: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe.each([
  ["scriptedModel()", () => scriptedModel(script)],
  ["test/script/PATH", () => `test/script/${writeScript(script)}`],
])("%s", (_, makeModel) => {
  test("answers by its list, token by token, and begins anew with each conversation", async () => {
    const assistant = agent("Be exact.", { model: makeModel(), tools: [add] });
    for (let round = 0; round < 2; round += 1) {
      const run = assistant.stream("1 + 2?");
      const events = await eventsOf(run);
      expect(events.flatMap((event) => (event.type === "token" ? [event.text] : []))).toEqual(["It ", "is ", "three."]);
      expect(events).toContainEqual({ type: "reasoning", text: "add." });
      expect(events).toContainEqual({ type: "tool_done", id: "call_0_0", name: "add", status: "success", result: 3 });
      expect(events.at(-1)).toMatchObject({
        type: "done",
        value: "It is three.",
        usage: { outputTokens: expect.any(Number) },
      });
      expect(await assistant("Thanks", { history: await run.messages })).toBe("You are welcome.");
    }
  });

  test("says when more is asked than it has", async () => {
    const assistant = agent("Be exact.", { model: makeModel(), tools: [add] });
    const run = assistant.stream("1 + 2?");
    const history = [...(await run.messages), { role: "assistant", content: [{ type: "text", text: "x" }] }] as const;
    await expect(assistant("And?", { history })).rejects.toMatchObject({
      code: "script-ended",
      message: expect.stringContaining("has 3 replies, and reply 4 was asked for"),
    });
  });
});

describe("scriptedModel()", () => {
  test("shows the requests that it got, and lets a function look at them", async () => {
    const model = scriptedModel([async ({ messages }) => ({ text: `I see ${messages.length} message` })]);
    expect(await agent("Count.", { model })("How many?")).toBe("I see 1 message");
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.system).toBe("Count.");
  });

  test("fails before the reply that a repeated request gets, as the provider would", async () => {
    const model = scriptedModel([
      { fails: { code: "rate-limit", retryAfterMs: 1, status: 429 } },
      { fails: { code: "overloaded", retryAfterMs: 2 } },
      { text: "At last." },
      { text: "half", fails: { code: "cut" } },
    ]);
    const assistant = agent("Try.", { model });
    const run = assistant.stream("?");
    const events = await eventsOf(run);
    expect(events.flatMap((event) => (event.type === "retry" ? [event.waitMs] : []))).toEqual([1, 2]);
    expect(await run.result).toBe("At last.");
    const next = assistant.stream("and?", { history: await run.messages });
    const shown = await eventsOf(next);
    expect(shown.map(({ type }) => type)).toEqual(["step_start", "token", "error"]);
    expect(shown.at(-1)).toMatchObject({ code: "cut", retryable: true });
  });

  test("throws errors as they are, and what cannot be read is asked for again", async () => {
    const wrong = new Error("wrong");
    await expect(agent("x", { model: scriptedModel([wrong]) })("?")).rejects.toBe(wrong);
    const malformed = scriptedModel([{ stop: "malformed" }, { text: "Better." }]);
    expect(await agent("x", { model: malformed })("?")).toBe("Better.");
    await expect(agent("x", { model: scriptedModel([() => new Error("from a function")]) })("?")).rejects.toThrow(
      "from a function",
    );
  });

  test("gives usage, stop and refusal as told", async () => {
    const model = scriptedModel([
      { text: "No.", stop: "refusal", refusal: "unsafe", usage: { inputTokens: 7, outputTokens: 1 } },
    ]);
    const events = await eventsOf(agent("x", { model }).stream("?"));
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "refusal", usage: { inputTokens: 7, outputTokens: 1 } });
  });

  test("by requests, gives each request the next reply, whatever it holds", async () => {
    const assistant = agent("x", { model: scriptedModel([{ text: "1" }, { text: "2" }], { by: "requests" }) });
    expect([await assistant("?"), await assistant("?")]).toEqual(["1", "2"]);
    await expect(assistant("?")).rejects.toMatchObject({ code: "script-ended" });
  });

  test("ends at once when it is aborted or its time is over, also between slow tokens", async () => {
    const slow = scriptedModel([{ text: "one two three", delayMs: 60_000 }]);
    const stop = new AbortController();
    const answer = agent("x", { model: slow })("?", { signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    await expect(answer).rejects.toMatchObject({ code: "aborted" });
    await expect(agent("x", { model: slow, timeoutMs: 5, maxRetries: 0 })("?")).rejects.toMatchObject({
      code: "timeout",
    });
  });

  test("answers in a format, natively or by the synthetic tool", async () => {
    const responseFormat = {
      name: "Total",
      schema: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
    } as const;
    const { Schema } = await import("../../src/index.js");
    const format = new Schema<{ total: number }>(responseFormat);
    const native = scriptedModel([{ text: '{"total":3}' }]);
    expect(await agent("x", { model: native, responseFormat: format })("?")).toEqual({ total: 3 });
    const byTool = scriptedModel(
      [{ toolCalls: [{ name: "respond_with_structured_output", arguments: { total: 4 } }] }],
      { outputMode: "tool" },
    );
    expect(await agent("x", { model: byTool, responseFormat: format })("?")).toEqual({ total: 4 });
  });
});

describe("test/script/PATH", () => {
  test("says what is wrong in the file, every place at once", async () => {
    const path = writeScript([
      { text: 7, tokens: 1 },
      { toolCalls: [{ arguments: [] }, "add"], stop: "done" },
      { fails: { code: "teapot" }, usage: { inputTokens: -1 }, delayMs: "1" },
      "hello",
    ]);
    const error = (await agent("x", { model: `test/script/${path}` })("?").catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: "script-shape" });
    const lines = error.message.split("\n");
    expect(lines.every((line) => line.startsWith(`${path}: /`))).toBe(true);
    expect(lines.map((line) => line.slice(path.length + 2).split(":")[0])).toEqual([
      "/0/text",
      "/0/tokens",
      "/1/toolCalls/0",
      "/1/toolCalls/0/arguments",
      "/1/toolCalls/1",
      "/1/stop",
      "/2/fails/code",
      "/2/usage/inputTokens",
      "/2/delayMs",
      "/3",
    ]);
    expect(lines[1]).toContain("none of reasoning, text, toolCalls");
  });

  test.each([
    ["{ not JSON", "script-unreadable", "JSON"],
    [{ text: "x" }, "script-shape", 'such as [{ "text": "Hello" }]'],
  ])("says that %j is no script", async (content, code, message) => {
    const answer = agent("x", { model: `test/script/${writeScript(content)}` })("?");
    await expect(answer).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("says that the file is not there, and works once it is", async () => {
    const path = join(folder, "later.json");
    const assistant = agent("x", { model: `test/script/${path}` });
    await expect(assistant("?")).rejects.toMatchObject({
      code: "script-unreadable",
      message: expect.stringContaining("there is no such file"),
    });
    writeFileSync(path, '[{ "text": "now" }]');
    expect(await assistant("?")).toBe("now");
  });
});

test.each(["test/other", "test/script", "test/record/x.json", "test/record/x.json:model", "test/replay/"])(
  "the model %s is not known, and the message says which there are",
  async (model) => {
    await expect(agent("x", { model })("?")).rejects.toMatchObject({
      code: "model-unknown",
      message: expect.stringMatching(/test\/auto|provider\/model/),
    });
  },
);
