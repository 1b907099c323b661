import { describe, expect, test } from "vitest";
import { type AgentOptions, agent, type HumanQueue, type RunOptions, Tool } from "../../src/index.js";
import { objectSchema } from "../manifest-fixture.js";
import { add, eventsOf, makeTool, ofType, resultsIn, runScript, textIn } from "./run-script.js";
import { scriptedModel } from "./scripted-model.js";

const noPrototype = Object.create(null) as object;
const trap = new Proxy(
  {},
  {
    get: () => {
      throw new Error("trapped");
    },
  },
);
const junk: readonly [string, unknown][] = [
  ["null", null],
  ["undefined", undefined],
  ["a text", "text"],
  ["an object without a prototype", noPrototype],
  ["a proxy that throws", trap],
  ["a symbol", Symbol("x")],
];
/** What the types forbid and JavaScript allows. */
const wrong = <T>(value: unknown): T => value as T;

describe("agent() refuses at once", () => {
  test.each<[string, unknown]>([
    ["model", null],
    ["model", 5],
    ["model", [undefined]],
    ["model", {}],
    ["hooks", "x"],
    ["hooks", { beforeTool: 1 }],
    ["hooks", { beforeTools: () => undefined }],
    ["approve", "yes"],
    ["stream", "no"],
    ["strict", 1],
    ["parallelToolCalls", "no"],
    ["toolChoice", "sometimes"],
    ["toolChoice", { tool: 1 }],
    ["temperature", "hot"],
    ["temperature", Number.NaN],
    ["budget", null],
    ["budget", "10"],
    ["budget", { token: 10 }],
    ["budget", { tokens: Number.NaN }],
    ["description", 5],
    ["prices", { "test/auto": { inputPerMTok: "3", outputPerMTok: 1 } }],
    ["prices", []],
    ["telemetry", "on"],
    ["tools", new Set()],
    ["maxToolCalls", Number.POSITIVE_INFINITY],
    ["maxToolCall", 3],
  ])("the option %s as %j", (name, value) => {
    const options = wrong<AgentOptions<string>>({ model: "test/auto", [name]: value });
    expect(() => agent("x", options)).toThrow(expect.objectContaining({ code: "options-invalid" }));
    expect(() => agent("x", options)).toThrow(name);
  });
});

describe("a run refuses, with its one terminal event and never by a throw of the call itself,", () => {
  test.each<[string, unknown, unknown, string]>([
    ["no question", undefined, {}, "question-invalid"],
    ["an empty question", "", {}, "question-invalid"],
    ["a blank question", " \n", {}, "question-invalid"],
    ["a question that is no text", { text: "x" }, {}, "question-invalid"],
    ["options that are null", "q", null, "options-invalid"],
    ["a signal that is none", "q", { signal: "x" }, "options-invalid"],
    ["an unknown onLeave", "q", { onLeave: "stay" }, "options-invalid"],
    ["a history that is a text", "q", { history: "x" }, "history-invalid"],
    ["a message that is null", "q", { history: [null] }, "history-invalid"],
    ["a message of an unknown role", "q", { history: [{ role: "bot", content: [] }] }, "history-invalid"],
    ["a content that is a text", "q", { history: [{ role: "user", content: "hi" }] }, "history-invalid"],
    ["a part that is null", "q", { history: [{ role: "user", content: [null] }] }, "history-invalid"],
    [
      "a call with an object as arguments",
      "q",
      { history: [{ role: "assistant", content: [{ type: "tool_call", id: "a", name: "b", arguments: {} }] }] },
      "history-invalid",
    ],
  ])("%s", async (_, question, options, code) => {
    const model = scriptedModel([{ text: "x" }]);
    const assistant = agent("x", { model });
    await expect(assistant(wrong(question), wrong<RunOptions>(options))).rejects.toMatchObject({ code });
    const events = await eventsOf(assistant.stream(wrong(question), wrong<RunOptions>(options)));
    expect(events).toEqual([expect.objectContaining({ type: "error", code, retryable: false })]);
    expect(model.requests).toEqual([]);
  });
});

describe("a hook", () => {
  test.each(junk)("beforeModel that throws %s ends the run with one terminal event", async (_, thrown) => {
    const { events, result } = await runScript([{ text: "x" }], {
      hooks: {
        beforeModel: () => {
          throw thrown;
        },
      },
    });
    expect(ofType(events, "error")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("error");
    expect(result.status).toBe("rejected");
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a text", "x"],
    ["an empty object", {}],
  ])("beforeModel that gives back %s changes nothing", async (_, answer) => {
    const { result } = await runScript([{ text: "x" }], { hooks: { beforeModel: () => wrong(answer) } });
    expect(result).toMatchObject({ value: "x" });
  });

  test("beforeModel that gives back no messages is refused with what is wrong", async () => {
    const { events } = await runScript([{ text: "x" }], { hooks: { beforeModel: () => wrong({ messages: "x" }) } });
    expect(events.at(-1)).toMatchObject({ type: "error", code: "history-invalid" });
  });

  test("that empties the list it is shown does not reach the conversation", async () => {
    const { requests } = await runScript([{ calls: [["add", { a: 1, b: 2 }]] }, { text: "3" }], {
      tools: [add],
      hooks: {
        beforeModel: ({ messages }) => {
          (messages as unknown[]).length = 0;
          return undefined;
        },
      },
    });
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
  });

  test.each<[string, unknown]>([
    ["an empty object", {}],
    ["a text", "no"],
    ["true", true],
    ["a refusal that is no text", { refuse: 5 }],
  ])("beforeTool that gives back %s lets nothing run that it may have meant to refuse", async (_, answer) => {
    let runs = 0;
    const count = makeTool("count", () => ++runs);
    const { requests } = await runScript([{ calls: [["count", {}]] }, { text: "ok" }], {
      tools: [count],
      hooks: { beforeTool: () => wrong(answer) },
    });
    expect(runs).toBe(0);
    expect(resultsIn(requests[1])[0]).toMatchObject({ isError: true });
    expect(textIn(resultsIn(requests[1])[0])).toContain("beforeTool");
  });

  test("beforeTool and afterTool that give back null decide nothing", async () => {
    const { requests } = await runScript([{ calls: [["add", { a: 1, b: 2 }]] }, { text: "ok" }], {
      tools: [add],
      hooks: { beforeTool: () => wrong(null), afterTool: () => wrong(null) },
    });
    expect(textIn(resultsIn(requests[1])[0])).toBe("3");
  });

  test.each<[string, unknown]>([
    ["an empty object", {}],
    ["a text", "no"],
    ["an unknown status", { status: "fine", result: 1 }],
  ])("afterTool that gives back %s hides the result and says so", async (_, answer) => {
    const { requests, events } = await runScript([{ calls: [["add", { a: 1, b: 2 }]] }, { text: "ok" }], {
      tools: [add],
      hooks: { afterTool: () => wrong(answer) },
    });
    expect(textIn(resultsIn(requests[1])[0])).toContain("afterTool");
    expect(ofType(events, "tool_done")).toMatchObject([{ status: "error" }]);
  });
});

describe("a tool", () => {
  test.each(junk)("that throws %s has an error result", async (_, thrown) => {
    const bad = makeTool("bad", () => {
      throw thrown;
    });
    const { requests, result } = await runScript([{ calls: [["bad", {}]] }, { text: "ok" }], { tools: [bad] });
    expect(resultsIn(requests[1])[0]).toMatchObject({ isError: true });
    expect(result).toMatchObject({ value: "ok" });
  });

  test.each<[string, unknown]>([
    ["a proxy that throws", trap],
    [
      "a thenable that throws",
      {
        // biome-ignore lint/suspicious/noThenProperty: that is what is tested
        get then() {
          throw new Error("no");
        },
      },
    ],
    [
      "a getter that throws",
      {
        get a() {
          throw new Error("no");
        },
      },
    ],
    ["a function", () => 1],
  ])("that returns %s has an error result", async (_, value) => {
    const bad = makeTool("bad", () => value);
    const { requests } = await runScript([{ calls: [["bad", {}]] }, { text: "ok" }], { tools: [bad] });
    expect(resultsIn(requests[1])[0]).toMatchObject({ isError: true });
  });

  test("may be called __proto__ or constructor", async () => {
    const tools = ["__proto__", "constructor", "hasOwnProperty"].map((name) => makeTool(name, () => `of ${name}`));
    const { requests } = await runScript(
      [
        {
          calls: [
            ["__proto__", {}],
            ["constructor", {}],
            ["hasOwnProperty", {}],
            ["toString", {}],
          ],
        },
        { text: "ok" },
      ],
      { tools },
    );
    expect(resultsIn(requests[1]).map(({ isError }) => isError === true)).toEqual([false, false, false, true]);
  });

  test("whose result has ten million characters gives it to the model whole", async () => {
    const big = makeTool("big", () => "x".repeat(10_000_000));
    const { requests } = await runScript([{ calls: [["big", {}]] }, { text: "ok" }], { tools: [big] });
    expect(textIn(resultsIn(requests[1])[0])).toHaveLength(10_000_000);
  });

  test.each(junk)("is not run by an approver that answers %s", async (_, answer) => {
    let runs = 0;
    const risky = new Tool({
      name: "risky",
      parameters: objectSchema({}),
      requiresApproval: true,
      execute: () => ++runs,
    });
    await runScript([{ calls: [["risky", {}]] }, { text: "ok" }], { tools: [risky], approve: () => wrong(answer) });
    expect(runs).toBe(0);
  });

  test("that aborts its own run ends it at once, and no model is asked any more", async () => {
    const model = scriptedModel([
      {
        calls: [
          ["stop", {}],
          ["stop", {}],
        ],
      },
      { text: "never" },
    ]);
    const stop = new Tool({
      name: "stop",
      parameters: objectSchema({}),
      sequential: true,
      execute: () => {
        stops += 1;
        run.abort();
      },
    });
    let stops = 0;
    const run = agent("x", { model, tools: [stop] }).stream("q");
    const events = await eventsOf(run);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(model.requests).toHaveLength(1);
    expect(stops).toBe(1);
  });
});

describe("a model", () => {
  test("that makes a thousand calls at once has a thousand results, and ten of them ran", async () => {
    const calls = Array.from({ length: 1000 }, (_, n) => ["add", { a: n, b: 0 }] as const);
    const { requests, events } = await runScript([{ calls }, { text: "ok" }], { tools: [add] });
    const results = resultsIn(requests[1]);
    expect(results).toHaveLength(1000);
    expect(results.filter(({ isError }) => isError !== true)).toHaveLength(10);
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "limit", toolCallsExecuted: 10 });
  });

  test("that makes a thousand calls which are all allowed runs them all, a few at a time", async () => {
    let now = 0;
    let most = 0;
    const slow = makeTool("slow", async () => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now -= 1;
    });
    const calls = Array.from({ length: 1000 }, () => ["slow", {}] as const);
    const { events } = await runScript([{ calls }, { text: "ok" }], {
      tools: [slow],
      maxToolCalls: 1000,
      maxConcurrentTools: 7,
    });
    expect(events.at(-1)).toMatchObject({ type: "done", toolCallsExecuted: 1000 });
    expect(most).toBe(7);
  });

  test.each(junk)("that throws %s ends the run with one terminal event", async (_, thrown) => {
    const { events } = await runScript([
      () => {
        throw thrown;
      },
    ]);
    expect(events.map(({ type }) => type)).toEqual(["step_start", "error"]);
  });
});

describe("handing over", () => {
  const transfer = (to: string) => ({ calls: [[`transfer_to_${to}`, {}]] as const });

  test("in a ring of three agents ends at the limit of handoffs", async () => {
    const script = (to: string) => scriptedModel(Array.from({ length: 20 }, () => transfer(to)));
    const rings: [never[], never[], never[]] = [[], [], []];
    const make = (name: string, to: string, handoffs: never[]) =>
      agent("x", { model: script(to), name, handoffs, maxToolCalls: 12 });
    const one = make("one", "two", rings[0]);
    const two = make("two", "three", rings[1]);
    const three = make("three", "one", rings[2]);
    rings[0].push(two as never);
    rings[1].push(three as never);
    rings[2].push(one as never);
    const events = await eventsOf(one.stream("q"));
    expect(ofType(events, "handoff").map(({ to }) => to)).toEqual(["two", "three", "one", "two", "three"]);
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "limit" });
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a text", "support"],
    ["a queue without enqueue", { name: "support" }],
    ["a queue whose name no tool can have", { name: "the support", enqueue: () => undefined }],
    ["a queue without a name", { enqueue: () => undefined }],
  ])("to %s is refused with what is wrong", async (_, target) => {
    const assistant = agent("x", { model: scriptedModel([]), handoffs: [wrong<HumanQueue>(target)] });
    await expect(assistant("q")).rejects.toMatchObject({ code: "options-invalid" });
  });

  test.each(junk)("to a queue that throws %s leaves the conversation with the agent", async (_, thrown) => {
    const support: HumanQueue = {
      name: "support",
      enqueue: () => {
        throw thrown;
      },
    };
    const model = scriptedModel([transfer("support"), { text: "sorry" }]);
    expect(await agent("x", { model, handoffs: [support] })("q")).toBe("sorry");
  });
});

describe("agents as tools", () => {
  test("that call themselves without end are stopped, and the outermost answers", async () => {
    const tools: never[] = [];
    let requests = 0;
    const model = scriptedModel(
      Array.from({ length: 500 }, () => () => {
        requests += 1;
        return requests > 50 ? { text: "too deep" } : { calls: [["self", { input: "again" }]] as const };
      }),
    );
    const self = agent("x", { model, name: "self", tools, maxToolCalls: 1 });
    tools.push(self as never);
    await self("q");
    // One request at each depth, and one more at each for the answer.
    expect(requests).toBeLessThanOrEqual(20);
  });

  test("spend the budget of whoever calls them, by that one's prices too", async () => {
    const inner = agent("x", { model: { ...scriptedModel([{ text: "a" }]), id: "scripted/inner" }, name: "inner" });
    const price = { inputPerMTok: 1e6, outputPerMTok: 1e6 };
    const outer = agent("x", {
      model: scriptedModel([{ calls: [["inner", { input: "q" }]] }, { text: "end" }]),
      tools: [inner],
      prices: { "scripted/model": price, "scripted/inner": price },
      budget: { cost: 20 },
    });
    const events = await eventsOf(outer.stream("q"));
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "budget", cost: 36 });
  });

  test("whose model has no price are named where a budget of cost cannot count them", async () => {
    const inner = agent("x", { model: { ...scriptedModel([{ text: "a" }]), id: "scripted/inner" }, name: "inner" });
    const outer = agent("x", {
      model: scriptedModel([{ calls: [["inner", { input: "q" }]] }, { text: "end" }]),
      tools: [inner],
      prices: { "scripted/model": { inputPerMTok: 1, outputPerMTok: 1 } },
      budget: { cost: 20 },
    });
    const events = await eventsOf(outer.stream("q"));
    expect(events.at(-1)).toMatchObject({
      type: "done",
      notes: ["the budget of cost does not count scripted/inner: prices has none for it"],
    });
  });
});

describe("the events of a run", () => {
  test("come to each of several reads that wait at the same time", async () => {
    const model = scriptedModel([{ text: "hi" }]);
    const reader = agent("x", { model }).stream("q")[Symbol.asyncIterator]();
    const read = await Promise.all(Array.from({ length: 6 }, () => reader.next()));
    expect(read.map(({ value }) => value?.type)).toEqual([
      "step_start",
      "token",
      "usage",
      "done",
      undefined,
      undefined,
    ]);
  });
});
