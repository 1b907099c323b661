import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { agent } from "../../src/index.js";
import { type Scripted, startFakeProvider } from "../../src/testing/index.js";
import { eventsOf, makeTool } from "./run-script.js";

const models = ["anthropic/claude-opus-5-5", "openai/gpt-6-luna", "google/gemini-3.8-flash", "ollama/qwen3"] as const;
const RUNS = 2_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

async function heapInUse(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    collectGarbage();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

/** Timers, sockets and requests under way; the pool of idle connections is the SDKs' own. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) {
    if (/Timeout|Immediate|Request|FSReq|GetAddr/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

describe("two thousand runs with aborts and errors among them", () => {
  test("leave no listener, timer, request or memory behind", async () => {
    const fake = await startFakeProvider();
    // The caller's own signal, which lives on and is never aborted.
    const { signal } = new AbortController();
    const ping = makeTool("ping", () => "pong");
    const bad = makeTool("bad", () => {
      throw new Error("bad");
    });
    const deaf = makeTool("deaf", () => sleep(3).then(() => "late"));
    const call = (name: string) => ({ name, arguments: {} });
    const once = async (index: number): Promise<string> => {
      // What the fake provider remembers is not what is measured.
      (fake.requests as unknown[]).length = 0;
      const model = models[index % models.length] as string;
      const kind = Math.floor(index / models.length) % 6;
      const scripts: readonly (readonly Scripted[])[] = [
        [{ toolCalls: [call("ping"), call("bad")] }, { text: "ok" }],
        [{ toolCalls: [call("deaf")] }],
        [{ status: 400, message: "no" }],
        [{ text: "one two three", delivery: { dropAfter: 10 } }],
        [{ text: "left early", delivery: { hang: true, dropAfter: "terminal" } }],
        [{ toolCalls: [call("deaf")] }, { text: "ok" }],
      ];
      fake.script(...(scripts[kind] as readonly Scripted[]));
      const run = agent("x", {
        model,
        apiKey: "test",
        baseUrl: fake.url,
        tools: [ping, bad, deaf],
        maxRetries: 0,
        toolTimeoutMs: kind === 5 ? 1 : 1_000,
      }).stream("go", { signal });
      if (kind === 4) {
        for await (const event of run) if (event.type === "token") break;
        return "left";
      }
      if (kind === 1) {
        for await (const event of run) if (event.type === "tool_start") run.abort();
        return "aborted";
      }
      return (await eventsOf(run)).at(-1)?.type ?? "nothing";
    };
    // What is made once, such as SDK clients and compiled schemas, is there before the count begins.
    for (let index = 0; index < 240; index += 1) await once(index);
    await sleep(50);
    const before = { heap: await heapInUse(), resources: resources() };
    const ends: Record<string, number> = {};
    for (let index = 0; index < RUNS; index += 1) {
      const end = await once(index);
      ends[end] = (ends[end] ?? 0) + 1;
    }
    await sleep(50);
    expect(ends).toMatchObject({
      aborted: expect.any(Number),
      left: expect.any(Number),
      done: expect.any(Number),
      error: expect.any(Number),
    });
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    for (const [name, count] of Object.entries(resources())) {
      expect(count, name).toBeLessThanOrEqual((before.resources[name] ?? 0) + 2);
    }
    expect(fake.openResponses).toBe(0);
    const grown = (await heapInUse()) - before.heap;
    // A run that stays behind takes more than 5,000; the sockets and caches of the SDKs and of Node still grow a little.
    expect(grown / RUNS, "bytes that a run leaves behind").toBeLessThan(2_000);
    await fake.close();
  }, 180_000);
});
