/** Tokens of one model call. A field is absent where the provider did not say. */
export interface Usage {
  /** Everything the model read, cached tokens included. */
  readonly inputTokens?: number;
  /** Everything the model wrote, reasoning included. */
  readonly outputTokens?: number;
  /** Part of `inputTokens`: read from a cache. */
  readonly cachedInputTokens?: number;
  /** Part of `inputTokens`: written to a cache. */
  readonly cacheWriteTokens?: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
}

/** Tokens of several calls together. */
export function addUsages(a: Usage, b: Usage): Usage {
  const sum: Record<string, number> = { ...a };
  for (const [name, tokens] of Object.entries(b)) {
    if (typeof tokens === "number") sum[name] = (sum[name] ?? 0) + tokens;
  }
  return sum;
}
