import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { type AgentOptions, agent, type RunEvent, Tool } from "../../src/index.js";
import type { Cassette } from "../../src/providers/test/cassette.js";
import { jsonDifferences } from "../../src/providers/test/json-differences.js";
import { secretRemover } from "../../src/providers/test/remove-secrets.js";
import { recordModel, replayModel, scriptedModel, startFakeProvider } from "../../src/testing/index.js";

const folder = mkdtempSync(join(tmpdir(), "callsign-cassette-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());
let files = 0;
const newPath = (): string => join(folder, `deep/${files++}.json`);
const read = (path: string): Cassette => JSON.parse(readFileSync(path, "utf8"));

/** In two parts, so that no scanner takes this file for one that holds a key. */
const PREFIX = ["sk", "ant", "api03", ""].join("-");

const add = new Tool({
  name: "add",
  description: "Adds.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: ({ a, b }) => (a as number) + (b as number),
});

async function play(options: Omit<AgentOptions<string>, "tools">, question = "1 + 2?") {
  const run = agent("Be exact.", { ...options, tools: [add] }).stream(question);
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return { events, messages: await run.messages };
}

/** What a run shows; how long it waits is random where the provider does not say. */
const shown = ({ events }: { events: RunEvent[] }): RunEvent[] =>
  events.map((event) => (event.type === "retry" ? { ...event, waitMs: 0 } : event));

describe.each(["anthropic/claude-sonnet-5-5", "openai/gpt-6-luna", "google/gemini-3.8-flash", "ollama/qwen3:8b"])(
  "a cassette of %s",
  (model) => {
    test("plays the run back event by event, signatures and all, by model strings", async () => {
      const provider = await startFakeProvider();
      const path = newPath();
      const remote = {
        apiKey: "a-key-of-no-form-that-is-known",
        baseUrl: provider.url,
        reasoningEffort: "high",
      } as const;
      provider.script(
        { reasoning: "Let me add.", toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
        { status: 429, wait: { in: "milliseconds", ms: 1 } },
        { text: "It is three." },
      );
      const recorded = await play({ ...remote, model: `test/record/${path}:${model}` });
      await provider.close();
      expect(recorded.events.at(-1)).toMatchObject({ type: "done", value: "It is three." });
      expect(provider.refusals ?? []).toEqual([]);

      const cassette = read(path);
      expect(cassette.model).toBe(model);
      expect(cassette.exchanges.map(({ reply, failure }) => reply?.stop ?? failure?.code)).toEqual([
        "tool",
        "rate-limit",
        "end",
      ]);
      expect(Object.keys(cassette.tools)).toEqual(["tools-1"]);
      expect(readFileSync(path, "utf8")).not.toContain(remote.apiKey);
      expect(readdirSync(join(path, ".."))).not.toContainEqual(expect.stringContaining("tmp"));

      const { apiKey: _, baseUrl: __, ...same } = remote;
      for (let round = 0; round < 2; round += 1) {
        const replayed = await play({ ...same, model: `test/replay/${path}` });
        expect(shown(replayed)).toEqual(shown(recorded));
        const parts = (messages: typeof replayed.messages) => JSON.stringify(messages.map(({ content }) => content));
        expect(parts(replayed.messages)).toBe(parts(recorded.messages));
      }
      const other = await play({ ...same, model: `test/replay/${path}` }, "1 + 3?");
      expect(other.events.at(-1)).toMatchObject({
        type: "error",
        code: "replay-mismatch",
        message: expect.stringContaining('messages[0].content[0].text: recorded "1 + 2?", now "1 + 3?"'),
      });
    });
  },
);

describe("recordModel() and replayModel()", () => {
  const script = () => scriptedModel([{ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "Three." }]);

  test("record a provider of one's own, and play each request as often as it was recorded", async () => {
    const path = newPath();
    await play({ model: recordModel(script(), path) });
    const model = replayModel(path);
    expect(model.unplayed).toBe(2);
    expect((await play({ model })).events.at(-1)).toMatchObject({ type: "done", value: "Three." });
    expect(model.unplayed).toBe(0);
    expect((await play({ model })).events.at(-1)).toMatchObject({
      code: "replay-mismatch",
      message: expect.stringContaining("holds this request 1 times, and it was asked once more"),
    });
  });

  test("play equal requests in the order of the recording, and runs side by side each to its own end", async () => {
    const path = newPath();
    const model = recordModel(scriptedModel([{ text: "first" }, { text: "second" }], { by: "requests" }), path);
    const recorder = agent("Greet.", { model });
    await recorder("Hello");
    await recorder("Hello");
    const player = agent("Greet.", { model: replayModel(path) });
    expect([await player("Hello"), await player("Hello")]).toEqual(["first", "second"]);

    const both = newPath();
    const doubled = recordModel(
      scriptedModel([({ messages }) => ({ text: JSON.stringify(messages[0]?.content) })]),
      both,
    );
    const asked = await Promise.all(["a", "b", "c"].map((question) => agent("x", { model: doubled })(question)));
    const again = replayModel(both);
    const answers = await Promise.all(["c", "a", "b"].map((question) => agent("x", { model: again })(question)));
    expect(answers).toEqual([asked[2], asked[0], asked[1]]);
  });

  test("leave out what normalize takes out", async () => {
    const path = newPath();
    const normalize = (request: { readonly [name: string]: unknown }) => ({
      ...request,
      system: String(request.system).replace(/\d{4}-\d\d-\d\d/, "DATE"),
    });
    const model = recordModel(scriptedModel([{ text: "Good day." }]), path, { normalize });
    await agent("Today is 2026-01-01.", { model })("?");
    expect(readFileSync(path, "utf8")).toContain("Today is DATE.");
    expect(await agent("Today is 2026-02-02.", { model: replayModel(path, { normalize }) })("?")).toBe("Good day.");
    await expect(agent("Today is 2026-02-02.", { model: replayModel(path) })("?")).rejects.toMatchObject({
      message: expect.stringContaining('system: recorded "Today is DATE.", now "Today is 2026-02-02."'),
    });
  });

  test("record nothing of what the caller broke off", async () => {
    const path = newPath();
    const model = recordModel(
      scriptedModel([{ text: "one two", delayMs: 5 }, { text: "next" }], { by: "requests" }),
      path,
    );
    for await (const event of agent("x", { model }).stream("?")) if (event.type === "token") break;
    await agent("x", { model })("?");
    expect(read(path).exchanges.map(({ events }) => events)).toEqual([[{ type: "text", pieces: ["next"] }]]);
  });

  test("write no secret, also when it comes in pieces, and leave signatures alone", async () => {
    vi.stubEnv("WAREHOUSE_TOKEN", "hunter2-hunter2");
    const path = newPath();
    const key = `${PREFIX}${"a1B2".repeat(8)}`;
    const signed = { api: "x", value: { signature: `${key}==`, thinking: `I saw ${key}.` } };
    const inner = scriptedModel([]);
    const open = inner.entry.open;
    const model = recordModel(
      {
        id: "own/model",
        entry: {
          ...inner.entry,
          open: async (options) => ({
            ...(await open(options)),
            async *stream() {
              for (const text of [`The key is ${key.slice(0, 12)}`, key.slice(12), ", keep it."]) {
                yield { type: "text", text } as const;
              }
              const content = [
                { type: "reasoning", text: "", native: signed },
                { type: "text", text: `The key is ${key}, keep it.` },
              ] as const;
              yield {
                type: "reply",
                reply: { message: { role: "assistant", content }, stop: "end", usage: {}, notes: [] },
              } as const;
            },
          }),
        },
      },
      path,
    );
    const options = { model, apiKey: "my-own-key-123", headers: { authorization: "Bearer of-good-news" } };
    await agent("The token is hunter2-hunter2.", options)("Use my-own-key-123 and of-good-news");
    const text = readFileSync(path, "utf8");
    for (const secret of ["hunter2", "my-own-key", "of-good-news"]) expect(text).not.toContain(secret);
    expect(text.split(key)).toHaveLength(2);
    expect(text).toContain(`"signature": "${key}=="`);
    expect(text).toContain("The token is [removed].");
    expect(text).toContain("The key is [removed], keep it.");
    expect(
      await agent("The token is hunter2-hunter2.", { model: replayModel(path) })("Use [removed] and [removed]"),
    ).toBe("The key is [removed], keep it.");
  });

  test("one cassette is of one model", async () => {
    const path = newPath();
    const first = agent("x", { model: `test/record/${path}:test/auto` });
    await expect(first("?")).rejects.toMatchObject({ code: "model-unknown" });
    const { recorderOf } = await import("../../src/providers/test/record.js");
    recorderOf(path, "a/b");
    expect(() => recorderOf(path, "a/c")).toThrow("needs a cassette of its own");
  });
});

describe("a cassette that cannot be played", () => {
  test.each([
    ["{", "cassette-unreadable", "JSON"],
    ["[]", "cassette-shape", "no JSON object"],
    ['{"cassetteVersion":9,"model":"a/b"}', "cassette-shape", "version is 9"],
    [
      '{"cassetteVersion":1,"model":"a/b","tools":{},"exchanges":[{"request":{"tools":"x"},"events":[]}]}',
      "cassette-shape",
      "/exchanges/0/request/tools",
    ],
    [
      '{"cassetteVersion":1,"model":"a/b","tools":{},"exchanges":[{"request":{},"events":[]}]}',
      "cassette-shape",
      "/exchanges/0: must have a reply or a failure",
    ],
  ])("says why: %s", (content, code, message) => {
    const path = join(folder, `${files++}.json`);
    writeFileSync(path, content);
    expect(() => replayModel(path)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  test("says how to record it", async () => {
    await expect(agent("x", { model: "test/replay/nowhere.json" })("?")).rejects.toMatchObject({
      code: "cassette-unreadable",
      message: expect.stringContaining("test/record/nowhere.json:provider/model"),
    });
  });
});

describe("secretRemover()", () => {
  const clean = secretRemover({ env: { MY_API_KEY: "value-of-a-key", SHORT_TOKEN: "abc", HOME: "/home/somebody" } });
  test.each([
    [`${PREFIX}${"a1B2".repeat(8)}`, "[removed]"],
    [`key AIza${"a1B2_".repeat(7)}.`, "key [removed]."],
    ["Authorization: Bearer abcdefgh1234", "Authorization: [removed]"],
    ["send a bearer abcdefgh1234", "send a bearer [removed]"],
    ['{"api_key":"abcdefgh","q":1}', '{"api_key":"[removed]","q":1}'],
    ["https://x.test/?api_key=abcdefgh&q=1", "https://x.test/?api_key=[removed]&q=1"],
    [`ghp_${"a".repeat(36)}`, "[removed]"],
    ["value-of-a-key!", "[removed]!"],
  ])("removes what is one from %j", (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  test("leaves everything else as it is, byte by byte", () => {
    const value = JSON.parse(
      '{"__proto__":{"b":"abc /home/somebody","a":["a task-list of desk-work, for a basic understanding of authorization",1e3,null]},"token":"x"}',
    );
    expect(JSON.stringify(clean(value))).toBe(JSON.stringify(value));
    expect(clean({ headers: { Authorization: "x y", "x-api-key": "z" } })).toEqual({
      headers: { Authorization: "[removed]", "x-api-key": "[removed]" },
    });
  });
});

test("jsonDifferences() shows each place once, long texts around the first difference", () => {
  const long = "x".repeat(200);
  expect(
    jsonDifferences({ a: [1, { b: `${long}1` }], c: 1, same: [1] }, { a: [1, { b: `${long}2` }, 3], same: [1] }),
  ).toEqual([
    `a[1].b: recorded "…${"x".repeat(24)}1", now "…${"x".repeat(24)}2"`,
    "a[2]: recorded nothing, now 3",
    "c: recorded 1, now nothing",
  ]);
  const many = Array.from({ length: 10 }, (_, index) => index);
  expect(jsonDifferences(many, many.map(String)).at(-1)).toBe("and 4 more");
});
