import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionCreateParamsStreaming,
} from "openai/resources/chat/completions";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider, ProviderOptions } from "../../model/provider.js";
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

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const call = beginCall(request, name, readFailure);
    const { body, notes } = toChatRequest(request, compat);
    const reader = new ChatReader();
    try {
      const sending = { signal: call.signal };
      if (body.stream === true) {
        const chunks = await client.chat.completions.create(
          body as unknown as ChatCompletionCreateParamsStreaming,
          sending,
        );
        call.answered();
        try {
          for await (const chunk of chunks) {
            const seen = reader.push(chunk as unknown as ChatChunk);
            if (seen === undefined) continue;
            if ("type" in seen) yield seen;
            else yield* seen;
          }
        } catch (thrown) {
          // The reply was finished: all that is lost is its `[DONE]`, and maybe the usage.
          if (!reader.isComplete || call.failure(thrown).code !== "cut") throw thrown;
        }
      } else {
        const whole = (await client.chat.completions.create(
          body as unknown as ChatCompletionCreateParamsNonStreaming,
          sending,
        )) as unknown as ChatChunk;
        // Gateways answer 200 to what went wrong behind them.
        if (whole.error !== undefined && whole.error !== null) throw providerFailure({ body: whole }, call.site);
        const seen = reader.push(whole);
        if (seen !== undefined) yield* "type" in seen ? [seen] : seen;
      }
      if (!reader.isComplete) throw call.cut();
      yield* reader.end();
      const callId = (position: number) => madeCallId(request.messages, position);
      yield { type: "reply", reply: reader.reply({ provider: name, model: request.model, notes, callId }) };
    } catch (thrown) {
      throw call.failure(thrown);
    } finally {
      call.end();
    }
  }
  return { name, stream };
}
