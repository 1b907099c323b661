import type { ProviderEntry } from "../../model/provider.js";
import { lowerOllamaOutput, lowerOllamaTool } from "./lower.js";

/** A local or hosted Ollama server, by its own chat API. */
export const ollama = {
  lowerTools: (tools) => tools.map(lowerOllamaTool),
  lowerOutput: (format) => lowerOllamaOutput(format),
  // With both, the grammar of the format keeps the model from calling any tool.
  outputMode: (_model, { tools }) => (tools ? "after-tools" : "native"),
  async open(options) {
    const { openOllama } = await import("./adapter.js");
    return openOllama(options);
  },
} satisfies ProviderEntry;
