import { describe, expect, test } from "vitest";
import { Schema } from "../../src/index.js";
import { objectSchema } from "../manifest-fixture.js";
import { add, ofType, resultsIn, runScript } from "./run-script.js";
import type { ScriptedReply } from "./scripted-model.js";

describe("responseFormat", () => {
  interface Forecast {
    city: string;
    day: Date;
  }
  const Forecast = new Schema<Forecast>({
    name: "Forecast",
    schema: objectSchema({ city: { type: "string" }, day: { type: "string", format: "date-time", "x-codec": "date" } }),
  });
  const good = { city: "Oslo", day: "2026-01-01T00:00:00.000Z" };
  const value = { city: "Oslo", day: new Date(good.day) };

  test("gives a validated, decoded value and shows no tokens", async () => {
    const { events, requests, result } = await runScript([{ text: JSON.stringify(good) }], {
      responseFormat: Forecast,
    });
    expect(result).toEqual({ status: "fulfilled", value });
    expect(events.at(-1)).toMatchObject({ type: "done", value: good, stop: "end" });
    expect(ofType(events, "token")).toEqual([]);
    expect(requests[0]).toMatchObject({ stream: false, output: { name: "Forecast" } });
  });

  test("reads a fenced answer", async () => {
    const text = `Here it is:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``;
    expect((await runScript([{ text }], { responseFormat: Forecast })).result).toMatchObject({ value });
  });

  test("has one repair round with the exact errors, and no second", async () => {
    const bad = { text: JSON.stringify({ city: 5, day: "soon" }) };
    const mended = await runScript([bad, { text: JSON.stringify(good) }], { responseFormat: Forecast });
    expect(mended.result).toMatchObject({ value });
    expect(JSON.stringify(mended.requests[1]?.messages.at(-1))).toMatch(
      /city: must be a string; got 5.*day:.*date-time/,
    );
    const lost = await runScript([bad, { text: "no JSON" }, { text: JSON.stringify(good) }], {
      responseFormat: Forecast,
    });
    expect(lost.requests).toHaveLength(2);
    expect(lost.events.at(-1)).toMatchObject({ type: "error", code: "output-refused" });
  });

  test("works with tools in the same request", async () => {
    const { requests, result } = await runScript(
      [{ calls: [["add", { a: 1, b: 2 }]] }, { text: JSON.stringify(good) }],
      {
        tools: [add],
        responseFormat: Forecast,
      },
    );
    expect(result).toMatchObject({ value });
    expect(requests[1]?.output).toBe(requests[0]?.output);
  });

  test("is asked for after the tools, without them, where a provider cannot do both", async () => {
    const { requests, result } = await runScript(
      [{ calls: [["add", { a: 1, b: 2 }]] }, { text: "It is 3." }, { text: JSON.stringify(good) }],
      { tools: [add], responseFormat: Forecast, outputMode: "after-tools" },
    );
    expect(result).toMatchObject({ value });
    expect(requests.map((request) => ["tools" in request, "output" in request])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(requests[2]?.messages.at(-1)?.role).toBe("user");
  });

  test("comes as the arguments of a synthetic tool for models without structured output", async () => {
    const name = "respond_with_structured_output";
    const { requests, events, result } = await runScript(
      [
        { calls: [["add", { a: 1, b: 2 }]] },
        {
          calls: [
            [name, { city: 1 }],
            ["add", { a: 1, b: 1 }],
          ],
        },
        { calls: [[name, good]] },
      ],
      { tools: [add], responseFormat: Forecast, outputMode: "tool" },
    );
    expect(result).toMatchObject({ value });
    expect(requests[0]?.tools?.map((tool) => tool.name)).toEqual(["add", name]);
    expect(resultsIn(requests[2]).map(({ isError }) => isError)).toEqual([true, true]);
    expect(ofType(events, "tool_start").map((event) => event.name)).toEqual(["add"]);
    const alone = await runScript([{ calls: [[name, good]] }], { responseFormat: Forecast, outputMode: "tool" });
    expect(alone.requests[0]?.toolChoice).toEqual({ tool: name });
  });

  test("wraps a format that is no object for the synthetic tool", async () => {
    const Tags = new Schema<string[]>({ name: "Tags", schema: { type: "array", items: { type: "string" } } });
    const { result } = await runScript([{ calls: [["respond_with_structured_output", { value: ["a"] }]] }], {
      responseFormat: Tags,
      outputMode: "tool",
    });
    expect(result).toMatchObject({ value: ["a"] });
  });

  test.each<[string, ScriptedReply, string]>([
    ["a refusal", { text: "no", stop: "refusal" }, "model-refused"],
    ["a cut answer", { text: '{"city":', stop: "length" }, "output-cut"],
  ])("ends in an error at %s", async (_, reply, code) => {
    const { events } = await runScript([reply], { responseFormat: Forecast });
    expect(events.at(-1)).toMatchObject({ type: "error", code });
  });
});
