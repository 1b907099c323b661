import type { ProviderEntry } from "../../model/provider.js";
import { lowerChatTool, lowerOpenaiOutput, lowerResponsesTool } from "./lower.js";
import { chatCompat } from "./models.js";

/** OpenAI, by the Responses API: the one that has tools and reasoning together. */
export const openai = {
  lowerTools: (tools, { strict }) => tools.map((tool) => lowerResponsesTool(tool, { strict: strict !== false })),
  lowerOutput: (format, { strict }) => lowerOpenaiOutput(format, { strict: strict !== false, plain: "openai" }),
  outputMode: () => "native",
  async open(options) {
    const { openResponses } = await import("./responses-adapter.js");
    return openResponses(options);
  },
} satisfies ProviderEntry;

/** Any server that speaks Chat Completions. */
export const openaiChat = {
  lowerTools: (tools) => tools.map(lowerChatTool),
  lowerOutput: (format, { strict, baseUrl }) =>
    lowerOpenaiOutput(format, {
      strict: strict !== false && chatCompat(baseUrl).json === "strict",
      plain: "openai-chat",
    }),
  outputMode: () => "native",
  async open(options) {
    const { openChat } = await import("./chat-adapter.js");
    return openChat(options);
  },
} satisfies ProviderEntry;
