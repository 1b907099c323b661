import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { agent, Schema, Tool, type ToolContext } from "../../src/index.js";
import { objectSchema } from "../manifest-fixture.js";
import { add, type Execute, eventsOf, makeTool, numbers, ofType, resultsIn, runScript, textIn } from "./run-script.js";
import { type ScriptedReply, scriptedModel } from "./scripted-model.js";

describe("an agent", () => {
  test("answers without tools, token by token, and ends with one done event", async () => {
    const { events, requests, result } = await runScript([{ reasoning: "hm", text: "Hello." }]);
    expect(events).toEqual([
      { type: "step_start", step: 1 },
      { type: "reasoning", text: "hm" },
      { type: "token", text: "Hello." },
      { type: "usage", step: 1, usage: { inputTokens: 10, outputTokens: 2 } },
      {
        type: "done",
        value: "Hello.",
        content: "Hello.",
        usage: { inputTokens: 10, outputTokens: 2 },
        stop: "end",
        toolCallsExecuted: 0,
      },
    ]);
    expect(result).toEqual({ status: "fulfilled", value: "Hello." });
    expect(requests[0]).toMatchObject({ system: "Be exact.", stream: true });
    expect(requests[0]).not.toHaveProperty("tools");
  });

  test("runs tools and gives their results back in one message", async () => {
    const { events, requests, result } = await runScript(
      [{ text: "Adding.", calls: [["add", { a: 1, b: 2 }]] }, { text: "3" }],
      { tools: [add] },
    );
    expect(result).toMatchObject({ value: "3" });
    expect(requests[1]?.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "question" }] },
      {
        role: "assistant",
        model: "scripted/model",
        boundTo: expect.any(String),
        content: [
          { type: "text", text: "Adding." },
          { type: "tool_call", id: "call_0_0", name: "add", arguments: '{"a":1,"b":2}' },
        ],
      },
      {
        role: "tool",
        content: [{ type: "tool_result", callId: "call_0_0", name: "add", content: [{ type: "text", text: "3" }] }],
      },
    ]);
    expect(requests[1]?.tools).toBe(requests[0]?.tools);
    expect(ofType(events, "tool_start")).toEqual([
      { type: "tool_start", id: "call_0_0", name: "add", args: { a: 1, b: 2 } },
    ]);
    expect(ofType(events, "tool_done")).toEqual([
      { type: "tool_done", id: "call_0_0", name: "add", status: "success", result: 3 },
    ]);
    expect(events.at(-1)).toMatchObject({ toolCallsExecuted: 1, usage: { inputTokens: 20, outputTokens: 4 } });
  });

  test("gives each call exactly one result in the order of the calls, whatever happens to it", async () => {
    const wait = makeTool(
      "wait",
      async ({ ms }) => {
        await sleep(ms as number);
        return `waited ${ms}`;
      },
      objectSchema({ ms: { type: "number" } }),
    );
    const { events, requests } = await runScript(
      [
        {
          calls: [
            ["wait", { ms: 60 }],
            ["wait", { ms: "soon" }],
            ["wiat", { ms: 1 }],
            ["wait", '{"ms":'],
            ["wait", "5"],
            ["wait", { ms: 0 }],
          ],
        },
        { text: "ok" },
      ],
      { tools: [wait] },
    );
    const results = resultsIn(requests[1]);
    expect(results.map(({ callId, isError }) => [callId, isError === true])).toEqual([
      ["call_0_0", false],
      ["call_0_1", true],
      ["call_0_2", true],
      ["call_0_3", true],
      ["call_0_4", true],
      ["call_0_5", false],
    ]);
    expect(results.map(textIn)).toEqual([
      "waited 60",
      expect.stringContaining('ms: must be a number; got "soon"'),
      expect.stringMatching(/no tool named "wiat".*wait/),
      expect.stringContaining("cut off"),
      expect.stringContaining("must be a JSON object"),
      "waited 0",
    ]);
    expect(
      ofType(events, "tool_done")
        .map(({ id }) => id)
        .at(-1),
    ).toBe("call_0_0");
    expect(ofType(events, "tool_start")).toHaveLength(6);
    expect(ofType(events, "tool_done")).toHaveLength(6);
  });

  test("survives tools that throw anything or return what JSON cannot hold", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const bodies: Record<string, Execute> = {
      throwString: () => {
        throw "no disk";
      },
      throwUndefined: () => {
        throw undefined;
      },
      throwTrap: () => {
        throw {
          get message(): string {
            throw new Error("trap");
          },
        };
      },
      big: () => ({ n: 10n }),
      circle: () => circle,
      nothing: () => undefined,
      later: async () => {
        throw Object.assign(new Error(`disk full at ${process.cwd()}/secret.ts\n    at run (src/tools.ts:1:2)`), {
          token: "secret-123",
        });
      },
      fn: () => () => 1,
    };
    const tools = Object.entries(bodies).map(([name, execute]) => makeTool(name, execute));
    const { events, requests } = await runScript(
      [{ calls: tools.map(({ name }): [string, object] => [name, {}]) }, { text: "ok" }],
      { tools },
    );
    const [text, none, trap, big, loop, nothing, later, fn] = resultsIn(requests[1]);
    expect(text).toMatchObject({ isError: true, content: [{ text: "no disk" }] });
    expect(none?.isError).toBe(true);
    expect(trap?.isError).toBe(true);
    expect(textIn(big)).toBe('{"n":"10"}');
    expect([loop?.isError, textIn(loop)]).toEqual([true, expect.stringMatching(/circle.*cycle/)]);
    expect([nothing?.isError, textIn(nothing)]).toEqual([undefined, "null"]);
    expect([fn?.isError, textIn(fn)]).toEqual([true, expect.stringContaining("function")]);
    expect(textIn(later)).toBe("disk full at ./secret.ts");
    expect(ofType(events, "tool_done")).toHaveLength(8);
    expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
  });

  test("shows and runs repaired arguments", async () => {
    const { events } = await runScript([{ calls: [["add", { a: "1", b: "2" }]] }, { text: "3" }], { tools: [add] });
    expect(ofType(events, "tool_start")[0]?.args).toEqual({ a: 1, b: 2 });
    expect(ofType(events, "tool_done")[0]?.result).toBe(3);
  });

  test("never runs a call that the output limit cut", async () => {
    let runs = 0;
    const write = makeTool("write", () => ++runs, objectSchema({ path: { type: "string" } }));
    const { requests, result } = await runScript(
      [{ calls: [["write", { path: "a" }]], stop: "length" }, { text: "I will write less." }],
      { tools: [write] },
    );
    expect(runs).toBe(0);
    expect(textIn(resultsIn(requests[1])[0])).toMatch(/cut off by the output limit/);
    expect(result).toMatchObject({ value: "I will write less." });
  });

  test("stops at maxToolCalls with error results that name it and one last request that forbids tools", async () => {
    let runs = 0;
    const find = makeTool("find", () => `nothing ${++runs}`);
    const { events, requests } = await runScript(
      [
        { calls: [["find", {}]] },
        {
          calls: [
            ["find", {}],
            ["find", {}],
            ["find", {}],
          ],
        },
        { text: "I found nothing." },
      ],
      { tools: [find], maxToolCalls: 2 },
    );
    expect(runs).toBe(2);
    expect(requests).toHaveLength(3);
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
    expect(requests[2]?.tools).toBe(requests[0]?.tools);
    expect(resultsIn(requests[2]).map(textIn)).toEqual([
      "nothing 2",
      expect.stringContaining("limit of 2"),
      expect.stringContaining("limit of 2"),
    ]);
    expect(events.at(-1)).toMatchObject({
      type: "done",
      stop: "limit",
      value: "I found nothing.",
      toolCallsExecuted: 2,
    });
  });

  test("ends even when the model calls tools after they were forbidden", async () => {
    const find = makeTool("find", () => "x");
    const { events, requests } = await runScript(
      [{ calls: [["find", {}]] }, { text: "Well,", calls: [["find", {}]] }],
      { tools: [find], maxToolCalls: 1 },
    );
    expect(requests).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "limit", content: "Well," });
  });

  test("hands ToolContext over: progress, deps, session, and a key for each call", async () => {
    const contexts: ToolContext[] = [];
    const count = makeTool("count", async (_, context) => {
      contexts.push(context);
      context.progress({ done: 1n });
      context.progress(contexts);
      return "counted";
    });
    const model = scriptedModel([
      {
        calls: [
          ["count", {}],
          ["count", {}],
        ],
      },
      { text: "ok" },
    ]);
    const run = agent("x", { model, tools: [count], deps: "agent's" }).stream("q", {
      sessionId: "s1",
      deps: { user: 1 },
    });
    const events = await eventsOf(run);
    expect(contexts.map(({ toolName, callId, sessionId, deps }) => [toolName, callId, sessionId, deps])).toEqual([
      ["count", "call_0_0", "s1", { user: 1 }],
      ["count", "call_0_1", "s1", { user: 1 }],
    ]);
    expect(new Set(contexts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    expect(ofType(events, "tool_progress")[0]).toEqual({ type: "tool_progress", id: "call_0_0", value: { done: "1" } });
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  test("collects what a generator tool yields, with progress on the way", async () => {
    const steps = makeTool("steps", async function* () {
      yield new Date(0);
      yield "two";
    });
    const { events } = await runScript([{ calls: [["steps", {}]] }, { text: "ok" }], { tools: [steps] });
    expect(ofType(events, "tool_progress").map(({ value }) => value)).toEqual(["1970-01-01T00:00:00.000Z", "two"]);
    expect(ofType(events, "tool_done")[0]?.result).toEqual(["1970-01-01T00:00:00.000Z", "two"]);
  });

  test("runs calls one after another when told so", async () => {
    let running = 0;
    let most = 0;
    const slow = makeTool("slow", async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(5);
      running -= 1;
    });
    const script: ScriptedReply[] = [
      {
        calls: [
          ["slow", {}],
          ["slow", {}],
          ["slow", {}],
        ],
      },
      { text: "ok" },
    ];
    const { requests } = await runScript(script, { tools: [slow], parallelToolCalls: false });
    expect(most).toBe(1);
    expect(requests[0]?.parallelToolCalls).toBe(false);
    await runScript(script, { tools: [slow] });
    expect(most).toBe(3);
  });

  test("gives up on a tool that takes too long, and aborts its signal", async () => {
    let aborted = false;
    const hang = makeTool("hang", (_, { signal }) => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise(() => {});
    });
    const { requests } = await runScript([{ calls: [["hang", {}]] }, { text: "ok" }], {
      tools: [hang],
      toolTimeoutMs: 20,
    });
    expect(textIn(resultsIn(requests[1])[0])).toContain("longer than 20 ms");
    expect(aborted).toBe(true);
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 40])(
    "does not give up early with a limit of %d ms",
    async (toolTimeoutMs) => {
      const nap = makeTool("nap", () => sleep(5).then(() => "rested"));
      const { requests } = await runScript([{ calls: [["nap", {}]] }, { text: "ok" }], { tools: [nap], toolTimeoutMs });
      expect(textIn(resultsIn(requests[1])[0])).toBe("rested");
    },
  );

  test("asks for approval where a tool requires it, and runs nothing without", async () => {
    let runs = 0;
    const pay = new Tool({ name: "pay", parameters: numbers, requiresApproval: true, execute: () => ++runs });
    const script = [{ calls: [["pay", { a: "1", b: 2 }]] }, { text: "ok" }] satisfies ScriptedReply[];
    const unwatched = scriptedModel(script);
    await agent("x", { model: unwatched, tools: [pay] })("q");
    expect(textIn(resultsIn(unwatched.requests[1])[0])).toContain("needs a person's approval");
    const no = await runScript(script, { tools: [pay], approve: () => ({ approved: false, reason: "too much" }) });
    expect(textIn(resultsIn(no.requests[1])[0])).toContain("refused by a person: too much");
    expect(runs).toBe(0);
    const yes = await runScript(script, {
      tools: [pay],
      approve: async ({ name, args }) => name === "pay" && (args as { a: number }).a === 1,
    });
    expect(runs).toBe(1);
    expect(
      yes.events.map(({ type }) => type).filter((type) => type.includes("appro") || type.includes("tool")),
    ).toEqual(["approval_requested", "approval_decided", "tool_start", "tool_done"]);
  });
});

describe("the model test/auto", () => {
  test("calls every tool once with valid arguments, then answers", async () => {
    const assistant = agent("x", { model: "test/auto", tools: [add, makeTool("ping", () => "pong")] });
    const events = await eventsOf(assistant.stream("q"));
    expect(ofType(events, "tool_done").map(({ name, status, result }) => [name, status, result])).toEqual([
      ["add", "success", 2],
      ["ping", "success", "pong"],
    ]);
    expect(await assistant("q")).toBe("The tools gave back:\n- add: 2\n- ping: pong");
  });

  test("answers in the format asked for", async () => {
    const Pair = new Schema<{ n: number }>({
      name: "Pair",
      schema: objectSchema({ n: { type: "integer", minimum: 3 } }),
    });
    expect(await agent("x", { model: "test/auto", tools: [add], responseFormat: Pair })("q")).toEqual({ n: 3 });
  });
});
