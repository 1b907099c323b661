import type { ManifestTool } from "../manifest/manifest.js";
import type { LoweredOutput, LoweredTool, OutputFormat, TargetName, WireObject } from "../model/lowered.js";
import {
  anthropicOutputWire,
  lowerAnthropicOutput,
  lowerAnthropicTool,
  lowerAnthropicTools,
} from "./anthropic/lower.js";
import { geminiOutputWire, lowerGeminiOutput, lowerGeminiTool } from "./gemini/lower.js";
import { lowerOllamaOutput, lowerOllamaTool } from "./ollama/lower.js";
import {
  chatOutputWire,
  lowerChatTool,
  lowerOpenaiOutput,
  lowerResponsesTool,
  responsesOutputWire,
} from "./openai/lower.js";

interface Target {
  lowerTool(tool: ManifestTool): LoweredTool;
  lowerOutput(format: OutputFormat): LoweredOutput;
  /** A format as it stands in the request. */
  outputWire(output: LoweredOutput): WireObject;
  /** Where limits are of the whole request, not of each tool. */
  lowerTools?(tools: readonly ManifestTool[]): readonly LoweredTool[];
}

/** Every wire form by its name, as `callsignc show --target` takes it. */
export const targets = {
  "openai-strict": {
    lowerTool: (tool) => lowerResponsesTool(tool, { strict: true }),
    lowerOutput: (format) => lowerOpenaiOutput(format, { strict: true, plain: "openai" }),
    outputWire: responsesOutputWire,
  },
  openai: {
    lowerTool: (tool) => lowerResponsesTool(tool, { strict: false }),
    lowerOutput: (format) => lowerOpenaiOutput(format, { strict: false, plain: "openai" }),
    outputWire: responsesOutputWire,
  },
  "openai-chat": {
    lowerTool: lowerChatTool,
    lowerOutput: (format) => lowerOpenaiOutput(format, { strict: false, plain: "openai-chat" }),
    outputWire: chatOutputWire,
  },
  "anthropic-strict": {
    lowerTool: (tool) => lowerAnthropicTool(tool, { strict: true }),
    lowerOutput: (format) => lowerAnthropicOutput(format, { strict: true }),
    lowerTools: (tools) => lowerAnthropicTools(tools, { strict: true }),
    outputWire: anthropicOutputWire,
  },
  anthropic: {
    lowerTool: (tool) => lowerAnthropicTool(tool, { strict: false }),
    lowerOutput: (format) => lowerAnthropicOutput(format, { strict: false }),
    outputWire: anthropicOutputWire,
  },
  gemini: { lowerTool: lowerGeminiTool, lowerOutput: lowerGeminiOutput, outputWire: geminiOutputWire },
  ollama: { lowerTool: lowerOllamaTool, lowerOutput: lowerOllamaOutput, outputWire: ({ schema }) => schema },
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

/**
 * A structured-output format as it stands in the request: `text.format` of OpenAI Responses, `response_format` of Chat
 * Completions, `output_config.format` of Anthropic, Gemini's two fields of `config`, `format` of Ollama.
 *
 * @param target What was asked for; the format itself tells whether it had to fall back to the plain form.
 */
export function outputWire(output: LoweredOutput, target: TargetName): WireObject {
  return targets[target].outputWire(output);
}
