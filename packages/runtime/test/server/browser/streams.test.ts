import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { agent, type WorkflowContext, workflow } from "../../../src/index.js";
import { serve } from "../../../src/server/index.js";
import { makeFolder, openTestEngine } from "../../durable/open-test-engine.js";
import { openBrowser } from "./open-browser.js";
import { openPage } from "./open-page.js";
import { steppedModel } from "./stepped-model.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** What the page below keeps for the test. */
interface Kept {
  readonly frames: { id: string; type: string; value: unknown }[];
  opened: number;
  readonly source: EventSource;
}

async function serveSlowly(path: string, port: number): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(fileURLToPath(new URL("serve-slowly.mjs", import.meta.url)), [path, String(port)]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(child, "message")) as [string];
  return { child, url };
}

describe("a browser's own readers", () => {
  test("EventSource gets each event once, though the server is killed on the way and comes back", async () => {
    const path = join(await makeFolder(), "runs.db");
    const { child, url } = await serveSlowly(path, 0);
    const started = await fetch(`${url}/workflows/counting/run/async?runId=counted`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "200",
    });
    expect(started.status).toBe(202);
    const page = await openPage(browser, {
      expected: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY/,
    });
    await page.goto(`${url}/openapi.json`);
    await page.evaluate(() => {
      const source = new EventSource("/runs/counted/stream");
      const kept: Kept = { frames: [], opened: 0, source };
      source.onopen = () => {
        kept.opened += 1;
      };
      source.onmessage = ({ data, lastEventId }) => kept.frames.push({ id: lastEventId, ...JSON.parse(data) });
      Object.assign(globalThis, { kept });
    });
    const kept = () =>
      page.evaluate(() => {
        const { frames, opened, source } = (globalThis as unknown as { kept: Kept }).kept;
        return { frames, opened, readyState: source.readyState };
      });
    await expect.poll(async () => (await kept()).frames.length).toBeGreaterThan(20);
    child.kill("SIGKILL");
    await once(child, "exit");
    const atDeath = (await kept()).frames.length;
    await serveSlowly(path, Number(new URL(url).port));
    await expect.poll(async () => (await kept()).frames.at(-1)?.type, { timeout: 40_000 }).toBe("WORKFLOW_COMPLETED");
    const { frames, opened } = await kept();
    expect(atDeath).toBeLessThan(frames.length);
    expect(opened).toBeGreaterThanOrEqual(2);
    const { events } = (await (await fetch(`${url}/runs/counted/events`)).json()) as {
      events: { seq: number; type: string }[];
    };
    expect(frames.map(({ id, type }) => `${id} ${type}`)).toEqual(events.map(({ seq, type }) => `${seq} ${type}`));
    const counted = frames.filter(({ type }) => type === "TASK_COMPLETED").map(({ value }) => value);
    expect(counted.filter((value) => typeof value === "number")).toEqual(
      Array.from({ length: 200 }, (_, at) => at + 1),
    );
    // It comes once more, is told that there is no more, and stops.
    await expect.poll(async () => (await kept()).readyState, { timeout: 20_000 }).toBe(2);
    expect((await kept()).frames).toHaveLength(frames.length);
  });

  test("fetch reads each token as it comes: the second is sent only after the first is there", async () => {
    const rest = Promise.withResolvers<void>();
    const model = steppedModel([[{ text: "The" }, { until: rest.promise }, { text: " end" }]]);
    const telling = workflow("telling", async (ctx: WorkflowContext<{ text: string }>) =>
      agent("Tell.", { model })(ctx.input.text),
    );
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [telling] });
    const server = await serve({ engine, port: 0 });
    onTestFinished(() => server.close());
    const page = await openPage(browser);
    await page.exposeFunction("gotToken", () => rest.resolve());
    await page.goto(server.url);
    const lines = await page.evaluate(async () => {
      const response = await fetch("workflows/telling/run/stream", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: "go" }),
      });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let text = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const piece = decoder.decode(value, { stream: true });
        text += piece;
        if (piece.includes('"token":"The"')) (globalThis as unknown as { gotToken(): void }).gotToken();
      }
      return text.split("\n").filter((line) => /"token"|COMPLETED/.test(line));
    });
    expect(lines).toEqual([
      'data: {"type":"TASK_PROGRESS","value":{"token":"The"}}',
      'data: {"type":"TASK_PROGRESS","value":{"token":" end"}}',
      'data: {"type":"WORKFLOW_COMPLETED","value":"The end"}',
    ]);
  });

  test("the inspector goes on where it was, too, when its server comes back", async () => {
    const path = join(await makeFolder(), "runs.db");
    const { child, url } = await serveSlowly(path, 0);
    const page = await openPage(browser, { expected: /ERR_/ });
    await page.goto(`${url}/#/workflows/default/counting`);
    await page.getByLabel("Input, as JSON").fill("150");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("live", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("option").count()).toBeGreaterThan(10);
    child.kill("SIGKILL");
    await page.getByText("connecting again…").waitFor();
    await serveSlowly(path, Number(new URL(url).port));
    await expect.poll(() => page.locator(".pill").textContent(), { timeout: 40_000 }).toBe("completed");
    const runId = decodeURIComponent(new URL(page.url()).hash.replace("#/runs/", ""));
    const { events } = (await (await fetch(`${url}/runs/${runId}/events`)).json()) as { events: { seq: number }[] };
    await expect.poll(() => page.getByText(`${events.length} events`).count()).toBe(1);
    await page.getByRole("listbox").focus();
    await page.keyboard.press("End");
    expect(await page.getByRole("option", { selected: true }).locator(".event-seq").textContent()).toBe(
      String(events.length),
    );
  });
});
