import type {
  ResponseCreateParamsNonStreaming,
  ResponseCreateParamsStreaming,
} from "openai/resources/responses/responses";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider, ProviderOptions } from "../../model/provider.js";
import { beginCall } from "../model-call.js";
import { providerFailure } from "../provider-failure.js";
import { ResponsesReader } from "./from-responses-stream.js";
import { openClient } from "./open-client.js";
import { toResponsesRequest } from "./to-responses-request.js";

export async function openResponses(options: ProviderOptions): Promise<Provider> {
  const name = "openai";
  const { client, readFailure } = await openClient(options, name);

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const call = beginCall(request, name, readFailure);
    const { body, notes } = toResponsesRequest(request);
    const reader = new ResponsesReader();
    try {
      const sending = { signal: call.signal };
      if (body.stream === true) {
        const events = await client.responses.create(body as unknown as ResponseCreateParamsStreaming, sending);
        call.answered();
        for await (const event of events) {
          const seen = reader.push(event);
          if (seen !== undefined) yield seen;
        }
      } else {
        const response = await client.responses.create(body as unknown as ResponseCreateParamsNonStreaming, sending);
        yield* reader.readWhole(response as never);
      }
      if (!reader.isComplete) throw call.cut();
      if (reader.failed !== undefined) throw providerFailure({ body: reader.failed }, call.site);
      yield { type: "reply", reply: reader.reply({ provider: name, model: request.model, notes }) };
    } catch (thrown) {
      throw call.failure(thrown);
    } finally {
      call.end();
    }
  }
  return { name, stream };
}
