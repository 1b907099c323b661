import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { finish, lines, makeProject, type Outcome, printed, run, runIdIn, start } from "./command.js";

const APP = `import { appendFileSync } from "node:fs";
import { agent, call, pause, sleep, task, workflow } from "@callsign/runtime";
const done = (text) => appendFileSync("done.txt", text + "\\n");
const note = task({ name: "note" }, async (text) => { done("note " + text); return text; });
const pay = task({ name: "pay", requiresApproval: true }, async (amount) => { done("pay " + amount); return "paid " + amount; });
const dawdle = task({ name: "dawdle" }, async () => { await new Promise((resolve) => setTimeout(resolve, 4_000)); return "late"; });
const writer = agent("Write.", { model: "test/auto", name: "writer" });
export const refund = workflow("refund", async ({ input, progress }) => {
  await note("begin");
  progress({ asks: input.amount });
  const text = await writer("Write to the customer.");
  try {
    return { text, paid: await pay(input.amount) };
  } catch (error) {
    return { refused: error.message };
  }
});
export const two = workflow("two", async () => (await Promise.all([pay(1), pay(2)])).join(", "));
export const outer = workflow("outer", async ({ input }) => ["outer got", await call(refund, input)]);
export const question = workflow("question", async () => \`the word is \${await pause("word", { output: "which word?" })}\`);
export const nap = workflow("nap", async () => { await sleep(1_500); return "awake"; });
export const slow = workflow("slow", async () => { await note("once"); return dawdle(); });
export const fails = workflow("fails", async () => { throw new Error("no luck"); });
`;
const manifest = {
  manifestVersion: 1,
  tools: [],
  schemas: [],
  workflows: ["refund", "outer"].map((name) => ({
    name,
    module: "src/callsign.app.mjs",
    export: name,
    summary: "Pays money back.",
    input: {
      type: "object",
      properties: { amount: { type: "number" }, to: { type: "string" } },
      required: ["amount"],
      additionalProperties: false,
    },
  })),
};
const project = (): string =>
  makeProject({ "src/callsign.app.mjs": APP, "src/callsign.manifest.json": JSON.stringify(manifest) });
const doneIn = (cwd: string): string[] => readFileSync(join(cwd, "done.txt"), "utf8").trim().split("\n");

describe("callsign workflow run", () => {
  const cwd = project();
  const workflow = (...words: string[]): Promise<Outcome> => run(["workflow", ...words], { cwd });

  test("prints the result; what happens on the way is on the error stream", async () => {
    const { status, stdout, stderr } = await workflow("run", "nap");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "awake\n" });
    expect(stderr).toMatch(/^run [0-9a-f-]{36} of nap\n {2}✓ sleep \(\d+ ms\)\n$/);
  });

  test("--json prints every event as the server's frames, with the run's id", async () => {
    const { status, stdout } = await workflow("run", "refund", '{"amount": 5}', "--json");
    const events = lines(stdout);
    expect(status).toBe(3);
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "TASK_AWAITING_APPROVAL", name: "pay", value: { args: [5] } }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: "TASK_PROGRESS", value: { asks: 5 } }));
    expect(events).toContainEqual(expect.objectContaining({ type: "TASK_PROGRESS", value: { token: "There " } }));
    expect(events.at(-1)).toMatchObject({ type: "WORKFLOW_PAUSED", seq: expect.any(Number) });
  });

  test("reads the input from the standard input, and the same id is the same run", async () => {
    const words = ["workflow", "run", "refund", "-", "--run-id", "r-1"];
    expect((await run(words, { cwd, input: '{"amount": 7}' })).status).toBe(3);
    const again = await run(words, { cwd, input: '{"amount": 7}' });
    expect({ status: again.status, stderr: again.stderr }).toEqual({
      status: 3,
      stderr: expect.stringContaining("callsign approve r-1"),
    });
    const other = await run(words, { cwd, input: '{"amount": 8}' });
    expect(other).toMatchObject({ status: 2, stderr: expect.stringContaining("exists already") });
  });

  test("a run that fails exits with 1 and its reason", async () => {
    const { status, stdout, stderr } = await workflow("run", "fails");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/the run [0-9a-f-]{36} failed: no luck\n {2}hint {2}`callsign runs show/);
  });

  test.each([
    ["an input that does not fit", '{"amount": "x", "too": 1}', /amount: must be a number; got "x"[\s\S]*too: is not/],
    ["an input that is no JSON", '{"amount": What}', /Unexpected token 'W' at line 1, column 12\n.*\n {13}\^/],
    ["an input that is cut", '{"amount": 5,', /line 1, column 14/],
    ["an input in two lines", '{"amount": 5\n"to": 1}', /line 2, column 1\n/],
  ])("%s exits with 2, and nothing is kept", async (_, input, message) => {
    const before = await run(["runs", "list", "--json"], { cwd });
    const { status, stderr } = await workflow("run", "refund", input);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
    expect((await run(["runs", "list", "--json"], { cwd })).stdout).toBe(before.stdout);
  });

  test("list and show tell the workflows, their inputs and last runs", async () => {
    const [list, show, json] = await Promise.all([
      workflow("list"),
      workflow("show", "refund"),
      workflow("list", "--json"),
    ]);
    expect(list.stdout).toMatch(/^ {2}refund +Pays money back\.$/m);
    expect(show.stdout).toMatch(/"amount"[\s\S]*last runs\n {2}\S+ {2}.*PAUSED/);
    expect(JSON.parse(json.stdout).workflows.map(({ name }: { name: string }) => name)).toContain("nap");
  });
});

describe("a run that waits for a person", () => {
  test("is kept, is approved in another process, and completes there", async () => {
    const cwd = project();
    const begun = await run(["workflow", "run", "refund", '{"amount": 500}'], { cwd });
    const runId = runIdIn(begun);
    expect(begun).toMatchObject({ status: 3, stdout: "" });
    expect(begun.stderr).toContain(`pay(500) waits for a decision:\n    callsign approve ${runId}\n`);

    const shown = await run(["runs", "show", runId.slice(0, 8)], { cwd });
    expect(shown.stdout).toMatch(/state +PAUSED[\s\S]*TASK_AWAITING_APPROVAL +pay/);

    const approved = await run(["approve", runId, "--reason", "fair", "--by", "ann"], { cwd });
    expect(approved.stderr).toContain("approved pay(500)\n");
    expect(JSON.parse(approved.stdout)).toMatchObject({ paid: "paid 500" });
    expect(approved.status).toBe(0);
    expect(doneIn(cwd)).toEqual(["note begin", "pay 500"]);

    const { stdout } = await run(["runs", "export", runId], { cwd });
    const { run: record, events } = JSON.parse(stdout);
    expect(record.state).toBe("COMPLETED");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "TASK_APPROVED", value: { by: "ann", reason: "fair" } }),
    );
    const late = await run(["reject", runId], { cwd });
    expect(late).toMatchObject({ status: 1, stderr: expect.stringContaining("waits for a decision") });
  });

  test("is told of a rejection, with its reason", async () => {
    const cwd = project();
    const runId = runIdIn(await run(["workflow", "run", "refund", '{"amount": 1}'], { cwd }));
    const { status, stdout } = await run(["reject", runId, "--reason", "too much"], { cwd });
    expect(status).toBe(0);
    expect(JSON.parse(stdout).refused).toContain("too much");
    expect(doneIn(cwd)).toEqual(["note begin"]);
  });

  test("names each of two calls, and waits on after the first one is decided", async () => {
    const cwd = project();
    const begun = await run(["workflow", "run", "two"], { cwd });
    const runId = runIdIn(begun);
    const tasks = [...begun.stderr.matchAll(/approve \S+ --task '(\S+)'/g)].map(([, task]) => task as string);
    expect(tasks).toHaveLength(2);
    const unclear = await run(["approve", runId], { cwd });
    expect(unclear).toMatchObject({ status: 1, stderr: expect.stringContaining(tasks[1] as string) });
    expect(unclear.stderr).toContain("--task");
    const first = await run(["approve", runId, "--task", tasks[0] as string], { cwd });
    expect(first).toMatchObject({ status: 3, stderr: expect.stringContaining("pay(2) waits for a decision") });
    expect(await run(["approve", runId], { cwd })).toMatchObject({ status: 0, stdout: "paid 1, paid 2\n" });
  });

  test("may be one that was called: either id will do, and the caller goes on as well", async () => {
    const cwd = project();
    const begun = await run(["workflow", "run", "outer", '{"amount": 3}'], { cwd });
    const runId = runIdIn(begun);
    expect(begun).toMatchObject({ status: 3, stderr: expect.stringMatching(new RegExp(`approve ${runId}\\.\\w+\n`)) });
    const { status, stdout } = await run(["approve", runId], { cwd });
    expect({ status, value: JSON.parse(stdout) }).toMatchObject({
      status: 0,
      value: ["outer got", { paid: "paid 3" }],
    });
  });

  test("gets a value by resume", async () => {
    const cwd = project();
    const begun = await run(["workflow", "run", "question"], { cwd });
    const runId = runIdIn(begun);
    expect(begun.stderr).toContain(`word waits for a value ("which word?"):\n    callsign workflow resume ${runId}`);
    const { status, stdout } = await run(["workflow", "resume", runId, '"amber"'], { cwd });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "the word is amber\n" });
    const late = await run(["workflow", "resume", runId, '"other"'], { cwd });
    expect(late).toMatchObject({ status: 2, stderr: expect.stringContaining("has ended") });
  });

  test("is only decided with --detach, and where no module is found; resume carries it on", async () => {
    const cwd = project();
    const [one, other] = await Promise.all(
      ["1", "2"].map(async (amount) =>
        runIdIn(await run(["workflow", "run", "refund", `{"amount": ${amount}}`], { cwd })),
      ),
    );
    const decided = await run(["approve", one as string, "--detach"], { cwd });
    expect(decided).toMatchObject({ status: 0, stdout: "", stderr: expect.stringContaining("workflow resume") });
    const elsewhere = makeProject({});
    const env = { CALLSIGN_STORE: join(cwd, ".callsign/runs.db") };
    expect(await run(["approve", other as string], { cwd: elsewhere, env })).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("no module is found"),
    });
    expect(doneIn(cwd).filter((line) => line.startsWith("pay"))).toEqual([]);
    const { status, stdout } = await run(["workflow", "resume", other as string], { cwd });
    expect({ status, value: JSON.parse(stdout) }).toMatchObject({ status: 0, value: { paid: "paid 2" } });
    // The other one is nobody's business here.
    expect(doneIn(cwd).filter((line) => line.startsWith("pay"))).toEqual(["pay 2"]);
  });
});

describe("a run that is interrupted", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGKILL", null],
  ] as const)("by %s is kept, and goes on by resume without repeating what is recorded", async (signal, expected) => {
    const cwd = project();
    const child = start(["workflow", "run", "slow", "--run-id", "s-1"], { cwd });
    await printed(child, /✓ note/);
    const ended = finish(child);
    child.kill(signal);
    const { status, stderr } = await ended;
    expect(status).toBe(expected);
    if (signal !== "SIGKILL") expect(stderr).toContain("callsign workflow resume s-1");
    const resumed = await run(["workflow", "resume", "s-1"], { cwd });
    expect(resumed).toMatchObject({ status: 0, stdout: "late\n" });
    expect(doneIn(cwd)).toEqual(["note once"]);
  });

  test("can be cancelled without its module, while it waits and while another process has it", async () => {
    const cwd = project();
    await run(["workflow", "run", "question", "--run-id", "q-1"], { cwd });
    const cancelled = await run(["workflow", "cancel", "q-1"], {
      cwd: makeProject({}),
      env: { CALLSIGN_STORE: join(cwd, ".callsign/runs.db") },
    });
    expect(cancelled).toMatchObject({ status: 0, stderr: "the run q-1 is cancelled\n" });
    const child = start(["workflow", "run", "slow", "--run-id", "s-2"], { cwd });
    await printed(child, /✓ note/);
    const ended = finish(child);
    expect((await run(["workflow", "cancel", "s-2"], { cwd })).status).toBe(0);
    expect(await ended).toMatchObject({ status: 1, stderr: expect.stringContaining("the run s-2 was cancelled") });
    const { stdout } = await run(["workflow", "status", "s-2", "--json"], { cwd });
    expect(JSON.parse(stdout).state).toBe("CANCELLED");
  });
});

describe("callsign serve", () => {
  test("executes what other commands put into the store, answers over HTTP, and stops gracefully", async () => {
    const cwd = project();
    const token = "a-token-that-is-long-enough";
    writeFileSync(join(cwd, "token.txt"), `${token}\n`);
    const detached = await run(["workflow", "run", "nap", "--detach"], { cwd });
    const server = start(["serve", "--port", "0", "--host", "127.0.0.1", "--token-file", "token.txt"], { cwd });
    const ended = finish(server);
    const [, url = ""] = await printed(server, /at (http:\S+)/);
    expect((await fetch(`${url}/runs`)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const asked = await fetch(`${url}/workflows/refund/run`, { method: "POST", headers, body: '{"amount": 9}' });
    const { runId } = (await asked.json()) as { runId: string };
    expect(asked.status).toBe(202);
    expect((await run(["approve", runId, "--detach"], { cwd })).status).toBe(0);
    const followed = await fetch(`${url}/runs/${runId}/stream`, { headers });
    expect(await followed.text()).toContain("WORKFLOW_COMPLETED");
    const nap = await fetch(`${url}/runs/${detached.stdout.trim()}/stream`, { headers });
    expect(await nap.text()).toContain('"awake"');
    server.kill("SIGTERM");
    const { status, stdout, stderr } = await ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toContain("stopping");
    expect(stderr).not.toContain(token);
  });

  test("says that a port is in use", async () => {
    const cwd = project();
    const server = start(["serve", "--port", "0", "--json"], { cwd });
    const ended = finish(server);
    const [, port = ""] = await printed(server, /127\.0\.0\.1:(\d+)/);
    const second = await run(["serve", "--port", port], { cwd });
    expect(second).toMatchObject({ status: 1, stderr: expect.stringMatching(/EADDRINUSE[\s\S]*--port/) });
    server.kill("SIGINT");
    expect((await ended).status).toBe(0);
  });
});

describe("callsign runs", () => {
  test("lists, deletes and prunes what has ended, and nothing else", async () => {
    const cwd = project();
    await run(["workflow", "run", "fails", "--run-id", "bad-1"], { cwd });
    await run(["workflow", "run", "question", "--run-id", "open-1"], { cwd });
    await run(["workflow", "run", "question", "--run-id", "gone-1"], { cwd });
    await run(["workflow", "cancel", "gone-1"], { cwd });
    const list = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await run(["runs", "list", "--json", ...words], { cwd });
      return JSON.parse(stdout).runs.map(({ runId }: { runId: string }) => runId);
    };
    expect((await list()).sort()).toEqual(["bad-1", "gone-1", "open-1"]);
    expect(await list("--state", "PAUSED")).toEqual(["open-1"]);
    expect(await list("--workflow", "fails")).toEqual(["bad-1"]);
    const plain = await run(["runs", "list", "--limit", "1"], { cwd });
    expect(plain.stdout).toMatch(/^gone-1 {2}CANCELLED {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}question {2}null\n$/);
    expect(plain.stderr).toContain("there are more");

    expect(await run(["runs", "delete", "open-1", "bad-1"], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("not deleted: open-1 (PAUSED)"),
    });
    const dry = await run(["runs", "prune", "--older-than", "0s", "--dry-run"], { cwd });
    expect(dry.stdout.trim().split("\n")).toHaveLength(2);
    expect((await run(["runs", "prune", "--older-than", "1d"], { cwd })).stderr).toBe("deleted 0 runs\n");
    expect(await run(["runs", "prune", "--older-than", "0s", "--state", "FAILED"], { cwd })).toMatchObject({
      status: 0,
      stderr: "deleted 1 run\n",
    });
    expect((await run(["runs", "delete", "gone-1"], { cwd })).status).toBe(0);
    expect(await list()).toEqual(["open-1"]);
  });

  test("a beginning of an id that several runs have is refused, with these runs", async () => {
    const cwd = project();
    for (const id of ["same-1", "same-2"]) await run(["workflow", "run", "question", "--run-id", id], { cwd });
    const { status, stderr } = await run(["runs", "show", "same"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toMatch(/2 runs begin with "same"\n {2}hint {2}it may be same-2, same-1/);
  });

  test("a store that is damaged, locked, or cannot be reached is said without its password", async () => {
    const cwd = project();
    writeFileSync(join(cwd, "bad.db"), "no database".repeat(100));
    const [bad, far] = await Promise.all([
      run(["runs", "list", "--store", "bad.db"], { cwd }),
      run(["runs", "list"], { cwd, env: { CALLSIGN_STORE: "postgres://app:hunter2secret@127.0.0.1:1/app" } }),
    ]);
    expect(bad).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/no SQLite database\n {2}hint {2}.*--store/),
    });
    expect(far).toMatchObject({ status: 1, stderr: expect.stringContaining("ECONNREFUSED") });
    expect(far.stderr).not.toContain("hunter2");
    await run(["workflow", "run", "question", "--run-id", "open-1"], { cwd });
    const holder = new DatabaseSync(join(cwd, ".callsign/runs.db"));
    holder.exec("BEGIN IMMEDIATE");
    const locked = await run(["workflow", "resume", "open-1", "1"], { cwd });
    holder.exec("ROLLBACK");
    holder.close();
    expect(locked).toMatchObject({ status: 1, stderr: expect.stringContaining("another process holds the store") });
  });
});
