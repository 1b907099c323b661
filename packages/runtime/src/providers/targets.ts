import type { ManifestTool } from "../manifest/manifest.js";
import type { LoweredOutput, LoweredTool, OutputFormat, TargetName } from "../model/lowered.js";
import { lowerAnthropicOutput, lowerAnthropicTool, lowerAnthropicTools } from "./anthropic/lower.js";
import { lowerGeminiOutput, lowerGeminiTool } from "./gemini/lower.js";
import { lowerOllamaOutput, lowerOllamaTool } from "./ollama/lower.js";
import { lowerChatTool, lowerOpenaiOutput, lowerResponsesTool } from "./openai/lower.js";

interface Target {
  lowerTool(tool: ManifestTool): LoweredTool;
  lowerOutput(format: OutputFormat): LoweredOutput;
  /** Where limits are of the whole request, not of each tool. */
  lowerTools?(tools: readonly ManifestTool[]): readonly LoweredTool[];
}

/** Every wire form by its name, as `callsignc show --target` takes it. */
export const targets = {
  "openai-strict": {
    lowerTool: (tool) => lowerResponsesTool(tool, { strict: true }),
    lowerOutput: (format) => lowerOpenaiOutput(format, { strict: true, plain: "openai" }),
  },
  openai: {
    lowerTool: (tool) => lowerResponsesTool(tool, { strict: false }),
    lowerOutput: (format) => lowerOpenaiOutput(format, { strict: false, plain: "openai" }),
  },
  "openai-chat": {
    lowerTool: lowerChatTool,
    lowerOutput: (format) => lowerOpenaiOutput(format, { strict: false, plain: "openai-chat" }),
  },
  "anthropic-strict": {
    lowerTool: (tool) => lowerAnthropicTool(tool, { strict: true }),
    lowerOutput: (format) => lowerAnthropicOutput(format, { strict: true }),
    lowerTools: (tools) => lowerAnthropicTools(tools, { strict: true }),
  },
  anthropic: {
    lowerTool: (tool) => lowerAnthropicTool(tool, { strict: false }),
    lowerOutput: (format) => lowerAnthropicOutput(format, { strict: false }),
  },
  gemini: { lowerTool: lowerGeminiTool, lowerOutput: lowerGeminiOutput },
  ollama: { lowerTool: lowerOllamaTool, lowerOutput: lowerOllamaOutput },
} as const satisfies Record<TargetName, Target>;

/**
 * One tool as one provider would get it. A strict target falls back to the plain form of the same provider when the
 * schema does not fit; `strict`, `target` and `notes` of the result say so.
 */
export function lowerTool(tool: ManifestTool, target: TargetName): LoweredTool {
  return targets[target].lowerTool(tool);
}

/** All tools of one request as one provider would get them: some limits are of the request. */
export function lowerTools(tools: readonly ManifestTool[], target: TargetName): readonly LoweredTool[] {
  const entry: Target = targets[target];
  return entry.lowerTools?.(tools) ?? tools.map((tool) => entry.lowerTool(tool));
}

/** A structured-output format as one provider would get it. */
export function lowerOutput(format: OutputFormat, target: TargetName): LoweredOutput {
  return targets[target].lowerOutput(format);
}
