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
