import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../src/calls/parse-arguments.js";

describe("parseArguments()", () => {
  test.each<[string, unknown, unknown]>([
    ["nothing", undefined, {}],
    ["null", null, {}],
    ["an empty text", "", {}],
    ["blanks", " \n\t", {}],
    ["the text null", "null", {}],
    ["an object", { a: 1 }, { a: 1 }],
    ["JSON", '{"a":1}', { a: 1 }],
    ["JSON with a byte order mark", '\uFEFF{"a":1}', { a: 1 }],
    ["a fence", '```json\n{"a":1}\n```', { a: 1 }],
    ["a fence without a language", '```\n{"a":1}\n```', { a: 1 }],
    ["a fence on one line", '```json {"a":1}```', { a: 1 }],
    ["JSON in a string", JSON.stringify('{"a":1}'), { a: 1 }],
    ["JSON in a string in a string", JSON.stringify(JSON.stringify('{"a":1}')), { a: 1 }],
    ["a fence in a string", JSON.stringify('```json\n{"a":"```"}\n```'), { a: "```" }],
    ["an empty string in a string", '""', {}],
  ])("reads %s", (_, received, value) => {
    expect(parseArguments(received)).toEqual({ ok: true, value });
  });

  test.each<[string, unknown, string]>([
    ["a cut object", '{"path":"a.txt","content":"abc', "arguments-cut"],
    ["a cut key", '{"q', "arguments-cut"],
    ["a lone brace", "{", "arguments-cut"],
    ["a cut escape", '{"a":"\\', "arguments-cut"],
    ["a cut fence", '```json\n{"a":', "arguments-cut"],
    ["prose", "I will call the tool now", "arguments-not-json"],
    ["two objects", '{"a":1}{"a":2}', "arguments-not-json"],
    ["single quotes", "{'a':1}", "arguments-not-json"],
    ["an array", "[1]", "arguments-not-json"],
    ["a number", "5", "arguments-not-json"],
    ["true", true, "arguments-not-json"],
    ["brackets a thousand deep", `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`, "arguments-too-deep"],
    ["brackets a million deep", `{"a":${"[".repeat(1_000_000)}`, "arguments-cut"],
  ])("refuses %s", (_, received, code) => {
    expect(parseArguments(received)).toMatchObject({ ok: false, code });
  });

  test("keeps an own __proto__ key for the validation to judge", () => {
    const parsed = parseArguments('{"__proto__":{"admin":true}}');
    expect(parsed.ok && Object.keys(parsed.value)).toEqual(["__proto__"]);
    expect(parsed.ok && (parsed.value as { admin?: boolean }).admin).toBe(undefined);
  });

  test("gives back what JSON.stringify wrote, and never takes a prefix for the whole", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(), (object, cut) => {
        const text = JSON.stringify(object);
        const whole = parseArguments(text);
        expect(whole.ok && JSON.stringify(whole.value)).toBe(JSON.stringify(JSON.parse(text)));
        const length = 1 + (cut % (text.length - 1));
        if (length < text.length) expect(parseArguments(text.slice(0, length)).ok).toBe(false);
      }),
    );
  });

  test("never throws and never quotes the text at length", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (text) => {
        const parsed = parseArguments(text);
        if (!parsed.ok) expect(parsed.problem.length).toBeLessThan(400);
      }),
    );
  });
});
