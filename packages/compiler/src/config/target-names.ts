import type { TargetName } from "@callsign/runtime/providers";

/** The targets, for the command line and the configuration: the lowerings themselves are loaded only to be used. */
const LISTED = {
  "openai-strict": true,
  openai: true,
  "openai-chat": true,
  "anthropic-strict": true,
  anthropic: true,
  gemini: true,
  ollama: true,
} satisfies Record<TargetName, true>;

export const TARGET_NAMES = Object.keys(LISTED) as readonly TargetName[];
