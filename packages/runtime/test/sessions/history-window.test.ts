import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTokens, lastTurns, type Message, withinTokens } from "../../src/index.js";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const system = (text: string): Message => ({ role: "system", content: [{ type: "text", text }] });
const says = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_call", id, name: "t", arguments: "{}" })),
});
const results = (...ids: string[]): Message => ({
  role: "tool",
  content: ids.map((callId) => ({ type: "tool_result", callId, name: "t", content: [] })),
});

const history: readonly Message[] = [
  user("1"),
  calls("a", "b"),
  results("a", "b"),
  says("one"),
  user("2"),
  says("two"),
  system("note"),
  user("3"),
  user("and 3"),
  calls("c"),
  results("c"),
  says("three"),
];

describe("lastTurns()", () => {
  test.each([
    [1, 6],
    [2, 4],
    [3, 0],
    [9, 0],
  ])("keeps the last %i turns whole", (count, first) => {
    expect(lastTurns(count)(history)).toEqual(history.slice(first));
  });

  test("gives back the history itself when nothing falls away", () => {
    expect(lastTurns(3)(history)).toBe(history);
    expect(lastTurns(1)([])).toEqual([]);
  });

  test("does not part a call from a result that comes after the next question", () => {
    const late = [user("1"), calls("a"), user("2"), results("a"), says("x"), user("3"), says("y")];
    expect(lastTurns(2)(late)).toBe(late);
    expect(lastTurns(1)(late)).toEqual(late.slice(5));
  });

  test("keeps what comes before the first question only with all of the rest", () => {
    const greeting = [says("Hello!"), user("1"), says("one")];
    expect(lastTurns(1)(greeting)).toEqual(greeting.slice(1));
    expect(lastTurns(2)(greeting)).toBe(greeting);
  });

  test.each([0, -1, 1.5, Number.NaN])("refuses %d turns", (count) => {
    expect(() => lastTurns(count)).toThrow(RangeError);
  });
});

describe("withinTokens()", () => {
  const one = { estimate: () => 1 };
  test.each([
    [1, 6],
    [6, 6],
    [7, 6],
    [8, 4],
    [11, 4],
    [12, 0],
  ])("keeps as many turns as fit %i tokens, and always the last one", (tokens, first) => {
    expect(withinTokens(tokens, one)(history)).toEqual(history.slice(first));
  });

  test("estimates by the texts of a message, with a fixed price for a picture", () => {
    expect(estimateTokens(user("x".repeat(4000)))).toBeGreaterThanOrEqual(1000);
    const picture: Message = { role: "user", content: [{ type: "image", source: { base64: "A".repeat(4_000_000) } }] };
    expect(estimateTokens(picture)).toBeLessThan(1100);
    expect(withinTokens(500)([user("x".repeat(4000)), says("y"), user("z")])).toEqual([user("z")]);
  });

  test.each([0, -5, Number.NaN])("refuses %d tokens", (tokens) => {
    expect(() => withinTokens(tokens)).toThrow(RangeError);
  });
});

describe("every window", () => {
  const id = fc.constantFrom("a", "b", "c", "d");
  const message = fc.oneof(
    fc.constant(user("u")),
    fc.constant(system("s")),
    fc.constant(says("t")),
    fc.array(id, { minLength: 1, maxLength: 2 }).map((ids) => calls(...ids)),
    fc.array(id, { minLength: 1, maxLength: 2 }).map((ids) => results(...ids)),
  );
  const window = fc.oneof(
    fc.integer({ min: 1, max: 5 }).map(lastTurns),
    fc.integer({ min: 1, max: 20 }).map((tokens) => withinTokens(tokens, { estimate: () => 1 })),
  );

  test("keeps an end of the history, parts no call from its result, and changes nothing when used twice", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 30 }), window, (messages, choose) => {
        const kept = choose(messages);
        const start = messages.length - kept.length;
        expect(kept).toEqual(messages.slice(start));
        const callAt = new Map<string, number>();
        for (const [position, { role, content }] of messages.entries()) {
          if (role === "assistant")
            for (const part of content) if (part.type === "tool_call") callAt.set(part.id, position);
          if (role !== "tool" || position < start) continue;
          for (const { callId } of content) {
            const call = callAt.get(callId);
            if (call !== undefined) expect(call).toBeGreaterThanOrEqual(start);
          }
        }
        expect(choose(kept)).toEqual(kept);
      }),
      { numRuns: 500 },
    );
  });
});
