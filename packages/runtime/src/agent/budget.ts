import type { Usage } from "../model/usage.js";

/** What a run may spend. */
export interface BudgetLimits {
  /** Input and output tokens of all model calls together. */
  readonly tokens?: number;
  /** In the currency of `prices`. */
  readonly cost?: number;
}

/** What is left of a budget. One budget counts for a run and for the agents that it uses as tools. */
export class Budget {
  readonly #limits: BudgetLimits;
  readonly #parent: Budget | undefined;
  #tokens = 0;
  #cost = 0;

  constructor(limits: BudgetLimits = {}, parent?: Budget) {
    this.#limits = limits;
    this.#parent = parent;
  }

  spend({ inputTokens = 0, outputTokens = 0 }: Usage, cost: number | undefined = 0): void {
    this.#tokens += inputTokens + outputTokens;
    this.#cost += cost;
    this.#parent?.spend({ inputTokens, outputTokens }, cost);
  }

  /** Whether what is not priced is missed by somebody. */
  get limitsCost(): boolean {
    return this.#limits.cost !== undefined || this.#parent?.limitsCost === true;
  }

  /** What is used up, in words for the model; undefined while something is left. */
  get exhausted(): string | undefined {
    const { tokens, cost } = this.#limits;
    if (tokens !== undefined && this.#tokens >= tokens) return `the budget of ${tokens} tokens is spent`;
    if (cost !== undefined && this.#cost >= cost) return `the budget of ${cost} is spent`;
    return this.#parent?.exhausted;
  }
}
