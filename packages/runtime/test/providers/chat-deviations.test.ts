import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/model/index.js";
import { chatCompat } from "../../src/providers/openai/models.js";
import { toChatRequest } from "../../src/providers/openai/to-chat-request.js";
import { ask, type Heard } from "./ask-recording.js";

// Ways in which servers differ that speak OpenAI's Chat Completions (wire.md, section 8). Streams of our own writing.

type Delta = Record<string, unknown>;

const chunk = (delta: Delta, finish: string | null = null, more: Delta = {}) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const call = (index: number | undefined, id: string | undefined, name: string | undefined, text: unknown) => ({
  tool_calls: [
    {
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id }),
      type: "function",
      function: { ...(name === undefined ? {} : { name }), arguments: text },
    },
  ],
});

async function stream(events: readonly unknown[], { end = "data: [DONE]\n\n" } = {}): Promise<Heard> {
  const text = events
    .map((event) => (typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`))
    .join("");
  const body = new TextEncoder().encode(text + end);
  return ask("openai-chat", { status: 200, contentType: "text/event-stream", body }, { model: "m", stream: true });
}

function whole(body: unknown): Promise<Heard> {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return ask(
    "openai-chat",
    { status: 200, contentType: "application/json", body: bytes },
    { model: "m", stream: false },
  );
}

function calls({ reply }: Heard) {
  return reply!.message.content
    .filter((part) => part.type === "tool_call")
    .map(({ id, name, arguments: text }) => [id, name, text]);
}

describe("a stream of Chat Completions is read right when", () => {
  it("the finish reason is stop although there are calls", async () => {
    const heard = await stream([chunk(call(0, "c1", "f", "{}")), chunk({}, "stop")]);
    expect(heard.reply!.stop).toBe("tool");
  });

  it("there are two finish chunks", async () => {
    const heard = await stream([
      chunk(call(0, "c1", "f", "{}")),
      chunk({}, "tool_calls"),
      chunk({ content: "" }, "stop"),
    ]);
    expect(heard.reply).toMatchObject({ stop: "tool", rawStop: "tool_calls" });
  });

  it("ids are empty or missing: the same ones are made again for the same history", async () => {
    const events = [chunk(call(0, "", "f", "{}")), chunk(call(1, undefined, "g", "{}")), chunk({}, "tool_calls")];
    expect(calls(await stream(events))).toEqual([
      ["call_0_0", "f", "{}"],
      ["call_0_1", "g", "{}"],
    ]);
    expect(calls(await stream(events))).toEqual(calls(await stream(events)));
  });

  it("every fragment has a new id", async () => {
    const heard = await stream([
      chunk(call(0, "c1", "f", '{"a"')),
      chunk(call(0, "c2", undefined, ":1")),
      chunk(call(0, "c3", "f", "}")),
      chunk({}, "tool_calls"),
    ]);
    expect(calls(heard)).toEqual([["c1", "f", '{"a":1}']]);
  });

  it("all parallel calls have the index 0", async () => {
    const heard = await stream([
      chunk(call(0, "c1", "f", '{"a":1}')),
      chunk(call(0, "c2", "f", '{"a":2}')),
      chunk({}, "tool_calls"),
    ]);
    expect(calls(heard)).toEqual([
      ["c1", "f", '{"a":1}'],
      ["c2", "f", '{"a":2}'],
    ]);
  });

  it("all parallel calls have the index 0 and no id", async () => {
    const heard = await stream([
      chunk(call(0, "", "f", '{"a":1}')),
      chunk(call(0, "", "f", '{"a":2}')),
      chunk({}, "stop"),
    ]);
    expect(calls(heard).map(([, , text]) => text)).toEqual(['{"a":1}', '{"a":2}']);
  });

  it("the fragments of parallel calls are interleaved", async () => {
    const heard = await stream([
      chunk(call(0, "c1", "f", "")),
      chunk(call(1, "c2", "g", "")),
      chunk(call(0, undefined, undefined, '{"a":')),
      chunk(call(1, undefined, undefined, '{"b":')),
      chunk(call(0, undefined, undefined, "1}")),
      chunk(call(1, undefined, undefined, "2}")),
      chunk({}, "tool_calls"),
    ]);
    expect(calls(heard)).toEqual([
      ["c1", "f", '{"a":1}'],
      ["c2", "g", '{"b":2}'],
    ]);
  });

  it("there is no index", async () => {
    const heard = await stream([
      chunk(call(undefined, "c1", "f", '{"a":')),
      chunk(call(undefined, undefined, undefined, "1}")),
      chunk(call(undefined, "c2", "g", "{}")),
      chunk({}, "tool_calls"),
    ]);
    expect(calls(heard)).toEqual([
      ["c1", "f", '{"a":1}'],
      ["c2", "g", "{}"],
    ]);
  });

  it.each([
    ["an object", { a: 1 }, '{"a":1}'],
    ["null", null, ""],
    ["an empty text", "", ""],
  ])("the arguments are %s", async (_name, given, text) => {
    const heard = await stream([chunk(call(0, "c1", "f", given)), chunk({}, "tool_calls")]);
    expect(calls(heard)).toEqual([["c1", "f", text]]);
  });

  it("text stands beside the calls", async () => {
    const heard = await stream([
      chunk({ content: "I look." }),
      chunk(call(0, "c1", "f", "{}")),
      chunk({}, "tool_calls"),
    ]);
    expect(heard.reply!.message.content.map(({ type }) => type)).toEqual(["text", "tool_call"]);
  });

  it("it begins with no choices, and has comments in between", async () => {
    const heard = await stream([
      { choices: [], prompt_filter_results: [] },
      ": OPENROUTER PROCESSING\n\n",
      chunk({ content: "Hi" }),
      chunk({}, "stop"),
    ]);
    expect(heard.text).toBe("Hi");
  });

  it.each([
    ["on a chunk with choices", chunk({}, "stop", { usage: { prompt_tokens: 3, completion_tokens: 4 } })],
    ["in x_groq", chunk({}, "stop", { x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } } })],
  ])("the usage is %s", async (_where, last) => {
    const heard = await stream([chunk({ content: "Hi" }), last]);
    expect(heard.reply!.usage).toEqual({ inputTokens: 3, outputTokens: 4 });
  });

  it("there is no [DONE]", async () => {
    expect((await stream([chunk({ content: "Hi" }), chunk({}, "stop")], { end: "" })).reply!.stop).toBe("end");
  });

  it.each(["reasoning_content", "reasoning"])("the thoughts are in %s", async (field) => {
    const heard = await stream([
      chunk({ [field]: "Hmm" }),
      chunk({ [field]: "." }),
      chunk({ content: "Hi" }),
      chunk({}, "stop"),
    ]);
    expect(heard).toMatchObject({ reasoning: "Hmm.", text: "Hi" });
  });

  it("the thoughts are in tags at the start of the content, cut anywhere", async () => {
    const text = "\n<think>Hmm < maybe</think>\n\nHi <think>";
    for (const size of [1, 2, 3, 7, 100]) {
      const parts = text.match(new RegExp(`[^]{1,${size}}`, "g"))!;
      const heard = await stream([...parts.map((content) => chunk({ content })), chunk({}, "stop")]);
      expect(heard).toMatchObject({ reasoning: "Hmm < maybe", text: "Hi <think>" });
      expect(heard.reply!.message.content).toMatchObject([
        { type: "reasoning", text: "Hmm < maybe" },
        { type: "text", text: "Hi <think>" },
      ]);
    }
  });

  it("the content is a list of parts", async () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "Hmm." }] },
      { type: "text", text: "Hi" },
    ];
    expect(await stream([chunk({ content }), chunk({}, "stop")])).toMatchObject({ reasoning: "Hmm.", text: "Hi" });
  });

  it("a gateway answers 200 with an error in it", async () => {
    const heard = await whole({ error: { message: "Provider returned error", code: 502 } });
    expect(heard.error).toEqual({ code: "server", retryable: true, status: 502 });
  });

  it("it ends with an error event", async () => {
    const heard = await stream(
      [chunk({ content: "Hi" }), 'event: error\ndata: {"error":{"message":"bad call","code":"tool_use_failed"}}\n\n'],
      { end: "" },
    );
    expect(heard.error).toMatchObject({ code: "tool-call-refused", retryable: false });
  });

  it("it just ends: then it is cut", async () => {
    const heard = await stream([chunk({ content: "Hi" })], { end: "" });
    expect(heard).toMatchObject({ text: "Hi", error: { code: "cut", retryable: true } });
  });
});

describe("a request of Chat Completions", () => {
  const request: ModelRequest = {
    model: "m",
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    maxTokens: 5,
  };
  const body = (more: Partial<ModelRequest>, baseUrl?: string) =>
    toChatRequest({ ...request, ...more }, chatCompat(baseUrl)).body;

  it("names the limit of tokens as the server does", () => {
    expect(body({})).toMatchObject({ max_completion_tokens: 5 });
    expect(body({}, "http://localhost:8000/v1")).toMatchObject({ max_tokens: 5 });
  });

  it("asks for no effort beside tools where the model refuses both", () => {
    const tools = [{ wire: {} }] as unknown as NonNullable<ModelRequest["tools"]>;
    expect(body({ model: "gpt-6-luna", tools, reasoningEffort: "high" })).toMatchObject({ reasoning_effort: "none" });
    expect(body({ model: "gpt-6-astra", tools })).not.toHaveProperty("reasoning_effort");
  });

  it("puts the schema into the prompt where the server only knows JSON of any form", () => {
    const output = { name: "Out", schema: { type: "object" }, strict: false } as unknown as NonNullable<
      ModelRequest["output"]
    >;
    const sent = body({ output }, "https://api.deepseek.com");
    expect(sent).toMatchObject({ response_format: { type: "json_object" } });
    expect(JSON.stringify(sent.messages)).toContain("JSON Schema");
  });

  it("sends thoughts back within the loop of tools only, and an empty text as the server wrote it", () => {
    const assistant = {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hmm", native: { api: "openai-chat", value: { reasoning_content: "Hmm" } } },
        { type: "tool_call", id: "c1", name: "f", arguments: "{}" },
      ],
      native: { api: "openai-chat", value: { content: "" } },
    } as const;
    const result = { role: "tool", content: [{ type: "tool_result", callId: "c1", name: "f", content: [] }] } as const;
    const inLoop = body({ messages: [...request.messages, assistant, result] }).messages as object[];
    expect(inLoop[1]).toMatchObject({ content: "", reasoning_content: "Hmm" });
    const after = body({ messages: [...request.messages, assistant, result, ...request.messages] })
      .messages as object[];
    expect(after[1]).not.toHaveProperty("reasoning_content");
  });

  it("shows the pictures of all results in one message after them", () => {
    const image = { type: "image", source: { base64: "AA==" }, mediaType: "image/png" } as const;
    const result = (callId: string) => ({ type: "tool_result", callId, name: "f", content: [image] }) as const;
    const sent = body({ messages: [{ role: "tool", content: [result("c1"), result("c2")] }] }).messages as {
      role: string;
    }[];
    expect(sent.map(({ role }) => role)).toEqual(["tool", "tool", "user"]);
  });
});
