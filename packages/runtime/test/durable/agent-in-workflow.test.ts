import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agent, type RunEvent, Tool, type WorkflowContext, workflow } from "../../src/index.js";
import type { CustomModel } from "../../src/open-model.js";
import { resultsIn, textIn } from "../agent/run-script.js";
import { scriptedModel } from "../agent/scripted-model.js";
import { objectSchema } from "../manifest-fixture.js";
import { makeFolder, openTestEngine, until } from "./open-test-engine.js";

function rooms(model: CustomModel) {
  const runs: string[] = [];
  const asked: string[] = [];
  const listRooms = new Tool({
    name: "listRooms",
    parameters: objectSchema({}),
    execute: () => {
      runs.push("list");
      return ["green"];
    },
  });
  const createRoom = new Tool<{ name: string }>({
    name: "createRoom",
    parameters: objectSchema({ name: { type: "string" } }),
    requiresApproval: ({ name }) => {
      asked.push(name);
      return true;
    },
    execute: ({ name }) => {
      runs.push(name);
      return `made ${name}`;
    },
  });
  const flow = workflow("rooms", async (ctx: WorkflowContext<string>) => {
    const assistant = agent("Make rooms.", { model, tools: [listRooms, createRoom], name: "maker" });
    return assistant(ctx.input);
  });
  return { flow, runs, asked };
}

const script = () =>
  scriptedModel([
    {
      calls: [
        ["listRooms", {}],
        ["createRoom", { name: "red" }],
        ["createRoom", { name: "blue" }],
      ],
    },
    { text: "red made, blue refused" },
  ]);

describe("an agent inside a workflow", () => {
  test("has each model call and each tool call recorded, and its tokens shown but not stored", async () => {
    const model = scriptedModel([{ text: "Look: ", calls: [["listRooms", {}]] }, { text: "One room." }]);
    const { flow } = rooms(model);
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [flow] });
    const { id } = await engine.submit(flow, "q", { startAt: new Date(Date.now() + 40) });
    const shown: RunEvent[] = [];
    for await (const notice of engine.events(id)) {
      if (notice.kind === "progress") shown.push(notice.progress.value as RunEvent);
    }
    expect(await engine.result(id)).toBe("One room.");
    expect(shown.map(({ type }) => type)).toEqual([
      "step_start",
      "token",
      "usage",
      "tool_start",
      "tool_done",
      "step_start",
      "token",
      "usage",
      "done",
    ]);
    const log = await engine.log(id);
    expect(log.flatMap(({ type, name }) => (type === "TASK_COMPLETED" ? [name] : []))).toEqual([
      "llm_0",
      "listRooms",
      "llm_1",
    ]);
    expect(log.some(({ type }) => type.includes("PROGRESS"))).toBe(false);
  });

  test("that waits for approvals is put away; each is decided once, the model is not asked again, no call runs twice", async () => {
    const model = script();
    const { flow, runs, asked } = rooms(model);
    const path = join(await makeFolder(), "runs.db");
    const first = await openTestEngine(path, { workflows: [flow] });
    const { id } = await first.submit(flow, "make two");
    await until(async () => (await first.get(id)).state === "PAUSED");
    const pending = await first.approvals(id);
    expect(pending.map(({ name, args }) => [name, args])).toEqual([
      ["createRoom", { name: "red" }],
      ["createRoom", { name: "blue" }],
    ]);
    await first.stop();

    const second = await openTestEngine(path, { workflows: [flow] });
    await second.approve(id, { taskId: "call_0_1" });
    await until(async () => runs.includes("red") && (await second.get(id)).state === "PAUSED");
    await second.stop();

    const third = await openTestEngine(path, { workflows: [flow] });
    await third.reject(id, { taskId: "call_0_2", reason: "no paint" });
    expect(await third.result(id)).toBe("red made, blue refused");
    await expect(third.approve(id, { taskId: "call_0_1" })).rejects.toMatchObject({ code: "already-decided" });
    await expect(third.approve(id, { taskId: "call_0_2" })).rejects.toMatchObject({ code: "already-decided" });
    expect(runs).toEqual(["list", "red"]);
    expect(asked).toEqual(["red", "blue"]);
    expect(model.requests).toHaveLength(2);
    expect(resultsIn(model.requests[1]).map(textIn)).toEqual([
      '["green"]',
      "made red",
      "Not run: the call was refused by a person: no paint.",
    ]);
  });
});
