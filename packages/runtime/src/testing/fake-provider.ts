import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fakeAnthropic } from "./anthropic/fake-anthropic.js";
import { fakeGemini } from "./gemini/fake-gemini.js";
import { fakeOllama } from "./ollama/fake-ollama.js";
import { fakeChat } from "./openai/fake-chat.js";
import { fakeResponses } from "./openai/fake-responses.js";
import { isReceived } from "./reading.js";
import type {
  Delivery,
  FakeApi,
  FakeProviderOptions,
  Memory,
  RawReply,
  ReceivedRequest,
  Scripted,
  ScriptedFailure,
} from "./scripted-reply.js";

/** A model provider on 127.0.0.1 that answers from a script and refuses what the real one refuses. */
export interface FakeProvider {
  /** For a client of any of the five APIs; OpenAI's take it with `/v1`. */
  readonly url: string;
  /** Every request that came in, also the refused ones. */
  readonly requests: readonly ReceivedRequest[];
  /** Requests that were refused, with the reason. */
  readonly refusals: readonly string[];
  /** Connections that are open at this moment. */
  readonly openResponses: number;
  /** Adds answers; each request that is right takes the next one. */
  script(...answers: readonly (Scripted | ((request: ReceivedRequest) => Scripted))[]): void;
  close(): Promise<void>;
}

/**
 * Starts a fake provider for Anthropic Messages, OpenAI Responses and Chat Completions, Gemini and Ollama at once.
 *
 * A request is checked against the provider's rules (schemas of strict tools, order of the history, signatures of
 * reasoning, forced tool choice …) before it takes an answer from the script; a wrong one gets the provider's own
 * error and takes none. Without an answer left, the reply is status 500.
 *
 * @example
 * import { startFakeProvider } from "@callsign/runtime/testing"
 *
 * const provider = await startFakeProvider()
 * provider.script({ toolCalls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3" })
 */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const apis = [
    fakeAnthropic,
    fakeChat,
    fakeResponses,
    fakeGemini({ ids: options.geminiIds ?? false }),
    fakeOllama(options),
  ];
  const answers: (Scripted | ((request: ReceivedRequest) => Scripted))[] = [];
  const requests: ReceivedRequest[] = [];
  const refusals: string[] = [];
  const memory: Memory = { replies: 0, seals: new Map(), reasoningOf: new Map() };
  let openResponses = 0;

  const server = createServer((incoming, response) => {
    openResponses += 1;
    response.on("close", () => {
      openResponses -= 1;
    });
    answer(incoming, response).catch(() => response.destroy());
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? "/";
    const api = apis.find((candidate) => candidate.accepts(path.split("?")[0]!));
    const body = await bodyOf(incoming);
    if (api === undefined || incoming.method !== "POST" || !isReceived(body)) {
      response.writeHead(api === undefined ? 404 : 400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `no such endpoint: ${incoming.method} ${path}` } }));
      return;
    }
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const request: ReceivedRequest = { api: api.name, path, headers, body };
    requests.push(request);
    const refusal = api.check(request, memory);
    if (refusal !== undefined) {
      refusals.push(refusal.message);
      await send(response, failureReply(api, refusal));
      return;
    }
    const next = answers.shift() ?? { status: 500, message: "the script of the fake provider has no answer left" };
    const scripted = typeof next === "function" ? next(request) : next;
    memory.replies += 1;
    await send(response, replyOf(api, { scripted, request, memory }));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    refusals,
    get openResponses() {
      return openResponses;
    },
    script: (...more) => {
      answers.push(...more);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
  readonly delivery: Delivery;
}

function replyOf(
  api: FakeApi,
  { scripted, request, memory }: { scripted: Scripted; request: ReceivedRequest; memory: Memory },
): Reply {
  const delivery = scripted.delivery ?? {};
  if ("raw" in scripted) return rawReply(scripted, delivery);
  if ("status" in scripted) {
    if (scripted.inStream !== true) return failureReply(api, scripted);
    const start = api.write({ text: "Hel" }, request, memory).slice(0, -1).slice(0, 3);
    const headers = { "content-type": api.streamType };
    return { status: 200, headers, pieces: [...start, api.writeStreamFailure(scripted)], delivery };
  }
  const isStream = api.isStream(request);
  const written = api.write(scripted, request, memory);
  const pieces = isStream && delivery.noise === true ? written.flatMap((piece) => [...api.noise, piece]) : written;
  const headers = { "content-type": isStream ? api.streamType : "application/json", "x-request-id": "req_fake" };
  return { status: 200, headers, pieces, delivery };
}

function rawReply({ raw, status, contentType, headers }: RawReply, delivery: Delivery): Reply {
  return {
    status: status ?? 200,
    headers: { "content-type": contentType ?? "application/json", ...headers },
    pieces: [raw],
    delivery,
  };
}

function failureReply(api: FakeApi, failure: ScriptedFailure): Reply {
  const { status, wait, delivery } = failure;
  const waits: Record<string, string> =
    wait === undefined || wait.in === "body"
      ? {}
      : wait.in === "milliseconds"
        ? { "retry-after-ms": String(wait.ms) }
        : {
            "retry-after":
              wait.in === "seconds" ? String(wait.ms / 1000) : new Date(Date.now() + wait.ms).toUTCString(),
          };
  const headers = {
    "content-type": "application/json",
    "request-id": "req_fake",
    "x-request-id": "req_fake",
    ...waits,
  };
  return { status, headers, pieces: [api.writeFailure(failure)], delivery: delivery ?? {} };
}

async function send(response: ServerResponse, { status, headers, pieces, delivery }: Reply): Promise<void> {
  if (delivery.delayMs !== undefined) await sleep(delivery.delayMs);
  response.writeHead(status, headers);
  response.flushHeaders();
  const whole = Buffer.from(pieces.join(""));
  const end = delivery.dropAfter === "terminal" ? Buffer.byteLength(pieces.slice(0, -1).join("")) : delivery.dropAfter;
  const bytes = end === undefined ? whole : whole.subarray(0, end);
  const cuts = delivery.cuts === "every-byte" ? Array.from(bytes.keys()).slice(1) : (delivery.cuts ?? []);
  let start = 0;
  for (const cut of [...cuts.filter((place) => place < bytes.length), bytes.length]) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => response.write(bytes.subarray(start, cut), () => resolve()));
    start = cut;
    if (delivery.betweenMs !== undefined) await sleep(delivery.betweenMs);
  }
  if (delivery.hang === true) return;
  if (end !== undefined) response.destroy();
  else response.end();
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}
