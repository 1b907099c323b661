import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agent, Tool, type WorkflowContext, workflow } from "../../src/index.js";
import { SqliteStore } from "../../src/sqlite/index.js";
import { scriptedModel } from "../agent/scripted-model.js";
import { objectSchema } from "../manifest-fixture.js";
import { startWorker } from "./kill-suite.js";
import { makeFolder, openTestEngine, until } from "./open-test-engine.js";

// What durable agents promise, in the words of those who use them.

describe("an agent that survives", () => {
  test("a kill -9 does not run completed tool calls again, nor ask the model again for a recorded reply", async () => {
    const folder = await makeFolder();
    const [path, ledger] = [join(folder, "runs.db"), join(folder, "ledger")];
    // The model's second request is the fourth thing that is begun, after its first one and two tool calls.
    const first = await startWorker([path, ledger, "task", "4", "1"]);
    await first.tell("submit agents r");
    await first.died;
    const begun = () => readFileSync(ledger, "utf8").match(/(?<=^start r )(model|tool) \S+/gm);
    expect(begun()).toEqual(["model 0", "tool 0-0", "tool 0-1", "model 1"]);

    const second = await startWorker([path, ledger, "never", "0", "2"]);
    const store = await SqliteStore.open(path);
    await until(async () => (await store.get("r"))?.state === "COMPLETED");
    await second.stop();
    expect((await store.get("r"))?.result).toEqual(["all done", "AFTER"]);
    expect(begun()?.slice(4, 7)).toEqual(["model 1", "tool 1-0", "tool 1-1"]);
    await store.close();
  });

  test("a restart during an approval does not call the model again when it is resumed", async () => {
    const model = scriptedModel([{ calls: [["pay", {}]] }, { text: "paid" }]);
    let paid = 0;
    const pay = new Tool({
      name: "pay",
      parameters: objectSchema({}),
      requiresApproval: true,
      execute: () => {
        paid += 1;
        return paid;
      },
    });
    const flow = workflow("pay", async () => agent("Pay.", { model, tools: [pay] })("go"));
    const path = join(await makeFolder(), "runs.db");
    const first = await openTestEngine(path, { workflows: [flow] });
    const { id } = await first.submit(flow, undefined);
    await until(async () => (await first.get(id)).state === "PAUSED");
    await first.stop();
    expect(model.requests).toHaveLength(1);

    const second = await openTestEngine(path, { workflows: [flow] });
    await second.approve(id);
    expect(await second.result(id)).toBe("paid");
    expect([model.requests.length, paid]).toEqual([2, 1]);
  });

  test("the end of its process stores its final text, and no token and no other progress", async () => {
    const text = "A final text that came in many tokens.";
    const flow = workflow("talk", async (ctx: WorkflowContext<string>) =>
      agent("Talk.", { model: scriptedModel([{ text }]) })(ctx.input),
    );
    const path = join(await makeFolder(), "runs.db");
    const engine = await openTestEngine(path, { workflows: [flow] });
    const { id } = await engine.submit(flow, "hi", { startAt: new Date(Date.now() + 30) });
    let tokens = 0;
    for await (const notice of engine.events(id)) {
      if (notice.kind === "progress" && (notice.progress.value as { type: string }).type === "token") tokens += 1;
    }
    await engine.stop();

    const store = await SqliteStore.open(path);
    const log = await store.load(id);
    expect(tokens).toBeGreaterThan(0);
    expect(log.map(({ type }) => type)).toEqual([
      "WORKFLOW_STARTED",
      "TASK_STARTED",
      "TASK_COMPLETED",
      "WORKFLOW_COMPLETED",
    ]);
    expect(log.at(-1)?.value).toBe(text);
    expect((await store.get(id))?.result).toBe(text);
    await store.close();
  });
});
