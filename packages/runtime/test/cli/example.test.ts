import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { run, runIdIn } from "./command.js";

const cwd = fileURLToPath(new URL("../../../../examples/workflows", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "callsign-example-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { CALLSIGN_STORE: join(folder, "runs.db") };

test("the example of docs/command-line.md runs, waits, is shown, is approved and completes", async () => {
  const begun = await run(["workflow", "run", "refund", '{"orderId": "A-1042", "amountEur": 240}'], { cwd, env });
  expect(begun).toMatchObject({ status: 3, stdout: "" });
  expect(begun.stderr).toContain('pay_refund("A-1042", 240) waits for a decision');
  const runId = runIdIn(begun);
  expect((await run(["runs", "show", runId], { cwd, env })).stdout).toMatch(/TASK_AWAITING_APPROVAL +pay_refund/);
  const approved = await run(["approve", runId, "--reason", "broken on arrival"], { cwd, env });
  expect(approved.status).toBe(0);
  expect(JSON.parse(approved.stdout)).toMatchObject({ paid: "240.00 EUR for A-1042" });
  expect((await run(["workflow", "status", runId], { cwd, env })).stdout).toMatch(/state +COMPLETED/);
  const small = await run(["workflow", "run", "refund", '{"orderId": "A-7", "amountEur": 5}'], { cwd, env });
  expect(small.status).toBe(0);
});

test("its agent chats and answers offline", async () => {
  const { status, stdout } = await run(["chat"], { cwd, env, input: "Where is A-1042?\n" });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('"article":"teapot"') });
});
