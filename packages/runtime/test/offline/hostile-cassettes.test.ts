import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { agent, Tool } from "../../src/index.js";
import type { Cassette } from "../../src/providers/test/cassette.js";
import { secretRemover } from "../../src/providers/test/remove-secrets.js";
import { recordModel, replayModel, scriptedModel } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "callsign-cassette-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());
let files = 0;
const newPath = (): string => join(folder, `${files++}.json`);

const fill = new Tool({
  name: "fill",
  parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  execute: ({ n }) => `${n} `.repeat(500),
});

/** A conversation of so many calls, one after another. */
const steps = (count: number) => [
  ...Array.from({ length: count }, (_, n) => ({ toolCalls: [{ name: "fill", arguments: { n } }] })),
  { text: "Done." },
];

async function record(count: number, path = newPath()): Promise<string> {
  const model = recordModel(scriptedModel(steps(count)), path);
  await agent("Fill.", { model, tools: [fill], maxToolCalls: count })("Go.");
  return path;
}

const replay = (path: string, count = 1) =>
  agent("Fill.", { model: replayModel(path), tools: [fill], maxToolCalls: count })("Go.");

describe("a cassette of a long conversation", () => {
  test("grows with its steps, not with their square, and plays back", async () => {
    const sizes: number[] = [];
    for (const count of [20, 80]) {
      const path = await record(count);
      sizes.push(statSync(path).size);
      expect(await replay(path, count)).toBe("Done.");
    }
    expect((sizes[1] as number) / (sizes[0] as number)).toBeLessThan(5);
  });

  test("keeps the messages of side-by-side conversations apart, whichever ends first", async () => {
    const path = newPath();
    const model = recordModel(scriptedModel(steps(4)), path);
    const ask = (name: string, using: typeof model) =>
      agent("Fill.", { model: using, tools: [fill], maxToolCalls: 4 })(`Go ${name}.`);
    const names = ["a", "b", "c"];
    await Promise.all(names.map((name) => ask(name, model)));
    const player = replayModel(path);
    expect(await Promise.all(names.reverse().map((name) => ask(name, player)))).toEqual(["Done.", "Done.", "Done."]);
    expect(player.unplayed).toBe(0);
  });
});

describe("a cassette that was edited by hand", () => {
  // biome-ignore lint/suspicious/noExplicitAny: edits are meant to break the type
  const edits: Record<string, [edit: (cassette: any) => void, problem: string]> = {
    "no usage": [({ exchanges: [one] }) => delete one.reply.usage, '/exchanges/0/reply: needs "usage"'],
    "usage of null": [
      ({ exchanges: [one] }) => (one.reply.usage = null),
      "/exchanges/0/reply/usage: must be an object",
    ],
    "no notes": [({ exchanges: [one] }) => delete one.reply.notes, '/exchanges/0/reply: needs "notes"'],
    "no stop": [({ exchanges: [one] }) => delete one.reply.stop, '/exchanges/0/reply: needs "stop"'],
    "another stop": [({ exchanges: [one] }) => (one.reply.stop = "now"), "/exchanges/0/reply/stop: must be one of end"],
    "another role": [
      ({ exchanges: [one] }) => (one.reply.message.role = "user"),
      "/exchanges/0/reply/message/role: must be one of assistant",
    ],
    "a part of null": [
      ({ exchanges: [one] }) => (one.reply.message.content = [null]),
      "/exchanges/0/reply/message/content/0: must be an object, not null",
    ],
    "a part of no kind": [
      ({ exchanges: [one] }) => (one.reply.message.content[0].type = "call"),
      "/exchanges/0/reply/message/content/0/type: must be one of text",
    ],
    "arguments as an object": [
      ({ exchanges: [one] }) => (one.reply.message.content[0].arguments = { n: 1 }),
      "/exchanges/0/reply/message/content/0/arguments: must be text",
    ],
    "no id": [
      ({ exchanges: [one] }) => delete one.reply.message.content[0].id,
      '/exchanges/0/reply/message/content/0: needs "id"',
    ],
    "pieces that are no text": [
      ({ exchanges: [, two] }) => (two.events[0].pieces = ["Done", 1]),
      "/exchanges/1/events/0/pieces/1: must be text, not 1",
    ],
    "another failure": [
      ({ exchanges: [one] }) => {
        delete one.reply;
        one.failure = { code: "tired", message: "m", retryable: "yes" };
      },
      "/exchanges/0/failure/retryable: must be true or false",
    ],
    "a model without a provider": [(cassette) => (cassette.model = "mine"), "/model: must be provider/model"],
    "messages of a later exchange": [
      ({ exchanges: [one] }) => (one.request.messages = { asIn: 1, first: 1, more: [] }),
      "/exchanges/0/request/messages/asIn: must be the position of an earlier exchange",
    ],
    "more messages than there are": [
      ({ exchanges: [, two] }) => (two.request.messages = { asIn: 0, first: 7, more: [] }),
      "/exchanges/1/request/messages/first: must be at most 1",
    ],
  };

  test.each(Object.entries(edits))("says where: %s", async (_, [edit, problem]) => {
    const path = await record(1);
    const cassette = JSON.parse(readFileSync(path, "utf8")) as Cassette;
    edit(cassette);
    writeFileSync(path, JSON.stringify(cassette));
    expect(() => replayModel(path)).toThrow(
      expect.objectContaining({ code: "cassette-shape", message: expect.stringContaining(problem) }),
    );
    await expect(agent("Fill.", { model: `test/replay/${path}`, tools: [fill] })("Go.")).rejects.toMatchObject({
      code: "cassette-shape",
    });
  });

  test("names every place at once, and not hundreds of them", async () => {
    const path = await record(15);
    const cassette = JSON.parse(readFileSync(path, "utf8"));
    for (const exchange of cassette.exchanges) delete exchange.reply.usage;
    writeFileSync(path, JSON.stringify(cassette));
    expect(() => replayModel(path)).toThrow(/\/exchanges\/0\/reply[\s\S]*\/exchanges\/9\/reply[\s\S]*\n- and 6 more\n/);
  });

  test("may begin with a mark of the byte order, and may lack what was written for review only", async () => {
    const path = await record(1);
    writeFileSync(path, `\uFEFF${readFileSync(path, "utf8")}`);
    expect(await replay(path)).toBe("Done.");
  });

  test.each([0, 1, 100, 500, -2])("cut after %i characters is no cassette", async (length) => {
    const path = await record(1);
    writeFileSync(path, readFileSync(path, "utf8").slice(0, length));
    expect(() => replayModel(path)).toThrow(expect.objectContaining({ code: "cassette-unreadable" }));
  });
});

test("a cassette that cannot be written is told before the model is asked", async () => {
  const path = newPath();
  mkdirSync(path);
  const inner = scriptedModel([{ text: "Done." }]);
  await expect(agent("x", { model: recordModel(inner, path) })("?")).rejects.toMatchObject({
    code: "cassette-not-written",
    message: expect.stringContaining(`the cassette ${path} cannot be written: it is a folder`),
  });
  expect(inner.requests).toHaveLength(0);
});

test("one file is one recording, however it is spelled", async () => {
  const { recorderOf } = await import("../../src/providers/test/record.js");
  expect(recorderOf(join(folder, "spelled.json"), "a/b")).toBe(recorderOf(join(folder, "x/../spelled.json"), "a/b"));
});

describe("secrets", () => {
  test("that are others where the cassette is replayed do not matter", async () => {
    const path = newPath();
    const say = (value: string, model: ReturnType<typeof replayModel> | ReturnType<typeof recordModel>) =>
      agent(`The password of the database is ${value}, and that of the queue too.`, { model })("Which one?");
    vi.stubEnv("DB_PASSWORD", "postgres");
    await say("postgres", recordModel(scriptedModel([{ text: "Yours." }]), path));
    expect(readFileSync(path, "utf8")).not.toContain("postgres");
    vi.unstubAllEnvs();
    expect(await say("postgres", replayModel(path))).toBe("Yours.");
    expect(await say("another one", replayModel(path))).toBe("Yours.");
    await expect(
      agent("The password of the cache is x.", { model: replayModel(path) })("Which one?"),
    ).rejects.toMatchObject({ code: "replay-mismatch" });
  });

  test("that are none where the cassette was recorded are not shown in a mismatch, and no mismatch themselves", async () => {
    const path = newPath();
    const ask = (question: string, model: ReturnType<typeof replayModel> | ReturnType<typeof recordModel>) =>
      agent("Answer.", { model })(question);
    await ask("Is it testtest?", recordModel(scriptedModel([{ text: "Yes." }]), path));
    vi.stubEnv("CI_TOKEN", "testtest");
    expect(await ask("Is it testtest?", replayModel(path))).toBe("Yes.");
    const failure = await ask("Was it testtest?", replayModel(path)).catch((error: Error) => error.message);
    expect(failure).toContain('now "Was it [removed]?"');
  });

  const clean = secretRemover({
    env: {
      AWS_SECRET_ACCESS_KEY: 'a+b/c==d"e\\f',
      PGPASSWORD: "correct-horse",
      TOKEN: "top-level-token",
      SERVICE_CREDENTIALS: "user:pass:word",
      LONE_SURROGATE_KEY: "abcdefgh\ud800",
    },
  });
  test.each([
    ["in JSON text", JSON.stringify({ key: 'a+b/c==d"e\\f' }), '{"key":"[removed]"}'],
    ["in JSON text inside of JSON text", JSON.stringify(JSON.stringify(['a+b/c==d"e\\f'])), '"[\\"[removed]\\"]"'],
    [
      "in an address",
      `https://x.test/?k=${encodeURIComponent('a+b/c==d"e\\f')}&q=1`,
      "https://x.test/?k=[removed]&q=1",
    ],
    ["in base64", `Basic ${Buffer.from("user:pass:word").toString("base64")}`, "Basic [removed]"],
    ["of a name without underscore", "it is correct-horse.", "it is [removed]."],
    ["of a name that is only TOKEN", "top-level-token", "[removed]"],
    ["as user info", "postgres://app:s3cr3t-pw@db.test:5432/app", "postgres://app:[removed]@db.test:5432/app"],
    ["as a password in JSON text", '{"user":"ann","password":"hunter2"}', '{"user":"ann","password":"[removed]"}'],
    ["as one in escaped JSON text", '{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"[removed]\\"}'],
    ["as a refresh token", "refresh_token=abcdefgh&x=1", "refresh_token=[removed]&x=1"],
  ])("are left out %s", (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  test.each([
    "write to ann@example.com about http://example.com/a:b@c",
    "Forgot your password? password: must be long",
    "the key is under the mat: monkey business",
    "mailto:ann@example.com",
  ])("are not seen in %j", (text) => {
    expect(clean(text)).toBe(text);
  });

  test("are looked for in a long hostile text in a moment", () => {
    for (const piece of ["a-", "eyJ-", "x://", "sk-", '"password', "bearer "]) clean(piece.repeat(40_000));
  }, 10_000);
});
