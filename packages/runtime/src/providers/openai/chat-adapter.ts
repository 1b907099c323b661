import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
} from "openai/resources/chat/completions";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider, ProviderOptions } from "../../model/provider.js";
import { EventStream, inOnePiece } from "../event-stream.js";
import { madeCallId } from "../history.js";
import { beginCall } from "../model-call.js";
import { providerFailure } from "../provider-failure.js";
import { type ChatChunk, ChatReader } from "./from-chat-stream.js";
import { chatCompat } from "./models.js";
import { openClient } from "./open-client.js";
import { toChatRequest } from "./to-chat-request.js";

export async function openChat(options: ProviderOptions): Promise<Provider> {
  const name = "openai-chat";
  const { client, readFailure } = await openClient(options, name);
  const compat = chatCompat(options.baseUrl, options.compat);

  function stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const call = beginCall(request, name, readFailure);
    const { body, notes } = toChatRequest(request, compat);
    const sending = { signal: call.signal };
    const reader = new ChatReader();
    const callId = (position: number) => madeCallId(request.messages, position);
    const streamed = body as unknown as ChatCompletionCreateParamsStreaming;
    const whole = body as unknown as ChatCompletionCreateParamsNonStreaming;
    return new EventStream<unknown>(call, {
      open: async () =>
        body.stream === true
          ? client.chat.completions.create(streamed, sending)
          : inOnePiece(client.chat.completions.create(whole, sending)),
      push(chunk) {
        const { error } = chunk as ChatChunk;
        // Gateways answer 200 to what went wrong behind them.
        if (error !== undefined && error !== null) throw providerFailure({ body: chunk }, call.site);
        return reader.push(chunk as ChatChunk);
      },
      isComplete: () => reader.isComplete,
      // All that is lost after the finish reason is `[DONE]`, and maybe the usage.
      endsEarly: true,
      finish: () => [
        ...reader.end(),
        { type: "reply", reply: reader.reply({ provider: name, model: request.model, notes, callId }) },
      ],
    });
  }
  return { name, stream };
}
