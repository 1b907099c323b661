import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Activity } from "../../../src/inspector/activity.js";
import { curlCommand } from "../../../src/inspector/curl.js";
import { fieldsOf, hintOf } from "../../../src/inspector/form-fields.js";
import { duration, timeAgo } from "../../../src/inspector/format.js";
import { openPauses } from "../../../src/inspector/open-pauses.js";
import { type Frame, readFrames } from "../../../src/inspector/read-frames.js";
import { RunClock } from "../../../src/inspector/run-clock.js";
import type { StoredEvent } from "../../../src/inspector/stored-event.js";
import { objectSchema } from "../../manifest-fixture.js";

describe("a command for a shell", () => {
  test("gives curl exactly what the page would send, whatever is in it", () => {
    // A shell that says what its `curl` was given.
    const given = (command: string): string[] =>
      execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: "utf8" })
        .split("\0")
        .slice(0, -1);
    const text = fc.string({ unit: "binary", maxLength: 20 }).filter((each) => !each.includes("\0"));
    fc.assert(
      fc.property(text, (value) => {
        const path = `runs/${encodeURIComponent(value.toWellFormed())}/resume`;
        const command = curlCommand(
          { method: "POST", path, body: { value: value.toWellFormed() } },
          { base: "http://127.0.0.1:8000/x/#/runs", hasToken: false },
        );
        expect(given(command)).toEqual([
          "-X",
          "POST",
          new URL(path, "http://127.0.0.1:8000/x/").href,
          "-H",
          "content-type: application/json",
          "--data-raw",
          JSON.stringify({ value: value.toWellFormed() }),
        ]);
      }),
      { numRuns: 60, seed: 1 },
    );
  });
});

describe("what a run does", () => {
  const progress = (value: unknown, taskId?: string): Frame =>
    ({ type: "TASK_PROGRESS", value, ...(taskId === undefined ? {} : { taskId }) }) as Frame;
  const stored = (seq: number, type: string, rest: Partial<Frame> = {}): Frame => ({
    seq,
    type,
    time: seq * 10,
    ...rest,
  });
  const shown = (activity: Activity): string[] =>
    activity.items.map(({ kind, title, state, text }) => [kind, title, state, text].join("|"));
  const reply = (text: string): Frame["value"] => ({
    message: { role: "assistant", content: [{ type: "text", text }] },
  });

  test("is one item for each request and call, whether tokens or the log come first", () => {
    const live: Frame[] = [
      progress({ type: "step_start", step: 1 }, "helper"),
      progress({ type: "reasoning", text: "hm" }, "helper"),
      progress({ token: "I" }, "helper"),
      stored(1, "WORKFLOW_STARTED"),
      stored(2, "TASK_STARTED", { taskId: "helper#1/llm_0", name: "llm_0" }),
      progress({ token: " look" }, "helper"),
      stored(3, "TASK_COMPLETED", { taskId: "helper#1/llm_0", name: "llm_0", value: reply("I look") as never }),
      progress({ type: "tool_start", id: "c1", name: "find", args: { q: 1 } }, "helper"),
      progress({ type: "tool_progress", id: "c1", value: "half" }, "helper"),
      stored(4, "TASK_STARTED", { taskId: "helper#1/find#c1", name: "find", value: { q: 1 } }),
      stored(5, "TASK_COMPLETED", {
        taskId: "helper#1/find#c1",
        name: "find",
        value: { status: "success", result: 7 },
      }),
      progress({ type: "tool_done", id: "c1", name: "find", status: "success", result: 7 }, "helper"),
      progress({ type: "step_start", step: 2 }, "helper"),
      progress({ token: "Seven" }, "helper"),
    ];
    const activity = new Activity();
    for (const frame of live) activity.apply(frame);
    expect(shown(activity)).toEqual(["model|llm_0|done|I look", "task|find|done|", "model|llm_1|running|Seven"]);
    expect(activity.items[0]).toMatchObject({ reasoning: "hm", group: "helper" });
    expect(activity.items[1]).toMatchObject({ args: { q: 1 }, result: 7, progress: ["half"] });

    const later = new Activity();
    for (const frame of live.filter(({ seq }) => seq !== undefined)) later.apply(frame);
    expect(shown(later)).toEqual(["model|llm_0|done|I look", "task|find|done|"]);
  });

  test("keeps branches apart, and an agent that is asked twice", () => {
    const activity = new Activity();
    for (const [group, text] of [
      ["parallel.0/agent", "a"],
      ["parallel.1/agent", "b"],
      ["parallel.0/agent", "a"],
    ] as const) {
      activity.apply(progress({ type: "step_start", step: 1 }, group));
      activity.apply(progress({ token: text }, group));
    }
    expect(activity.items.map(({ group, text }) => `${group} ${text}`)).toEqual([
      "parallel.0/agent aa",
      "parallel.1/agent b",
    ]);
    const taskId = "parallel.0/agent#1/llm_0";
    activity.apply(stored(1, "TASK_COMPLETED", { taskId, name: "llm_0", value: reply("aa") as never }));
    activity.apply(progress({ type: "step_start", step: 1 }, "parallel.0/agent"));
    expect(activity.items).toHaveLength(3);
  });

  test("that was cut off by the end of the run is not under way for ever", () => {
    const activity = new Activity();
    activity.apply(stored(1, "TASK_STARTED", { taskId: "slow#1", name: "slow" }));
    activity.apply(stored(2, "WORKFLOW_CANCELLED"));
    expect(shown(activity)).toEqual(["task|slow|failed|"]);
  });
});

test("frames are read whole, however they come", async () => {
  const text =
    ': keep-alive\n\ndata: {"type":"TASK_PROGRESS","value":{"token":"ü"}}\n\nid: 4\ndata: {"type":"X","time":1}\n\n';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size < bytes.length; size += 7) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const frames: Frame[] = [];
    for await (const frame of readFrames(body, new AbortController().signal)) frames.push(frame);
    expect(frames).toEqual([
      { type: "TASK_PROGRESS", value: { token: "ü" } },
      { type: "X", time: 1, seq: 4 },
    ]);
  }
});

test("a run's clock stands while it is paused, and a task's end has the task's span", () => {
  const event = (seq: number, type: string, time: number, taskId?: string): StoredEvent =>
    ({ seq, type, time, ...(taskId === undefined ? {} : { taskId }) }) as StoredEvent;
  const events = [
    event(1, "WORKFLOW_STARTED", 0),
    event(2, "TASK_STARTED", 0, "a"),
    event(3, "TASK_COMPLETED", 50, "a"),
    event(4, "WORKFLOW_PAUSED", 50),
    event(5, "WORKFLOW_RESUMED", 86_400_000),
    event(6, "WORKFLOW_COMPLETED", 86_400_050),
  ];
  const clock = new RunClock();
  for (const each of events) clock.add(each);
  expect(clock.end).toBe(100);
  expect(clock.span(events[2] as StoredEvent)).toEqual({ from: 0, to: 0.5 });
  expect(clock.span(events[5] as StoredEvent)).toEqual({ from: 1, to: 1 });
});

test("pauses are open until they end; those that are decided on are none", () => {
  const event = (type: string, taskId: string, value?: object): StoredEvent =>
    ({ seq: 1, time: 0, type, taskId, name: taskId, value }) as StoredEvent;
  const log = [
    event("TASK_PAUSED", "a"),
    event("TASK_PAUSED", "b", { output: 1 }),
    event("TASK_PAUSED", "c", { key: "outcome" }),
    event("TASK_COMPLETED", "a"),
  ];
  expect(openPauses(log)).toEqual([{ taskId: "b", name: "b", output: 1 }]);
});

test("a form has a field for each property that one can write in a field, and JSON for the rest", () => {
  const schema = {
    ...objectSchema(
      {
        name: { type: "string", maxLength: 9 },
        size: { $ref: "#/$defs/Size", description: "How big." },
        count: { type: "integer", minimum: 1, maximum: 3 },
        deep: objectSchema({}),
        loop: { $ref: "#/$defs/Loop" },
        either: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
      ["name"],
    ),
    $defs: { Size: { enum: ["s", "m"] }, Loop: { $ref: "#/$defs/Loop" } },
  } as const;
  const fields = fieldsOf(schema as never) ?? [];
  expect(fields.map(({ name, kind, isRequired }) => `${name} ${kind} ${isRequired}`)).toEqual([
    "name text true",
    "size choice false",
    "count number false",
    "deep json false",
    "loop json false",
    "either json false",
  ]);
  expect(fields.map(hintOf)).toEqual(["at most 9 characters", "", "whole number, 1 to 3", "JSON", "JSON", "JSON"]);
  expect(fieldsOf({ type: "array", items: {} })).toBeUndefined();
  expect(fieldsOf({ type: "object", additionalProperties: { type: "string" } })).toBeUndefined();
  expect(fieldsOf(undefined)).toBeUndefined();
});

test("times are said as people say them", () => {
  expect([5, 1_234, 12_345, 125_000, 7_500_000, 200_000_000].map(duration)).toEqual([
    "5 ms",
    "1.23 s",
    "12.3 s",
    "2 min 5 s",
    "2 h 5 min",
    "2 d 7 h",
  ]);
  const now = Date.UTC(2026, 0, 2);
  expect([1_000, 30_000, 300_000, 7_200_000].map((ago) => timeAgo(now - ago, now))).toEqual([
    "just now",
    "30 s ago",
    "5 min ago",
    "2 h ago",
  ]);
});
