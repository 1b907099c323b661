import type { ProviderEntry } from "../../model/provider.js";
import { lowerGeminiOutput, lowerGeminiTool } from "./lower.js";
import { geminiModel } from "./models.js";

/** Gemini, by generateContent. */
export const gemini = {
  lowerTools: (tools) => tools.map(lowerGeminiTool),
  lowerOutput: (format) => lowerGeminiOutput(format),
  outputMode: (model, { tools }) => (tools && !geminiModel(model).isThree ? "after-tools" : "native"),
  async open(options) {
    const { openGemini } = await import("./adapter.js");
    return openGemini(options);
  },
} satisfies ProviderEntry;
