// biome-ignore-all lint/suspicious/noExplicitAny: a second reader that trusts the fixtures it was written for.
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A recorded exchange of ../shared/recordings. */
export interface Recording {
  readonly file: string;
  readonly provider: "anthropic" | "openai" | "openai-chat" | "google" | "ollama";
  readonly model: string;
  readonly isStream: boolean;
  readonly response: { readonly status: number; readonly contentType: string; readonly body: string };
}

/** What a reader of its own, written for this test alone, finds in a recording. */
export interface Expected {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number };
  readonly stop: string;
}

const FOLDER = new URL("../../../../../shared/recordings/", import.meta.url);

/** All recordings; none where the folder does not exist. */
export function recordings(): readonly Recording[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => {
      const { api, provider, request, response } = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
      return {
        file,
        // Two fixtures of a native chat hold a completion in truth.
        provider: response.body.includes('"chat.completion') ? "openai-chat" : providerOf(provider, api),
        model: String(request?.model ?? request?._model_in_path ?? "some-model").replace(/^models\//, ""),
        isStream: /event-stream|x-ndjson/.test(response.contentType),
        response,
      };
    });
}

function providerOf(provider: string, api: string): Recording["provider"] {
  if (api === "messages") return "anthropic";
  if (api.endsWith("responses")) return "openai";
  if (api.includes("enerateContent")) return "google";
  return provider === "ollama" && api === "native-chat" ? "ollama" : "openai-chat";
}

/** The JSON of each event of a stream, by a plain split of the text. */
export function eventsOf({ response }: Recording): any[] {
  if (response.contentType.includes("ndjson")) {
    return response.body
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line));
  }
  return response.body
    .split(/\r?\n\r?\n/)
    .map((block) => [...block.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data!.replace(/\r$/, "")).join("\n"))
    .filter((data) => data.trim() !== "" && data !== "[DONE]")
    .map((data) => JSON.parse(data));
}

/** Reads a recording of status 200 without our adapters. */
export function expectedOf(recording: Recording): Expected {
  const events = recording.isStream ? eventsOf(recording) : [JSON.parse(recording.response.body)];
  switch (recording.provider) {
    case "anthropic":
      return recording.isStream ? anthropicStream(events) : anthropicWhole(events[0]);
    case "openai":
      return responses(recording.isStream ? finalResponse(events) : events[0], events);
    case "openai-chat":
      return chat(events);
    case "google":
      return gemini(events);
    case "ollama":
      return ollama(events);
  }
}

function anthropicWhole(message: any): Expected {
  const { usage } = message;
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  const blocks: any[] = message.content;
  const calls = blocks.filter(({ type }) => type === "tool_use").map(({ name, input }) => ({ name, args: input }));
  return {
    text: blocks
      .filter(({ type }) => type === "text")
      .map(({ text }) => text)
      .join(""),
    calls,
    usage: { inputTokens: usage.input_tokens + cached, outputTokens: usage.output_tokens },
    stop: anthropicStop(message.stop_reason, calls.length),
  };
}

function anthropicStream(events: any[]): Expected {
  const start = events.find(({ type }) => type === "message_start").message;
  const end = events.findLast(({ type }) => type === "message_delta");
  const content = events
    .filter(({ type }) => type === "content_block_start")
    .map(({ index, content_block }) => {
      const deltas = events.filter((event) => event.type === "content_block_delta" && event.index === index);
      const join = (key: string) => deltas.map(({ delta }) => delta[key] ?? "").join("");
      if (content_block.type === "text") return { type: "text", text: content_block.text + join("text") };
      if (content_block.type !== "tool_use") return content_block;
      return { ...content_block, input: JSON.parse(join("partial_json") || "{}") };
    });
  const usage = {
    ...start.usage,
    ...Object.fromEntries(Object.entries(end.usage).filter(([, value]) => value !== null)),
  };
  return anthropicWhole({ content, usage, stop_reason: end.delta.stop_reason });
}

function anthropicStop(reason: string, calls: number): string {
  const fixed: Record<string, string> = { max_tokens: "length", refusal: "refusal", pause_turn: "pause" };
  if (fixed[reason] !== undefined && !(reason === "pause_turn" && calls > 0)) return fixed[reason]!;
  if (calls > 0) return "tool";
  return ["end_turn", "stop_sequence"].includes(reason) ? "end" : "error";
}

function finalResponse(events: any[]): any {
  return events.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(type))?.response;
}

function responses(response: any, events: any[]): Expected {
  const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  const output: any[] = done.length > 0 ? done : (response.output ?? []);
  const calls = output
    .filter(({ type }) => type === "function_call")
    .map(({ name, arguments: text }) => ({ name, args: JSON.parse(text || "{}") }));
  const parts = output.filter(({ type }) => type === "message").flatMap(({ content }) => content ?? []);
  const reason = response.incomplete_details?.reason;
  const isRefused = reason === "content_filter" || parts.some(({ type }) => type === "refusal");
  return {
    text: parts.map(({ text, refusal }) => text ?? refusal ?? "").join(""),
    calls,
    usage:
      response.usage === null || response.usage === undefined
        ? {}
        : { inputTokens: response.usage.input_tokens, outputTokens: response.usage.output_tokens },
    stop:
      reason === "max_output_tokens"
        ? "length"
        : isRefused
          ? "refusal"
          : calls.length > 0
            ? "tool"
            : response.status === "completed"
              ? "end"
              : "error",
  };
}

function chat(chunks: any[]): Expected {
  const choices = chunks.flatMap((chunk) => chunk.choices?.slice(0, 1) ?? []);
  const deltas = choices.map(({ delta, message }) => delta ?? message ?? {});
  const calls = new Map<number, { name: string; text: string }>();
  for (const [position, delta] of deltas.entries()) {
    for (const [place, call] of (delta.tool_calls ?? []).entries()) {
      // Whole messages number all calls 0 on some servers.
      const key = choices[position].message === undefined ? (call.index ?? position * 100 + place) : place;
      const before = calls.get(key) ?? { name: "", text: "" };
      calls.set(key, {
        name: before.name || (call.function?.name ?? ""),
        text: before.text + (call.function?.arguments ?? ""),
      });
    }
  }
  const usages = chunks
    .map((chunk) => chunk.usage ?? chunk.x_groq?.usage)
    .filter((usage) => usage !== null && usage !== undefined);
  const usage = usages.at(-1);
  const finish = choices
    .map(({ finish_reason }) => finish_reason)
    .find((reason) => reason !== null && reason !== undefined);
  const content = deltas
    .map((delta) =>
      Array.isArray(delta.content)
        ? delta.content
            .filter((part: any) => part.type === "text")
            .map((part: any) => part.text)
            .join("")
        : (delta.content ?? ""),
    )
    .join("");
  const list = [...calls.values()].map(({ name, text }) => ({ name, args: JSON.parse(text || "{}") }));
  const isRefused =
    finish === "content_filter" || deltas.some(({ refusal }) => typeof refusal === "string" && refusal !== "");
  return {
    text: content.replace(/^\s*<think>[\s\S]*?<\/think>\s*/, ""),
    calls: list,
    usage: usage === undefined ? {} : { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens },
    stop:
      finish === "length"
        ? "length"
        : isRefused
          ? "refusal"
          : list.length > 0
            ? "tool"
            : finish === "error"
              ? "error"
              : "end",
  };
}

function gemini(chunks: any[]): Expected {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const calls: { name: string; args: any }[] = [];
  for (const { functionCall: call } of parts) {
    if (call === undefined) continue;
    if (call.name !== undefined) calls.push({ name: call.name, args: call.args ?? {} });
    for (const piece of call.partialArgs ?? []) {
      const keys = piece.jsonPath
        .slice(2)
        .split(/[.[\]]+/)
        .filter(Boolean);
      let place = calls.at(-1)!.args;
      for (const [position, key] of keys.slice(0, -1).entries())
        place = place[key] ??= /^\d+$/.test(keys[position + 1]!) ? [] : {};
      const last = keys.at(-1)!;
      place[last] = piece.numberValue ?? (place[last] ?? "") + piece.stringValue;
    }
  }
  const usage = chunks
    .map((chunk) => chunk.usageMetadata)
    .filter((found) => found !== undefined)
    .at(-1);
  const finish = chunks
    .map((chunk) => chunk.candidates?.[0]?.finishReason ?? chunk.promptFeedback?.blockReason)
    .filter((reason) => reason !== undefined)
    .at(-1);
  const fixed: Record<string, string> = {
    MAX_TOKENS: "length",
    SAFETY: "refusal",
    PROHIBITED_CONTENT: "refusal",
    RECITATION: "refusal",
    MALFORMED_FUNCTION_CALL: "malformed",
    UNEXPECTED_TOOL_CALL: "malformed",
  };
  const out = usage?.candidatesTokenCount ?? usage?.thoughtsTokenCount;
  return {
    text: parts
      .filter((part) => part.thought !== true)
      .map((part) => part.text ?? "")
      .join(""),
    calls,
    usage: {
      ...(usage?.promptTokenCount === undefined
        ? {}
        : { inputTokens: usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0) }),
      ...(out === undefined
        ? {}
        : { outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0) }),
    },
    stop: fixed[finish] ?? (calls.length > 0 ? "tool" : finish === "STOP" ? "end" : "error"),
  };
}

function ollama(lines: any[]): Expected {
  const last = lines.findLast(({ done }) => done === true);
  const calls = lines
    .flatMap(({ message }) => message?.tool_calls ?? [])
    .map((call) => ({ name: call.function.name, args: call.function.arguments ?? {} }));
  return {
    text: lines.map(({ message }) => message?.content ?? "").join(""),
    calls,
    usage: {
      ...(last.prompt_eval_count === undefined ? {} : { inputTokens: last.prompt_eval_count }),
      ...(last.eval_count === undefined ? {} : { outputTokens: last.eval_count }),
    },
    stop: last.done_reason === "length" ? "length" : calls.length > 0 ? "tool" : "end",
  };
}
