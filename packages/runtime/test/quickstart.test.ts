import { describe, expect, test } from "vitest";
import { allTools, dayReporter, shopAssistant } from "../../../examples/quickstart/src/assistant.js";
import type { RunEvent } from "../src/index.js";

describe("the quickstart's shop", () => {
  test("has every tool called once, with success, by the offline model", async () => {
    const events: RunEvent[] = [];
    for await (const event of shopAssistant("test/auto").stream("How is the shop?")) events.push(event);
    const done = events.filter((event) => event.type === "tool_done");
    expect(done.filter(({ status }) => status === "error")).toEqual([]);
    expect(done.map(({ name }) => name).sort()).toEqual(allTools.map(({ name }) => name).sort());
    expect(done.find(({ name }) => name === "refundOrder")?.result).toMatchObject({ refunded: "42" });
    expect(events.filter(({ type }) => type === "tool_progress").length).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "end" });
  });

  test("gives a typed report", async () => {
    const report = await dayReporter("test/auto")("How was it?");
    expect(report.closedAt).toBeInstanceOf(Date);
    expect(report.score).toBeLessThanOrEqual(10);
  });
});
