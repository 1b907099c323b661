import type {
  ResponseCreateParamsNonStreaming,
  ResponseCreateParamsStreaming,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider, ProviderOptions } from "../../model/provider.js";
import { EventStream, inOnePiece } from "../event-stream.js";
import { beginCall } from "../model-call.js";
import { providerFailure } from "../provider-failure.js";
import { ResponsesReader } from "./from-responses-stream.js";
import { openClient } from "./open-client.js";
import { toResponsesRequest } from "./to-responses-request.js";

export async function openResponses(options: ProviderOptions): Promise<Provider> {
  const name = "openai";
  const { client, readFailure } = await openClient(options, name);

  function stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const call = beginCall(request, name, readFailure);
    const { body, notes } = toResponsesRequest(request);
    const sending = { signal: call.signal };
    const reader = new ResponsesReader();
    const end = {
      isComplete: () => reader.isComplete,
      finish() {
        if (reader.failed !== undefined) throw providerFailure({ body: reader.failed }, call.site);
        return [{ type: "reply", reply: reader.reply({ provider: name, model: request.model, notes }) } as const];
      },
    };
    if (body.stream === true) {
      const streamed = body as unknown as ResponseCreateParamsStreaming;
      return new EventStream<ResponseStreamEvent>(call, {
        open: async () => client.responses.create(streamed, sending),
        push: (event) => reader.push(event),
        ...end,
      });
    }
    const whole = body as unknown as ResponseCreateParamsNonStreaming;
    return new EventStream<unknown>(call, {
      open: () => inOnePiece(client.responses.create(whole, sending)),
      push: (response) => [...reader.readWhole(response as never)],
      ...end,
    });
  }
  return { name, stream };
}
