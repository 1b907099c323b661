import type { AssistantPart } from "../../model/messages.js";
import type { ModelRequest } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";

const CHARACTERS_OF_A_TOKEN = 4;

/** What a model without a tokenizer says that it used. */
export function estimateUsage(request: ModelRequest, content: readonly AssistantPart[]): Usage {
  const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / CHARACTERS_OF_A_TOKEN);
  return { inputTokens: tokens(request.messages), outputTokens: tokens(content) };
}
