import { describe, expect, test } from "vitest";
import { agent, type RunEvent, Tool } from "../../src/index.js";
import { eventsOf, numbers, ofType, resultsIn, textIn } from "./run-script.js";
import { scriptedModel } from "./scripted-model.js";

function paying(requiresApproval: boolean | ((args: { a: number }) => boolean) = true) {
  const runs: unknown[] = [];
  const pay = new Tool<{ a: number; b: number }>({
    name: "pay",
    parameters: numbers,
    requiresApproval,
    execute: (args) => {
      runs.push(args);
      return "paid";
    },
  });
  return { pay, runs };
}

const twoCalls = () =>
  scriptedModel([
    {
      calls: [
        ["pay", { a: 1, b: 1 }],
        ["pay", { a: 2, b: 2 }],
      ],
    },
    { text: "ok" },
  ]);

describe("a call that needs approval", () => {
  test("waits for approve() or deny() on the run, each call for its own", async () => {
    const { pay, runs } = paying();
    const model = twoCalls();
    const run = agent("x", { model, tools: [pay] }).stream("q");
    const events: RunEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (event.type !== "approval_requested") continue;
      if (event.id === "call_0_0") run.approve(event.id);
      else run.deny(event.id, "too dear");
    }
    expect(runs).toEqual([{ a: 1, b: 1 }]);
    const results = resultsIn(model.requests[1]);
    expect(results.map(textIn)).toEqual(["paid", "Not run: the call was refused by a person: too dear."]);
    expect(ofType(events, "approval_decided")).toEqual([
      { type: "approval_decided", id: "call_0_0", approved: true },
      { type: "approval_decided", id: "call_0_1", approved: false, reason: "too dear" },
    ]);
  });

  test("is decided once: a second decision and one for no such call are errors that say so", async () => {
    const { pay } = paying();
    const run = agent("x", { model: twoCalls(), tools: [pay] }).stream("q");
    const problems: unknown[] = [];
    const attempt = (decide: () => void) => {
      try {
        decide();
      } catch (error) {
        problems.push((error as { code: string }).code);
      }
    };
    attempt(() => run.approve("call_0_0"));
    for await (const event of run) {
      if (event.type !== "approval_requested" || run.pendingApprovals.length < 2) continue;
      run.approve("call_0_0");
      attempt(() => run.deny("call_0_0"));
      attempt(() => run.approve("nobody"));
      run.deny("call_0_1");
    }
    expect(problems).toEqual(["approval-unknown", "approval-decided", "approval-unknown"]);
    expect(run.pendingApprovals).toEqual([]);
  });

  test("ends with the run when that is cancelled while it waits", async () => {
    const { pay, runs } = paying();
    const run = agent("x", { model: twoCalls(), tools: [pay] }).stream("q");
    const events: RunEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === "approval_requested") run.abort();
    }
    expect(events.at(-1)).toMatchObject({ type: "error", code: "aborted" });
    expect(runs).toEqual([]);
    expect(() => run.approve("call_0_0")).toThrow(expect.objectContaining({ code: "approval-unknown" }));
  });

  test("may depend on its arguments", async () => {
    const { pay, runs } = paying(({ a }) => a > 1);
    const run = agent("x", { model: twoCalls(), tools: [pay] }).stream("q");
    for await (const event of run) if (event.type === "approval_requested") run.deny(event.id);
    expect(runs).toEqual([{ a: 1, b: 1 }]);
  });

  test("does not run when the predicate throws, and the model is told why", async () => {
    const { pay, runs } = paying(() => {
      throw new Error("no rule book");
    });
    const model = twoCalls();
    await eventsOf(agent("x", { model, tools: [pay] }).stream("q"));
    expect(runs).toEqual([]);
    expect(textIn(resultsIn(model.requests[1])[0])).toContain("asking failed: no rule book");
  });

  test("of an agent that is a tool is decided on the run that called it", async () => {
    const { pay, runs } = paying();
    const payer = agent("x", { model: twoCalls(), tools: [pay], name: "payer", description: "Pays." });
    const boss = scriptedModel([{ calls: [["payer", { input: "pay" }]] }, { text: "done" }]);
    const run = agent("y", { model: boss, tools: [payer] }).stream("q");
    const asked: string[] = [];
    for await (const event of run) {
      if (event.type !== "approval_requested") continue;
      asked.push(event.id);
      run.approve(event.id);
    }
    expect(asked).toEqual(["call_0_0/call_0_0", "call_0_0/call_0_1"]);
    expect(runs).toHaveLength(2);
  });
});
