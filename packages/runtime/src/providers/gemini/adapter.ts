import type { GenerateContentParameters } from "@google/genai";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider, ProviderOptions } from "../../model/provider.js";
import { ProviderError } from "../../model/provider-error.js";
import { EventStream, inOnePiece } from "../event-stream.js";
import { madeCallId } from "../history.js";
import { beginCall, keyMissing, loadSdk } from "../model-call.js";
import type { Failure } from "../provider-failure.js";
import { type GeminiChunk, GeminiReader } from "./from-stream.js";
import { toGeminiRequest } from "./to-request.js";

/** Has the fields of previews, and is what the provider's own pages and all recorded traffic use. */
const API_VERSION = "v1beta";

export async function openGemini(options: ProviderOptions): Promise<Provider> {
  const name = "google";
  const { GoogleGenAI, ApiError } = await loadSdk(() => import("@google/genai"), {
    provider: name,
    install: "@google/genai",
  });
  if (!hasCredentials(options)) {
    const message = `${name}: ${keyMissing("GEMINI_API_KEY")}`;
    throw new ProviderError(message, { code: "authentication", provider: name, retryable: false });
  }
  const base = options.baseUrl?.replace(/\/+$/, "");
  const version = /\/(v\d\w*)$/.exec(base ?? "")?.[1];
  const client = new GoogleGenAI({
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    apiVersion: version ?? process.env.GOOGLE_GENAI_API_VERSION ?? API_VERSION,
    httpOptions: {
      ...(base === undefined ? {} : { baseUrl: version === undefined ? base : base.slice(0, -version.length - 1) }),
      ...(options.headers === undefined ? {} : { headers: { ...options.headers } }),
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    },
  });
  const readFailure = (thrown: unknown): Failure | undefined =>
    // The message is the body's JSON; headers are not given.
    thrown instanceof ApiError ? { status: thrown.status, body: thrown.message, message: thrown.message } : undefined;

  function stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const call = beginCall(request, name, readFailure);
    const { contents, config, notes } = toGeminiRequest(request);
    const reader = new GeminiReader((position) => madeCallId(request.messages, position));
    const parameters = {
      model: request.model,
      contents,
      config: {
        ...config,
        abortSignal: call.signal,
        ...(request.extraBody === undefined ? {} : { httpOptions: { extraBody: request.extraBody } }),
      },
    } as unknown as GenerateContentParameters;
    return new EventStream<unknown>(call, {
      open: () =>
        (request.stream ?? true)
          ? client.models.generateContentStream(parameters)
          : inOnePiece(client.models.generateContent(parameters)),
      push: (chunk) => reader.push(chunk as GeminiChunk),
      isComplete: () => reader.isComplete,
      finish: () => [{ type: "reply", reply: reader.reply({ provider: name, model: request.model, notes }) }],
    });
  }
  return { name, stream };
}

/** Without a key the SDK would look for a Google Cloud account over the network. Whoever uses Vertex has one. */
function hasCredentials({ apiKey, headers }: ProviderOptions): boolean {
  const { GEMINI_API_KEY, GOOGLE_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_ENTERPRISE } = process.env;
  return [apiKey, headers, GEMINI_API_KEY, GOOGLE_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_ENTERPRISE].some(
    (given) => given !== undefined && given !== "",
  );
}
