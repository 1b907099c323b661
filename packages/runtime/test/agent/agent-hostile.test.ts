import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agent, type RunEvent, Schema, Tool } from "../../src/index.js";
import type { ModelRequest } from "../../src/model/provider.js";
import { objectSchema } from "../manifest-fixture.js";
import { type ScriptedReply, scriptedModel } from "./scripted-model.js";

const tools = [
  new Tool({ name: "add", parameters: objectSchema({ a: { type: "number" } }), execute: ({ a }) => a }),
  new Tool({
    name: "fail",
    parameters: objectSchema({}),
    execute: () => {
      throw null;
    },
  }),
];
const Answer = new Schema<{ n: number }>({ name: "Answer", schema: objectSchema({ n: { type: "number" } }) });
const ANSWER_TOOL = "respond_with_structured_output";

const reply: fc.Arbitrary<ScriptedReply> = fc.record(
  {
    text: fc.constantFrom("", "hello", '{"n":1}', '{"n":"x"}'),
    calls: fc.array(
      fc.tuple(
        fc.constantFrom("add", "fail", "gone", "__proto__", ANSWER_TOOL),
        fc.oneof(fc.constantFrom<unknown>({ a: 1 }, { n: 1 }, "", "{", "null"), fc.jsonValue()),
      ),
      { maxLength: 4 },
    ),
    stop: fc.constantFrom("end", "tool", "length", "refusal", "pause", "malformed", "error"),
  },
  { requiredKeys: [] },
);

/** Every call of an assistant has one result, in the order of the calls, in the very next message. */
function expectPaired({ messages }: ModelRequest): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const calls = message.content.flatMap((part) => (part.type === "tool_call" ? [part.id] : []));
    const next = messages[index + 1];
    if (calls.length === 0) expect(next?.role).not.toBe("tool");
    else if (next !== undefined) {
      expect(next.role === "tool" && next.content.map(({ callId }) => callId)).toEqual(calls);
    }
  }
}

describe("an agent whose model says anything at all", () => {
  test("ends after a bounded number of requests with one terminal event, and pairs calls with results", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { minLength: 1, maxLength: 5 }),
        fc.record({
          maxToolCalls: fc.nat(4),
          withTools: fc.boolean(),
          outputMode: fc.constantFrom("native", "tool", "after-tools", undefined),
        }),
        async (replies, { maxToolCalls, withTools, outputMode }) => {
          const script = Array.from({ length: 300 }, (_, index) => replies[index % replies.length] as ScriptedReply);
          const model = scriptedModel(script, outputMode === undefined ? {} : { outputMode });
          const run = agent<unknown>("x", {
            model,
            maxToolCalls,
            tools: withTools ? tools : [],
            ...(outputMode === undefined ? {} : { responseFormat: Answer }),
          }).stream("q");
          const events: RunEvent[] = [];
          for await (const event of run) events.push(event);
          const terminal = events.filter(({ type }) => type === "done" || type === "error");
          expect(terminal).toEqual([events.at(-1)]);
          expect(terminal[0]).not.toMatchObject({ code: "unexpected" });
          expect(model.requests.length).toBeLessThan(100);
          const runs = events.filter((event) => event.type === "tool_done" && event.status === "success");
          expect(runs.length).toBeLessThanOrEqual(maxToolCalls);
          for (const request of model.requests) expectPaired(request);
          const ids = (type: string): string[] =>
            events.flatMap((event) => (event.type === type && "id" in event ? [event.id] : []));
          expect(ids("tool_start").sort()).toEqual(ids("tool_done").sort());
        },
      ),
      { numRuns: 500 },
    );
  });
});
