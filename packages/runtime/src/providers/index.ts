import type { ProviderEntry } from "../model/provider.js";
import { anthropic } from "./anthropic/entry.js";
import { gemini } from "./gemini/entry.js";
import { ollama } from "./ollama/entry.js";
import { openai, openaiChat } from "./openai/entry.js";
import { testModels } from "./test/entry.js";

export type {
  AssistantMessage,
  AssistantPart,
  ChatCompat,
  DroppedKeyword,
  ImagePart,
  LoweredOutput,
  LoweredSchema,
  LoweredTool,
  LowerOptions,
  Message,
  ModelEvent,
  ModelReply,
  ModelRequest,
  NativeData,
  NativePart,
  OutputFormat,
  OutputMode,
  OutputModeOptions,
  Provider,
  ProviderEntry,
  ProviderErrorCode,
  ProviderOptions,
  ReasoningEffort,
  ReasoningPart,
  StopReason,
  SystemMessage,
  TargetName,
  TextPart,
  ToolCallPart,
  ToolChoice,
  ToolMessage,
  ToolResultPart,
  Usage,
  UserMessage,
  WireObject,
} from "../model/index.js";
export { ProviderError } from "../model/index.js";
export { withoutReasoning } from "./history.js";
export { measureSchema, type SchemaSize } from "./lowering/measure-schema.js";
export { lowerOutput, lowerTool, lowerTools, outputWire, targets } from "./targets.js";

const remote = {
  anthropic,
  openai,
  "openai-chat": openaiChat,
  google: gemini,
  gemini,
  ollama,
} satisfies Record<string, ProviderEntry>;

/** THE TABLE of providers, by the first part of a model's name. */
export const providers = { ...remote, test: testModels(remote) } satisfies Record<string, ProviderEntry>;
