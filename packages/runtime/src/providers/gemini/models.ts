import type { ReasoningEffort } from "../../model/provider.js";

/** What a Gemini model takes. */
export interface GeminiModel {
  /** JSON output beside tools, images in results, checked signatures: all came with 3. */
  readonly isThree: boolean;
  readonly thinking: "level" | "budget" | "none";
  readonly levels: readonly ReasoningEffort[];
  /** The least budget: 0 turns thinking off where that is possible. */
  readonly leastBudget: number;
}

export function geminiModel(name: string): GeminiModel {
  const found = /gemini-(\d+(?:\.\d+)?)/.exec(name);
  // A name without a number (`gemini-flash-latest`) is a current model.
  const version = Number(found?.[1] ?? 3);
  const hasMinimal = !/gemini-4-argon|3\.7-flash|pro/.test(name);
  return {
    isThree: version >= 3,
    thinking: version >= 3 ? "level" : version >= 2.5 ? "budget" : "none",
    levels: hasMinimal ? ["minimal", "low", "medium", "high"] : ["low", "medium", "high"],
    leastBudget: name.includes("2.5-pro") ? 128 : 0,
  };
}
