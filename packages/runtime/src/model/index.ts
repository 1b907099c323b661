export type {
  DroppedKeyword,
  LoweredOutput,
  LoweredSchema,
  LoweredTool,
  OutputFormat,
  TargetName,
  WireObject,
} from "./lowered.js";
export type {
  AssistantMessage,
  AssistantPart,
  ImagePart,
  Message,
  NativeData,
  NativePart,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from "./messages.js";
export type { ModelEvent, ModelReply, StopReason } from "./model-events.js";
export type {
  ChatCompat,
  LowerOptions,
  ModelRequest,
  OutputMode,
  OutputModeOptions,
  Provider,
  ProviderEntry,
  ProviderOptions,
  ReasoningEffort,
  ToolChoice,
} from "./provider.js";
export { ProviderError, type ProviderErrorCode } from "./provider-error.js";
export type { Usage } from "./usage.js";
