import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agent, type HumanQueue, MemorySessionStore, Runner, Schema } from "../../src/index.js";
import { SqliteSessionStore } from "../../src/sqlite/index.js";
import { scriptedModel } from "../agent/scripted-model.js";
import { objectSchema } from "../manifest-fixture.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sessions-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const said = (n: number) => Array.from({ length: n }, (_, index) => ({ text: `answer ${index}` }));

describe("a session in a file", () => {
  test("whose row is no message is refused as corrupt, and other sessions go on", async () => {
    const path = join(folder, "s.db");
    const store = new SqliteSessionStore(path);
    const runner = new Runner({ agent: agent("x", { model: scriptedModel(said(5)) }), sessionStore: store });
    await runner.run({ sessionId: "a", message: "hi" });
    await runner.run({ sessionId: "b", message: "hi" });
    const database = new DatabaseSync(path);
    for (const broken of ["{", "5", '{"role":"user"}', '{"role":"user","content":[null]}']) {
      database.prepare("UPDATE session_messages SET message = ? WHERE session_id = 'a' AND position = 0").run(broken);
      const code = broken.includes("null") ? "history-invalid" : "session-corrupt";
      await expect(runner.run({ sessionId: "a", message: "again" })).rejects.toMatchObject({ code });
    }
    database.close();
    expect((await runner.run({ sessionId: "b", message: "again" })).content).toBe("answer 2");
    await store.close();
  });

  test("has the turns of two processes one after another, none lost and none mixed", async () => {
    const path = join(folder, "s.db");
    const script = join(folder, "turns.mjs");
    const dist = new URL("../../dist/", import.meta.url);
    writeFileSync(
      script,
      `import { agent, Runner } from ${JSON.stringify(new URL("index.js", dist).href)};
import { SqliteSessionStore } from ${JSON.stringify(new URL("sqlite/index.js", dist).href)};
const [, , path, name] = process.argv;
const store = new SqliteSessionStore(path);
const { scriptedModel } = await import(${JSON.stringify(new URL("testing/index.js", dist).href)});
const model = scriptedModel(Array.from({ length: 10 }, () => ({ messages }) => ({ text: messages.at(-1).content[0].text })));
const runner = new Runner({ agent: agent("x", { model }), sessionStore: store });
await Promise.all([0, 1, 2, 3, 4].map((n) => runner.run({ sessionId: "s", message: name + n })));
await store.close();`,
    );
    await Promise.all(["p", "q"].map((name) => promisify(execFile)(process.execPath, [script, path, name])));
    const store = new SqliteSessionStore(path);
    const session = await store.load("s");
    expect(session?.version).toBe(10);
    const texts = session?.messages.map((message) => (message.content[0] as { text: string }).text) ?? [];
    expect(texts).toHaveLength(20);
    for (let turn = 0; turn < 20; turn += 2) expect(texts[turn + 1]).toBe(texts[turn]);
    await store.close();
  });
});

describe("turns of one session", () => {
  test("of which one is aborted while it waits do not hold up the others", async () => {
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel([() => gate.promise.then(() => ({ text: "one" })), { text: "three" }]);
    const runner = new Runner({ agent: agent("x", { model }), sessionStore: new MemorySessionStore() });
    const stop = new AbortController();
    const one = runner.run({ sessionId: "s", message: "1" });
    const two = runner.run({ sessionId: "s", message: "2", signal: stop.signal });
    const three = runner.run({ sessionId: "s", message: "3" });
    stop.abort();
    await expect(two).rejects.toMatchObject({ code: "aborted" });
    gate.resolve();
    expect([(await one).content, (await three).content]).toEqual(["one", "three"]);
  });

  test("give their first agent's format also after a handoff to an agent without one", async () => {
    const Answer = new Schema<{ n: number }>({ name: "Answer", schema: objectSchema({ n: { type: "number" } }) });
    const expert = agent("x", { model: scriptedModel([{ text: '{"n":1}' }, { text: '{"n":2}' }]), name: "expert" });
    const desk = agent("x", {
      model: scriptedModel([{ calls: [["transfer_to_expert", {}]] }]),
      name: "desk",
      handoffs: [expert],
      responseFormat: Answer,
    });
    const runner = new Runner({ agent: desk, sessionStore: new MemorySessionStore() });
    expect((await runner.run({ sessionId: "s", message: "1" })).value).toEqual({ n: 1 });
    expect(await runner.run({ sessionId: "s", message: "2" })).toMatchObject({ value: { n: 2 }, agentName: "expert" });
  });

  test.each([undefined, null, 5, "", "  "])("with the message %j are refused and save nothing", async (message) => {
    const sessionStore = new MemorySessionStore();
    const runner = new Runner({ agent: agent("x", { model: scriptedModel(said(1)) }), sessionStore });
    await expect(runner.run({ sessionId: "s", message: message as string })).rejects.toMatchObject({
      code: "question-invalid",
    });
    expect(await sessionStore.load("s")).toBeUndefined();
  });

  test("that people take whose queue then throws save nothing, and can be repeated", async () => {
    let works = true;
    const support: HumanQueue = {
      name: "support",
      enqueue: () => {
        if (!works) throw null;
      },
    };
    const model = scriptedModel([{ calls: [["transfer_to_support", {}]] }]);
    const sessionStore = new MemorySessionStore();
    const runner = new Runner({ agent: agent("x", { model, handoffs: [support] }), sessionStore });
    await runner.run({ sessionId: "s", message: "a person please" });
    const before = await sessionStore.load("s");
    works = false;
    const turn = runner.stream({ sessionId: "s", message: "hello?" });
    const events = [];
    for await (const event of turn) events.push(event);
    expect(events).toEqual([expect.objectContaining({ type: "error" })]);
    expect(await sessionStore.load("s")).toEqual(before);
    works = true;
    expect(await runner.run({ sessionId: "s", message: "hello?" })).toMatchObject({ stop: "handoff", value: "" });
  });

  test("whose store throws on save end with the store's error and the last event says so", async () => {
    const sessionStore = new MemorySessionStore();
    sessionStore.save = () => Promise.reject(undefined);
    const runner = new Runner({ agent: agent("x", { model: scriptedModel(said(1)) }), sessionStore });
    const events = [];
    for await (const event of runner.stream({ sessionId: "s", message: "hi" })) events.push(event);
    expect(events.filter(({ type }) => type === "done" || type === "error")).toEqual([events.at(-1)]);
    expect(events.at(-1)).toMatchObject({ type: "error" });
  });

  test("with a window that gives back junk are refused with what is wrong", async () => {
    const runner = new Runner({
      agent: agent("x", { model: scriptedModel(said(2)) }),
      sessionStore: new MemorySessionStore(),
      window: () => undefined as never,
    });
    await expect(runner.run({ sessionId: "s", message: "hi" })).rejects.toMatchObject({ code: "history-invalid" });
  });
});
