import type { Usage } from "../model/usage.js";

/** What a model costs, for a million tokens, in a currency of your choice. */
export interface ModelPrice {
  readonly inputPerMTok: number;
  readonly outputPerMTok: number;
  /** For input read from a cache. Default: as other input. */
  readonly cachedInputPerMTok?: number;
  /** For input written to a cache. Default: as other input. */
  readonly cacheWritePerMTok?: number;
}

/** By `provider/model`, as an agent names it. */
export type Prices = Readonly<Record<string, ModelPrice>>;

const TOKENS = 1_000_000;

/**
 * What one model call, or all of a run, cost. callsign knows no prices of its own: they change, and differ by contract.
 *
 * @param price Of the model that was asked. Without one the cost is not known.
 * @returns In the currency of the price; undefined when it is not known. That is not 0.
 *
 * @example
 * import { costOf } from "@callsign/runtime"
 *
 * const usage = { inputTokens: 1200, cachedInputTokens: 1000, outputTokens: 300 }
 * const cost = costOf(usage, { inputPerMTok: 3, cachedInputPerMTok: 0.3, outputPerMTok: 15 }) // 0.0054
 */
export function costOf(usage: Usage, price: ModelPrice | undefined): number | undefined {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) return undefined;
  const { inputPerMTok, outputPerMTok, cachedInputPerMTok = inputPerMTok, cacheWritePerMTok = inputPerMTok } = price;
  // A provider that counts wrongly must not make the rest negative.
  const plainTokens = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const total =
    plainTokens * inputPerMTok +
    cachedInputTokens * cachedInputPerMTok +
    cacheWriteTokens * cacheWritePerMTok +
    outputTokens * outputPerMTok;
  return total / TOKENS;
}

/** The price of `provider/model` in a table; undefined where it has none. */
export function priceOf(prices: Prices | undefined, model: string): ModelPrice | undefined {
  return prices !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** Costs of several calls together. One that is not known makes the sum unknown. */
export function addCosts(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}
