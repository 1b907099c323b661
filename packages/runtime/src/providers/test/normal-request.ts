import type { Json } from "../../manifest/json-schema.js";
import type { AssistantMessage, Message } from "../../model/messages.js";
import type { ModelRequest } from "../../model/provider.js";

/** What of a request decides its answer, as JSON: how it is sent, and how long one waits, is not among it. */
export type NormalRequest = { readonly [name: string]: Json };

export function normalRequest(request: ModelRequest): NormalRequest {
  const { system, messages, tools, toolChoice, parallelToolCalls, output } = request;
  const { reasoningEffort, maxTokens, temperature, topP, stopSequences, extraBody } = request;
  const normal = {
    system,
    messages: messages.map(withoutOrigin),
    tools: tools?.map(({ wire }) => wire),
    toolChoice,
    parallelToolCalls,
    output: output && { name: output.name, description: output.description, schema: output.schema },
    reasoningEffort,
    maxTokens,
    temperature,
    topP,
    stopSequences,
    extraBody,
  };
  // Leaves out what is undefined.
  return JSON.parse(JSON.stringify(normal)) as NormalRequest;
}

/** The name of a model is another one when it is recorded and when it is replayed. */
function withoutOrigin(message: Message): Message {
  if (message.role !== "assistant") return message;
  const { model: _, boundTo: __, ...rest } = message;
  return rest as AssistantMessage;
}
