import type {
  Message,
  MessageCreateParamsNonStreaming,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider, ProviderOptions } from "../../model/provider.js";
import { EventStream, inOnePiece } from "../event-stream.js";
import { beginCall, keyMissing, loadSdk } from "../model-call.js";
import type { Failure } from "../provider-failure.js";
import { AnthropicReader } from "./from-stream.js";
import { toAnthropicRequest } from "./to-request.js";

/** The SDK would refuse a long reply in one piece without a limit of time; ours is the caller's. */
const NO_LIMIT_MS = 2 ** 31 - 1;

export async function openAnthropic(options: ProviderOptions): Promise<Provider> {
  const name = "anthropic";
  const {
    default: Anthropic,
    APIError,
    APIConnectionError,
    APIUserAbortError,
  } = await loadSdk(() => import("@anthropic-ai/sdk"), { provider: name, install: "@anthropic-ai/sdk" });
  const client = new Anthropic({
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    ...(options.baseUrl === undefined ? {} : { baseURL: options.baseUrl.replace(/\/v1\/?$|\/$/, "") }),
    ...(options.headers === undefined ? {} : { defaultHeaders: options.headers }),
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    maxRetries: 0,
    // It would print pieces of replies; what there is to know stands in our errors.
    ...(process.env.ANTHROPIC_LOG === undefined ? { logLevel: "off" as const } : {}),
  });
  const readFailure = (thrown: unknown): Failure | undefined => {
    // The SDK looks for a key, a token and its own profiles when the first request is made.
    if (thrown instanceof Error && thrown.message.startsWith("Could not resolve authentication method")) {
      return { status: 401, message: keyMissing("ANTHROPIC_API_KEY"), cause: thrown };
    }
    if (!(thrown instanceof APIError) || thrown instanceof APIConnectionError || thrown instanceof APIUserAbortError) {
      return undefined;
    }
    return { status: thrown.status, headers: thrown.headers, body: thrown.error, message: thrown.message };
  };

  function stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const call = beginCall(request, name, readFailure);
    const { body, notes } = toAnthropicRequest(request);
    const sending = { signal: call.signal, timeout: request.timeoutMs ?? NO_LIMIT_MS };
    const reader = new AnthropicReader();
    const end = {
      isComplete: () => reader.isComplete,
      finish: () => [{ type: "reply", reply: reader.reply({ provider: name, model: request.model, notes }) } as const],
    };
    if (body.stream === true) {
      const streamed = body as unknown as MessageCreateParamsStreaming;
      return new EventStream<RawMessageStreamEvent>(call, {
        open: async () => client.messages.create(streamed, sending),
        push: (event) => reader.push(event),
        ...end,
      });
    }
    const whole = body as unknown as MessageCreateParamsNonStreaming;
    return new EventStream<Message>(call, {
      open: () => inOnePiece(client.messages.create(whole, sending)),
      push: (message) => [...reader.readWhole(message)],
      ...end,
    });
  }
  return { name, stream };
}
