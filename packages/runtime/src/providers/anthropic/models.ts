import type { ReasoningEffort } from "../../model/provider.js";

/** What a Claude model takes. Source: the provider's model pages as of November 2026; one row per generation. */
export interface ClaudeModel {
  /** Strict tools and `output_config.format`. */
  readonly strict: boolean;
  /** Whether `tool_choice` may be `any` or `tool`. */
  readonly forcedChoice: boolean;
  /** - `adaptive` effort only; - `budget` `budget_tokens`; - `none` no thinking at all. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** How thinking is turned off; undefined: it cannot be. */
  readonly off: "omit" | "disabled" | "between_tools" | undefined;
  readonly efforts: readonly ReasoningEffort[];
  readonly defaultMaxTokens: number;
}

const FIVE_LEVELS: readonly ReasoningEffort[] = ["low", "medium", "high", "xhigh", "max"];
const FOUR_LEVELS: readonly ReasoningEffort[] = ["low", "medium", "high", "max"];

export function claudeModel(name: string): ClaudeModel {
  const parsed = parse(name);
  // A model that is not known is taken for a current one.
  const { family, version } = parsed ?? { family: "opus", version: 5.5 };
  const isAlwaysThinking = family === "fable" || family === "mythos" || (family === "opus" && version >= 5.5);
  if (version >= 4.6) {
    return {
      strict: true,
      forcedChoice: family !== "fable" && family !== "mythos" && version < 5.5,
      thinking: "adaptive",
      off: isAlwaysThinking ? undefined : offSwitch(family, version),
      efforts: version >= 4.7 ? FIVE_LEVELS : FOUR_LEVELS,
      defaultMaxTokens: 32_000,
    };
  }
  return {
    strict: version >= 4.5 || (family === "opus" && version >= 4.1),
    forcedChoice: true,
    thinking: version >= 3.7 ? "budget" : "none",
    off: "omit",
    efforts: family === "opus" && version >= 4.5 ? ["low", "medium", "high"] : [],
    defaultMaxTokens: version >= 3.7 ? 32_000 : version >= 3.5 ? 8_192 : 4_096,
  };
}

function offSwitch(family: string, version: number): "omit" | "disabled" | "between_tools" {
  if (version < 5) return "omit";
  return family === "sonnet" && version >= 5.5 ? "between_tools" : "disabled";
}

/** `claude-opus-5-5`, `claude-haiku-4-5-20251001`, `claude-3-5-sonnet-latest`, with any prefix before it. */
function parse(name: string): { readonly family: string; readonly version: number } | undefined {
  const current = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name);
  if (current !== null) return { family: current[1]!, version: Number(`${current[2]}.${current[3] ?? 0}`) };
  const old = /claude-(\d)(?:[-.](\d))?-(opus|sonnet|haiku)/.exec(name);
  if (old !== null) return { family: old[3]!, version: Number(`${old[1]}.${old[2] ?? 0}`) };
  return /claude-(?:2|instant)/.test(name) ? { family: "sonnet", version: 2 } : undefined;
}
