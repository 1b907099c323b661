import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { agent, Tool } from "../../src/index.js";
import { ProviderError } from "../../src/providers/index.js";
import { objectSchema } from "../manifest-fixture.js";
import { add, eventsOf, makeTool, ofType, resultsIn, runScript, textIn } from "./run-script.js";
import { scriptedModel } from "./scripted-model.js";

const down = new ProviderError("down", { code: "overloaded", provider: "scripted", retryable: false });

describe("a list of models", () => {
  test("goes on with the next one when one fails for good, and stays with it", async () => {
    const first = scriptedModel([{ calls: [["add", { a: 1, b: 2 }]] }, down]);
    const second = { ...scriptedModel([{ calls: [["add", { a: 3, b: 4 }]] }, { text: "ok" }]), id: "other/model" };
    const run = agent("x", { model: [first, second], tools: [add] }).stream("q");
    const events = await eventsOf(run);
    expect(await run.result).toBe("ok");
    expect(second.requests).toHaveLength(2);
    expect(ofType(events, "retry")).toMatchObject([{ reason: "down; other/model goes on" }]);
    const writers = (await run.messages).flatMap((message) => (message.role === "assistant" ? [message.model] : []));
    expect(writers).toEqual(["scripted/model", "other/model", "other/model"]);
  });

  test("drops the reasoning of the model before, and says so", async () => {
    const first = scriptedModel([{ reasoning: "secret thought", calls: [["add", { a: 1, b: 2 }]] }, down]);
    const second = { ...scriptedModel([{ text: "ok" }]), id: "other/model" };
    const events = await eventsOf(agent("x", { model: [first, second], tools: [add] }).stream("q"));
    expect(ofType(events, "reasoning_dropped")).toEqual([
      { type: "reasoning_dropped", reason: "another model answers" },
    ]);
    expect(JSON.stringify(second.requests[0]?.messages)).not.toContain("secret thought");
  });

  test("fails with the last one's failure, and at once once part of a reply was shown or for what is wrong itself", async () => {
    const spare = () => scriptedModel([{ text: "never" }]);
    await expect(agent("x", { model: [scriptedModel([down]), scriptedModel([down])] })("q")).rejects.toBe(down);
    const cut = new ProviderError("cut", { code: "cut", provider: "scripted", retryable: true });
    const shown = agent("x", { model: [scriptedModel([{ text: "Hal", fails: cut }]), spare()] });
    await expect(shown("q")).rejects.toBe(cut);
    const wrong = new ProviderError("no", { code: "bad-request", provider: "scripted", retryable: false });
    await expect(agent("x", { model: [scriptedModel([wrong]), spare()] })("q")).rejects.toBe(wrong);
  });
});

describe("a budget", () => {
  test("that is spent refuses further calls, and the model answers once more", async () => {
    const { events, requests } = await runScript(
      [{ calls: [["add", { a: 1, b: 2 }]] }, { calls: [["add", { a: 1, b: 2 }]] }, { text: "so far 3" }],
      { tools: [add], budget: { tokens: 20 } },
    );
    expect(textIn(resultsIn(requests[2])[0])).toBe(
      "Not run: the budget of 20 tokens is spent. Answer with what is known.",
    );
    expect(requests[2]).toMatchObject({ toolChoice: "none" });
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "budget", value: "so far 3" });
  });
});

describe("prices", () => {
  const prices = { "scripted/model": { inputPerMTok: 1_000, outputPerMTok: 10_000 } };

  test("give a run its cost, those of agents that are tools included, and a budget in money", async () => {
    const { events } = await runScript([{ calls: [["add", { a: 1, b: 2 }]] }, { text: "3" }], { tools: [add], prices });
    // Two requests of 10 tokens in and 2 out.
    expect(events.at(-1)).toMatchObject({ cost: expect.closeTo(0.06, 10) });
    const limited = await runScript([{ calls: [["add", { a: 1, b: 2 }]] }, { text: "3" }], {
      tools: [add],
      prices,
      budget: { cost: 0.03 },
    });
    expect(limited.requests[1]).toMatchObject({ toolChoice: "none" });
    const expert = agent("x", { model: scriptedModel([{ text: "in" }]), name: "expert", prices });
    const outer = await runScript([{ calls: [["expert", { input: "?" }]] }, { text: "out" }], {
      tools: [expert],
      prices,
    });
    expect(outer.events.at(-1)).toMatchObject({ cost: expect.closeTo(0.09, 10), usage: { inputTokens: 30 } });
  });

  test("that are missing leave the cost unknown, and refuse a budget in money", async () => {
    const { events } = await runScript([{ text: "hi" }], { prices: {} });
    expect(events.at(-1)).not.toHaveProperty("cost");
    expect(() => agent("x", { model: "anthropic/m", budget: { cost: 1 } })).toThrow("prices has none for anthropic/m");
  });
});

describe("toolChoice", () => {
  test("holds until the first call", async () => {
    const { requests } = await runScript([{ calls: [["add", { a: 1, b: 2 }]] }, { text: "ok" }], {
      tools: [add],
      toolChoice: "required",
    });
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(["required", "auto"]);
  });
});

describe("calls of one reply", () => {
  const watched = (options: object) => {
    let now = 0;
    let most = 0;
    const order: string[] = [];
    const tool = (name: string, extra: object = {}) =>
      new Tool({
        name,
        parameters: objectSchema({}),
        ...extra,
        execute: async () => {
          now += 1;
          most = Math.max(most, now);
          order.push(`+${name}`);
          await sleep(5);
          order.push(`-${name}`);
          now -= 1;
        },
      });
    return { tool, order, most: () => most, options };
  };

  test("run at most maxConcurrentTools at a time", async () => {
    const { tool, most } = watched({});
    const calls = ["a", "b", "c", "d"].map((name) => [name, {}] as const);
    const tools = ["a", "b", "c", "d"].map((name) => tool(name));
    await runScript([{ calls }, { text: "ok" }], { tools, maxConcurrentTools: 2 });
    expect(most()).toBe(2);
  });

  test("to a sequential tool wait for those before it, and hold up those after it", async () => {
    const { tool, order } = watched({});
    const tools = [tool("a"), tool("b"), tool("alone", { sequential: true }), tool("c")];
    const calls = ["a", "b", "alone", "c"].map((name) => [name, {}] as const);
    await runScript([{ calls }, { text: "ok" }], { tools });
    expect(order.indexOf("+alone")).toBe(4);
    expect(order.slice(4)).toEqual(["+alone", "-alone", "+c", "-c"]);
  });

  test("of one id get ids of their own", async () => {
    const same = { type: "tool_call", id: "same", name: "add", arguments: '{"a":1,"b":2}' } as const;
    const model = scriptedModel([{ text: "x" }]);
    let step = 0;
    const twice = {
      ...model,
      entry: {
        ...model.entry,
        open: async () => ({
          name: "scripted",
          async *stream() {
            step += 1;
            const content = step === 1 ? [same, same] : [{ type: "text", text: "ok" } as const];
            const stop = step === 1 ? ("tool" as const) : ("end" as const);
            yield {
              type: "reply" as const,
              reply: { message: { role: "assistant" as const, content }, stop, usage: {}, notes: [] },
            };
          },
        }),
      },
    };
    const run = agent("x", { model: twice, tools: [add] }).stream("q");
    expect(await run.result).toBe("ok");
    const results = (await run.messages).find(({ role }) => role === "tool");
    expect(results?.content.map((part) => (part as { callId: string }).callId)).toEqual(["same", "same_2"]);
  });

  test("keep a tool's own time limit before the agent's", async () => {
    const slow = new Tool({ name: "slow", parameters: objectSchema({}), timeoutMs: 5, execute: () => sleep(10_000) });
    const { requests } = await runScript([{ calls: [["slow", {}]] }, { text: "ok" }], { tools: [slow] });
    expect(textIn(resultsIn(requests[1])[0])).toContain("longer than 5 ms");
  });
});

describe("hooks", () => {
  test("see every model and tool call, and may refuse, answer or replace", async () => {
    const seen: string[] = [];
    const { requests } = await runScript(
      [
        {
          calls: [
            ["add", { a: 1, b: 2 }],
            ["add", { a: 2, b: 2 }],
            ["add", { a: 3, b: 2 }],
            ["add", { a: 4, b: 2 }],
          ],
        },
        { text: "ok" },
      ],
      {
        tools: [add],
        hooks: {
          beforeModel: ({ step, messages }) => void seen.push(`model ${step} ${messages.length}`),
          afterModel: ({ stop }) => void seen.push(stop),
          beforeTool: ({ args }) => {
            const { a } = args as { a: number };
            if (a === 1) return { refuse: "not this one" };
            if (a === 2) return { result: "cached" };
            if (a === 3) throw new Error("hook broke");
            return undefined;
          },
          afterTool: (_, { status, result }) => (result === 6 ? { status, result: "six" } : undefined),
        },
      },
    );
    expect(resultsIn(requests[1]).map(textIn)).toEqual([
      "Not run: not this one",
      "cached",
      "Not run: hook broke",
      "six",
    ]);
    expect(seen).toEqual(["model 1 1", "tool", "model 2 3", "end"]);
  });

  test("that change the messages drop reasoning, for that request and for what the model thought of it", async () => {
    const model = scriptedModel([
      { reasoning: "first", calls: [["add", { a: 1, b: 2 }]] },
      { reasoning: "second", calls: [["add", { a: 1, b: 2 }]] },
      { text: "ok" },
    ]);
    const beforeModel = ({ step, messages }: { step: number; messages: readonly never[] }) =>
      step === 2 ? { messages: messages.slice() } : undefined;
    const run = agent("x", { model, tools: [add], hooks: { beforeModel: beforeModel as never } }).stream("q");
    const events = await eventsOf(run);
    expect(ofType(events, "reasoning_dropped")).toHaveLength(1);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("first");
    const third = JSON.stringify(model.requests[2]?.messages);
    expect(third).toContain("first");
    expect(third).not.toContain("second");
  });

  test("that throw around the model end the run with what they throw", async () => {
    const { result, events } = await runScript([{ text: "ok" }], {
      hooks: {
        afterModel: () => {
          throw new Error("blocked by policy");
        },
      },
    });
    expect(result).toMatchObject({ status: "rejected", reason: { message: "blocked by policy" } });
    expect(events.at(-1)).toMatchObject({ type: "error", message: "blocked by policy" });
  });
});

describe("a history of another time", () => {
  test("loses its reasoning when instructions or tools are not the same any more", async () => {
    const model = scriptedModel([{ reasoning: "thought", text: "one" }, { text: "two" }, { text: "three" }]);
    const before = agent("Be exact.", { model }).stream("q");
    await before.result;
    const history = JSON.parse(JSON.stringify(await before.messages));
    await agent("Be exact.", { model })("again", { history });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("thought");
    const events = await eventsOf(agent("Be brief.", { model }).stream("again", { history }));
    expect(JSON.stringify(model.requests[2]?.messages)).not.toContain("thought");
    expect(ofType(events, "reasoning_dropped")).toEqual([
      { type: "reasoning_dropped", reason: "the instructions or tools changed" },
    ]);
  });
});

describe("a call that the server itself could not read", () => {
  const refused = new ProviderError("failed to call a function: {bad", {
    code: "tool-call-refused",
    provider: "scripted",
    retryable: false,
  });

  test("is told to the model, twice at most", async () => {
    const model = scriptedModel([refused, { text: "ok" }]);
    expect(await agent("x", { model, tools: [add] })("q")).toBe("ok");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("{bad");
    await expect(agent("x", { model: scriptedModel([refused, refused, refused]), tools: [add] })("q")).rejects.toBe(
      refused,
    );
  });
});

describe("a responseFormat of another library", () => {
  const City = z.object({ name: z.string().transform((name) => name.toUpperCase()), size: z.number().int() });

  test("is asked for by its JSON Schema, validated by the library, and gives its output", async () => {
    const model = scriptedModel([{ text: '{"name":"Oslo","size":1.5}' }, { text: '{"name":"Oslo","size":3}' }]);
    const city = await agent("x", { model, responseFormat: City })("q");
    expect(city).toEqual({ name: "OSLO", size: 3 });
    expect(model.requests[0]?.output?.neutral).toMatchObject({ properties: { size: { type: "integer" } } });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("size");
  });

  test("gets the library's own issues back to the model", async () => {
    const Even = z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") });
    const model = scriptedModel([{ text: '{"n":1}' }, { text: '{"n":2}' }]);
    expect(await agent("x", { model, responseFormat: Even })("q")).toEqual({ n: 2 });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("- n: must be even");
  });

  test("that is no schema is refused when the agent is made", () => {
    expect(() => agent("x", { model: "test/auto", responseFormat: {} as never })).toThrow(
      expect.objectContaining({ code: "format-unusable" }),
    );
  });
});

describe("structuredOutput", () => {
  test("exclusive refuses tools beside a format where the provider cannot have both", () => {
    const options = {
      tools: [add],
      responseFormat: z.object({ n: z.number() }),
      structuredOutput: "exclusive",
    } as const;
    expect(() => agent("x", { ...options, model: "ollama/qwen3" })).toThrow(
      expect.objectContaining({ code: "output-with-tools" }),
    );
    expect(() => agent("x", { ...options, model: "anthropic/claude-opus-5-5" })).not.toThrow();
  });

  test("tool asks for the answer as arguments of a tool", async () => {
    const { requests, result } = await runScript<{ n: number }>(
      [{ calls: [["respond_with_structured_output", { n: 1 }]] }],
      { responseFormat: z.object({ n: z.number() }), structuredOutput: "tool" },
    );
    expect(result).toMatchObject({ value: { n: 1 } });
    expect(requests[0]).toMatchObject({ toolChoice: { tool: "respond_with_structured_output" } });
  });
});

describe("an answer that never fits", () => {
  test("is an error that holds what the model wrote", async () => {
    const { result } = await runScript([{ text: "no" }, { text: "still no" }], {
      responseFormat: z.object({ n: z.number() }),
    });
    expect(result).toMatchObject({ status: "rejected", reason: { code: "output-refused", text: "still no" } });
  });
});

describe("an agent's options", () => {
  test("are refused all at once where they do not fit", () => {
    const wrong = { model: [], maxToolCalls: -1, maxConcurrentTools: 0, name: "no good", budget: { tokens: 0 } };
    expect(() => agent("x", wrong as never)).toThrow(
      /model must be given[\s\S]*maxToolCalls[\s\S]*maxConcurrentTools[\s\S]*name[\s\S]*budget\.tokens/,
    );
  });
});

describe("a run whose events nobody reads", () => {
  test("ends all the same, however many there are", async () => {
    const words = Array.from({ length: 3_000 }, (_, index) => `${index} `);
    const base = scriptedModel([]);
    const model = {
      ...base,
      entry: {
        ...base.entry,
        open: async () => ({
          name: "scripted",
          async *stream() {
            for (const text of words) yield { type: "text" as const, text };
            const message = { role: "assistant" as const, content: [{ type: "text" as const, text: words.join("") }] };
            yield { type: "reply" as const, reply: { message, stop: "end" as const, usage: {}, notes: [] } };
          },
        }),
      },
    };
    expect(await agent("x", { model }).stream("q").result).toBe(words.join(""));
  });
});

describe("a reader that leaves", () => {
  test.each([
    ["abort", 0],
    ["detach", 1],
  ] as const)("with onLeave %s leaves %d finished calls behind", async (onLeave, finished) => {
    let ended = 0;
    const over = Promise.withResolvers<void>();
    const slow = makeTool("slow", async (_, { signal }) => {
      await Promise.race([sleep(20), new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      if (!signal.aborted) ended += 1;
      over.resolve();
    });
    const model = scriptedModel([{ calls: [["slow", {}]] }, { text: "ok" }]);
    const run = agent("x", { model, tools: [slow] }).stream("q", { onLeave });
    for await (const event of run) if (event.type === "tool_start") break;
    await over.promise;
    expect(ended).toBe(finished);
  });
});
