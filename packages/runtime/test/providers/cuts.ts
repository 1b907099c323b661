import fc from "fast-check";
import { fakeAnthropic } from "../../src/testing/anthropic/fake-anthropic.js";
import { fakeGemini } from "../../src/testing/gemini/fake-gemini.js";
import { fakeOllama } from "../../src/testing/ollama/fake-ollama.js";
import { fakeChat } from "../../src/testing/openai/fake-chat.js";
import { fakeResponses } from "../../src/testing/openai/fake-responses.js";
import { type Answer, ask, type Heard } from "./ask-recording.js";
import { type Recording, recordings } from "./read-recording.js";

/** Streams of our own writing, and the recorded ones where they are: any cut of their network chunks must give the same. */
export function wholeStreams(): readonly Recording[] {
  return [...ownStreams(), ...recordings().filter(({ isStream, response }) => isStream && response.status === 200)];
}

/** Each API's stream of one reply with all that a cut could damage: long characters, escapes, parallel calls. */
function ownStreams(): readonly Recording[] {
  const reply = {
    reasoning: 'Grüße 🚀 "quoted"',
    text: "日本\u2028 \\ tab\t🇩🇪",
    toolCalls: [
      { name: "note", arguments: { text: "ä🚀\n", deep: { list: [1, "\u0000"] } } },
      { name: "ping", arguments: {} },
    ],
  };
  const apis = [
    ["anthropic", fakeAnthropic, "claude-sonnet-5", "/v1/messages"],
    ["openai", fakeResponses, "gpt-6-luna", "/v1/responses"],
    ["openai-chat", fakeChat, "gpt-4.1", "/v1/chat/completions"],
    ["google", fakeGemini({ ids: false }), "gemini-3.8-flash", "/v1/models/gemini-3.8-flash:streamGenerateContent"],
    ["ollama", fakeOllama({}), "qwen3", "/api/chat"],
  ] as const;
  return apis.map(([provider, api, model, path]) => {
    const body = { model, messages: [], stream: true, stream_options: { include_usage: true } };
    const memory = { replies: 1, seals: new Map(), reasoningOf: new Map() };
    const pieces = api.write(reply, { api: api.name, path, headers: {}, body }, memory);
    const text = pieces.flatMap((piece) => [...api.noise, piece]).join("");
    const response = { status: 200, contentType: api.streamType, body: text };
    return { file: `own/${api.name}`, provider, model, isStream: true, response };
  });
}

export function answerOf({ response }: Recording): Answer {
  return { ...response, body: new TextEncoder().encode(response.body) };
}

export function hear(recording: Recording, answer: Partial<Answer> = {}): Promise<Heard> {
  const { provider, model } = recording;
  return ask(provider, { ...answerOf(recording), ...answer }, { model, stream: true });
}

/** Inside characters of several bytes, inside `\u` and other escapes, and at the ends of lines. */
export function delicateCuts(body: Uint8Array): readonly number[] {
  const cuts = new Set<number>();
  for (let place = 1; place < body.length; place += 1) {
    const [before, here] = [body[place - 1]!, body[place]!];
    const isInsideCharacter = (here & 0xc0) === 0x80;
    const isAtLineEnd = [10, 13].includes(before) || [10, 13].includes(here);
    const isInsideEscape = before === BACKSLASH || [2, 3, 4, 5].some((back) => isUnicodeEscape(body, place - back));
    if (isInsideCharacter || isAtLineEnd || isInsideEscape) cuts.add(place);
  }
  return [...cuts];
}

const BACKSLASH = 92;

function isUnicodeEscape(body: Uint8Array, place: number): boolean {
  return body[place] === BACKSLASH && body[place + 1] === 117;
}

/** 200 places, the same in every run. */
export function seededCuts(length: number): readonly number[] {
  return fc.sample(fc.integer({ min: 1, max: Math.max(1, length - 1) }), { numRuns: 200, seed: 20_261_129 });
}

export function everyCut(length: number): readonly number[] {
  return Array.from({ length: length - 1 }, (_, index) => index + 1);
}

/** The events, and the reply as JSON: equal bytes mean equal behaviour. */
export function told({ reply, error, text, reasoning }: Heard): string {
  return JSON.stringify({ text, reasoning, reply, error });
}

/** Where the event that ends a reply begins, so that a stream that ends before it is cut. */
export function beforeTerminal(recording: Recording): number | undefined {
  const { body } = recording.response;
  const marks: Record<Recording["provider"], RegExp> = {
    anthropic: /event: message_stop|data: ?\{"type": ?"message_stop"/g,
    openai:
      /event: response\.(?:completed|incomplete|failed)|data: ?\{[^\n]*"type": ?"response\.(?:completed|incomplete|failed)"/g,
    "openai-chat": /data: ?\{[^\n]*"finish_reason": ?"/g,
    google: /data: ?\{[^\n]*"finishReason"/g,
    ollama: /\{[^\n]*"done": ?true/g,
  };
  const first = [...body.matchAll(marks[recording.provider])][0];
  return first === undefined ? undefined : new TextEncoder().encode(body.slice(0, first.index)).length;
}
