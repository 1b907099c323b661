/**
 * Tells one piece of JSON from another, such as for noticing that two generated files do not belong together. Not for secrets: it is
 * written out because edge runtimes have no synchronous hash of their own (cyrb53, public domain).
 */
export function hashJson(value: unknown): string {
  const text = JSON.stringify(value);
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
