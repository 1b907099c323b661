import type { ProviderEntry } from "../../model/provider.js";
import { lowerAnthropicOutput, lowerAnthropicTools } from "./lower.js";
import { claudeModel } from "./models.js";

/** Claude, by the Messages API. */
export const anthropic = {
  lowerTools: (tools, { model, strict, beside }) =>
    lowerAnthropicTools(tools, {
      strict: strict !== false && claudeModel(model).strict,
      ...(beside === undefined ? {} : { beside }),
    }),
  lowerOutput: (format, { model }) => lowerAnthropicOutput(format, { strict: claudeModel(model).strict }),
  // A tool that has to be forced is refused by current models: there only the native form is left.
  outputMode(model, { output }) {
    const { strict, forcedChoice } = claudeModel(model);
    return forcedChoice && (!strict || output?.strict === false) ? "tool" : "native";
  },
  async open(options) {
    const { openAnthropic } = await import("./adapter.js");
    return openAnthropic(options);
  },
} satisfies ProviderEntry;
