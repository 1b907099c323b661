import { describe, expect, test } from "vitest";
import { agent, type RunEvent, Tool } from "../../src/index.js";
import { ProviderError } from "../../src/model/provider-error.js";
import { objectSchema } from "../manifest-fixture.js";
import { add, makeTool, ofType, runScript } from "./run-script.js";
import { type ScriptedReply, scriptedModel } from "./scripted-model.js";

describe("an agent whose model fails", () => {
  const overloaded = (details: { retryAfterMs?: number; retryable?: boolean } = {}): ProviderError =>
    new ProviderError("overloaded", {
      code: "overloaded",
      provider: "scripted",
      retryable: true,
      retryAfterMs: 1,
      ...details,
    });

  test("tries again when that may help, and says so", async () => {
    const { events, result } = await runScript([overloaded(), overloaded(), { text: "ok" }]);
    expect(ofType(events, "retry")).toEqual([
      { type: "retry", attempt: 2, waitMs: 1, reason: "overloaded" },
      { type: "retry", attempt: 3, waitMs: 1, reason: "overloaded" },
    ]);
    expect(result).toMatchObject({ value: "ok" });
  });

  test.each<[string, ScriptedReply[], number]>([
    ["too often", [overloaded(), overloaded(), overloaded(), { text: "late" }], 3],
    ["for good", [overloaded({ retryable: false }), { text: "late" }], 1],
    ["asking for more time than a caller waits", [overloaded({ retryAfterMs: 3_600_000 }), { text: "late" }], 1],
    ["after tokens were shown", [{ text: "Hel", fails: overloaded() }, { text: "late" }], 1],
  ])("%s, it ends with one error event and rejects", async (_, script, requests) => {
    const run = await runScript(script);
    expect(run.requests).toHaveLength(requests);
    expect(run.events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
    expect(run.events.at(-1)).toMatchObject({ type: "error", code: "overloaded", message: "overloaded" });
    expect(run.result).toMatchObject({ status: "rejected", reason: { code: "overloaded" } });
  });

  test("sends a paused turn back, and tries a malformed call once more", async () => {
    const { requests, events } = await runScript([{ text: "a", stop: "pause" }, { stop: "malformed" }, { text: "b" }]);
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: "assistant" });
    expect(requests).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({ type: "done", value: "b" });
  });

  test.each<[string, ScriptedReply[], string]>([
    ["malformed twice", [{ stop: "malformed" }, { stop: "malformed" }], "model-stopped"],
    ["a stop that fits no reason", [{ stop: "error" }], "model-stopped"],
    ["an error that is none of ours", [new Error("boom")], "unexpected"],
  ])("%s ends in an error event", async (_, script, code) => {
    const { events } = await runScript(script);
    expect(events.at(-1)).toMatchObject({ type: "error", code, retryable: code === "model-stopped" });
  });

  test("reports a refusal as a stop, not as an error", async () => {
    const { events } = await runScript([{ text: "I can't.", stop: "refusal" }]);
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "refusal", value: "I can't." });
  });

  test.each(["nothing", "gone/model", "test/", "/x", "test/none", "constructor/x"])(
    "refuses the model name %s",
    async (model) => {
      await expect(agent("x", { model })("q")).rejects.toMatchObject({ code: "model-unknown" });
    },
  );

  test("refuses two tools of one name", async () => {
    const tools = [makeTool("same", () => 1), makeTool("same", () => 2)];
    await expect(agent("x", { model: "test/auto", tools })("q")).rejects.toMatchObject({ code: "duplicate-name" });
  });
});

describe("a cancelled run", () => {
  test("stops a running tool and ends in one error event", async () => {
    const stop = new AbortController();
    const hang = makeTool("hang", () => new Promise(() => {}));
    const model = scriptedModel([{ calls: [["hang", {}]] }]);
    const run = agent("x", { model, tools: [hang] }).stream("q", { signal: stop.signal });
    const events: RunEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === "tool_start") stop.abort();
    }
    expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted" });
    await expect(run.result).rejects.toMatchObject({ code: "aborted" });
  });

  test("is what leaving the loop early means, unless the result was asked for", async () => {
    const model = (): ReturnType<typeof scriptedModel> =>
      scriptedModel([{ calls: [["add", { a: 1, b: 1 }]] }, { text: "2" }]);
    const left = agent("x", { model: model(), tools: [add] }).stream("q");
    for await (const _ of left) break;
    await expect(left.result).rejects.toMatchObject({ code: "aborted" });
    const wanted = agent("x", { model: model(), tools: [add] }).stream("q");
    const { result } = wanted;
    for await (const _ of wanted) break;
    await expect(result).resolves.toBe("2");
  });

  test("ends at once when neither the model nor an approver listens to the signal", async () => {
    for (const model of [
      scriptedModel([() => new Promise<never>(() => {})]),
      scriptedModel([{ calls: [["pay", {}]] }]),
    ]) {
      const pay = new Tool({ name: "pay", parameters: objectSchema({}), requiresApproval: true, execute: () => 1 });
      const stop = new AbortController();
      const approve = (): Promise<boolean> => new Promise(() => {});
      const result = agent("x", { model, tools: [pay], approve })("q", { signal: stop.signal });
      setTimeout(() => stop.abort(), 10);
      await expect(result).rejects.toMatchObject({ code: "aborted" });
    }
  });

  test("that was cancelled before it began asks no model", async () => {
    const model = scriptedModel([{ text: "never" }]);
    await expect(agent("x", { model })("q", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(model.requests).toHaveLength(0);
  });
});
