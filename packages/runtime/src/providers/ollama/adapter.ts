import type { ChatRequest } from "ollama";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider, ProviderOptions } from "../../model/provider.js";
import { EventStream, inOnePiece } from "../event-stream.js";
import { madeCallId } from "../history.js";
import { beginCall, loadSdk } from "../model-call.js";
import { type Failure, providerFailure } from "../provider-failure.js";
import { type OllamaLine, OllamaReader } from "./from-stream.js";
import { toOllamaRequest } from "./to-request.js";

const DEFAULT_HOST = "http://127.0.0.1:11434";

export async function openOllama(options: ProviderOptions): Promise<Provider> {
  const name = "ollama";
  const { Ollama } = await loadSdk(() => import("ollama/browser"), { provider: name, install: "ollama" });
  const host = (options.baseUrl ?? process.env.OLLAMA_HOST ?? DEFAULT_HOST).replace(/\/(?:api|v1)?\/?$/, "");
  const key = options.apiKey ?? process.env.OLLAMA_API_KEY;
  const headers = { ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }), ...options.headers };
  const send = options.fetch ?? globalThis.fetch;

  function stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    let isAnswered = false;
    const call = beginCall(request, name, (thrown) => (isAnswered ? readFailure(thrown) : undefined));
    const { body, notes } = toOllamaRequest(request);
    const reader = new OllamaReader((position) => madeCallId(request.messages, position));
    // The SDK can abort all streams of a client, but not one, and reports no headers: so each request has its own.
    const client = new Ollama({
      host: /^https?:/.test(host) ? host : `http://${host}`,
      headers,
      fetch: async (url: Parameters<typeof fetch>[0], init?: RequestInit) => {
        const response = await send(url, { ...init, signal: call.signal });
        // Read here: the SDK writes to the console about a body that is not JSON.
        if (!response.ok) {
          const { status, headers: received } = response;
          throw providerFailure({ status, headers: received, body: await response.text() }, call.site);
        }
        isAnswered = true;
        return response;
      },
    });
    return new EventStream<unknown>(call, {
      open: async () =>
        body.stream === true
          ? client.chat(body as unknown as ChatRequest & { stream: true })
          : inOnePiece(client.chat(body as unknown as ChatRequest & { stream: false })),
      push: (line) => reader.push(line as OllamaLine),
      isComplete: () => reader.isComplete,
      finish: () => [{ type: "reply", reply: reader.reply({ provider: name, model: request.model, notes }) }],
    });
  }
  return { name, stream };
}

/** An error line in mid-stream is a plain Error; what the transport throws is none. */
function readFailure(thrown: unknown): Failure | undefined {
  const isPlain = thrown instanceof Error && thrown.constructor === Error && thrown.cause === undefined;
  if (!isPlain || thrown.message.startsWith("Did not receive done")) return undefined;
  return { body: { error: thrown.message }, message: thrown.message };
}
