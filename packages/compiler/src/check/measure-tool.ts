import type { LoweredSize } from "../compile-options.js";

/** Compact JSON of words and punctuation comes to about four bytes a token with the tokenizers of all providers. */
const BYTES_PER_TOKEN = 4;

/** What a tool takes of a request, as it is sent. */
export function measureTool(wire: object): Pick<LoweredSize, "bytes" | "estimatedTokens"> {
  const bytes = Buffer.byteLength(JSON.stringify(wire));
  return { bytes, estimatedTokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
}
