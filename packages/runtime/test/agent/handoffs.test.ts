import { describe, expect, test } from "vitest";
import { agent, type HandedOver, type HumanQueue } from "../../src/index.js";
import { add, eventsOf, ofType, resultsIn, textIn } from "./run-script.js";
import { scriptedModel } from "./scripted-model.js";

const transfer = (to: string, args: object = {}) => [`transfer_to_${to}`, args] as const;

describe("a handoff", () => {
  test("lets the other agent go on with its own instructions, tools and model, and says so", async () => {
    const mathModel = scriptedModel([{ calls: [["add", { a: 1, b: 2 }]] }, { text: "3" }]);
    const math = agent("Compute.", { model: mathModel, tools: [add], name: "math", description: "Computes." });
    const desk = scriptedModel([{ reasoning: "sums", calls: [transfer("math", { reason: "a sum" })] }]);
    const run = agent("Greet.", { model: desk, name: "desk", handoffs: [math] }).stream("1+2?");
    const events = await eventsOf(run);
    expect(await run.result).toBe("3");
    expect(desk.requests[0]?.tools?.map(({ tool }) => [tool.name, tool.description])).toEqual([
      ["transfer_to_math", "Hands the conversation over to math. Computes."],
    ]);
    expect(ofType(events, "handoff")).toEqual([{ type: "handoff", from: "desk", to: "math" }]);
    expect(ofType(events, "reasoning_dropped")).toHaveLength(1);
    expect(mathModel.requests[0]).toMatchObject({ system: "Compute." });
    expect(JSON.stringify(mathModel.requests[0]?.messages)).not.toContain("sums");
    expect(JSON.stringify(await run.messages)).toContain("sums");
    expect(run.activeAgent).toBe("math");
  });

  test("happens once for a reply that asks for two, after all its calls have results", async () => {
    const other = (name: string) => agent("x", { model: scriptedModel([{ text: name }]), name });
    const desk = scriptedModel([{ calls: [["add", { a: 1, b: 2 }], transfer("one"), transfer("two")] }]);
    const run = agent("x", { model: desk, tools: [add], handoffs: [other("one"), other("two")] }).stream("q");
    expect(await run.result).toBe("one");
    const results = (await run.messages).find(({ role }) => role === "tool");
    expect(results?.content.map((part) => textIn(part as never))).toEqual([
      "3",
      "The conversation goes over to one.",
      "Not done: the conversation already goes over to one.",
    ]);
  });

  test("back and forth ends at maxHandoffs with an error result", async () => {
    const options = { name: "left", maxHandoffs: 1 };
    const model = scriptedModel([{ calls: [transfer("right")] }]);
    const rightModel = scriptedModel([{ calls: [transfer("left")] }, { text: "here then" }]);
    const handoffs: never[] = [];
    const left = agent("x", { ...options, model, handoffs });
    const right = agent("x", { model: rightModel, name: "right", maxHandoffs: 1, handoffs: [left] });
    handoffs.push(right as never);
    expect(await left("q")).toBe("here then");
    expect(textIn(resultsIn(rightModel.requests[1])[0])).toContain("limit of 1 handoffs");
  });

  test("to people ends the run with stop handoff, and gives them the conversation", async () => {
    const taken: HandedOver[] = [];
    const support: HumanQueue = {
      name: "support",
      description: "Refunds.",
      enqueue: (conversation) => {
        taken.push(conversation);
      },
    };
    const model = scriptedModel([{ text: "One moment.", calls: [transfer("support", { reason: "refund" })] }]);
    const events = await eventsOf(agent("x", { model, handoffs: [support] }).stream("q", { sessionId: "s1" }));
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "handoff", content: "One moment." });
    expect(taken).toMatchObject([{ sessionId: "s1", reason: "refund" }]);
    expect(taken[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("to people who cannot take it leaves the conversation where it is", async () => {
    const support: HumanQueue = {
      name: "support",
      enqueue: () => {
        throw new Error("nobody is in");
      },
    };
    const model = scriptedModel([{ calls: [transfer("support")] }, { text: "Sorry." }]);
    expect(await agent("x", { model, handoffs: [support] })("q")).toBe("Sorry.");
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("nobody is in");
  });

  test("is refused to oneself, and to an agent without a name", async () => {
    const handoffs: never[] = [];
    const self = agent("x", { model: "test/auto", name: "self", handoffs });
    handoffs.push(self as never);
    await expect(self("q")).rejects.toMatchObject({ code: "handoff-to-itself" });
    const unnamed = agent("x", { model: "test/auto" });
    await expect(agent("x", { model: "test/auto", handoffs: [unnamed] })("q")).rejects.toMatchObject({
      code: "name-missing",
    });
  });
});

describe("an agent as a tool", () => {
  test("gets one text, gives its answer, shows its events as progress, and its tokens count", async () => {
    const inner = scriptedModel([{ text: "Paris" }]);
    const expert = agent("Know.", { model: inner, name: "expert", description: "Knows." });
    const outer = scriptedModel([{ calls: [["expert", { input: "capital?" }]] }, { text: "It is Paris." }]);
    const events = await eventsOf(agent("x", { model: outer, tools: [expert], budget: { tokens: 30 } }).stream("q"));
    expect(textIn(resultsIn(outer.requests[1])[0])).toBe("Paris");
    const shown = ofType(events, "tool_progress").map(({ value }) => (value as { type: string }).type);
    expect(shown).toEqual(["step_start", "token", "usage"]);
  });

  test("that fails is an error result", async () => {
    const expert = agent("Know.", { model: scriptedModel([new Error("asleep")]), name: "expert" });
    const outer = scriptedModel([{ calls: [["expert", { input: "capital?" }]] }, { text: "Unknown." }]);
    expect(await agent("x", { model: outer, tools: [expert] })("q")).toBe("Unknown.");
    expect(resultsIn(outer.requests[1])[0]).toMatchObject({ isError: true });
  });
});
