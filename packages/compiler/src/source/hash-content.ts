/** From this size on, loading `node:crypto` pays for itself: JavaScript hashes slowly until it has been compiled. */
const LARGE_BYTES = 128 * 1024;

/**
 * A hash of bytes, in hexadecimal. It tells a changed file from an unchanged one, and guards against nobody.
 *
 * Small contents are not hashed by `node:crypto`: loading it and its first digest take longer than all else that a
 * build with nothing to do does. Which of the two is used depends on the content alone.
 */
export function hashContent(content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  if (bytes.byteLength >= LARGE_BYTES) return process.getBuiltinModule("node:crypto").hash("sha256", bytes);
  return murmurHash(bytes);
}

/**
 * MurmurHash3 of 128 bits, in the form for 32-bit arithmetic, with the machine's own order of bytes. Written out at
 * length: most of its calls are over before it has been compiled, and until then each call inside of it counts.
 */
function murmurHash(bytes: Uint8Array): string {
  const words = wordsOf(bytes);
  let h1 = 0;
  let h2 = 0;
  let h3 = 0;
  let h4 = 0;
  for (let at = 0; at < words.length; at += 4) {
    let k = Math.imul(words[at]!, 0x239b961b);
    h1 ^= Math.imul((k << 15) | (k >>> 17), 0xab0e9789);
    h1 = (Math.imul(((h1 << 19) | (h1 >>> 13)) + h2, 5) + 0x561ccd1b) | 0;
    k = Math.imul(words[at + 1]!, 0xab0e9789);
    h2 ^= Math.imul((k << 16) | (k >>> 16), 0x38b34ae5);
    h2 = (Math.imul(((h2 << 17) | (h2 >>> 15)) + h3, 5) + 0x0bcaa747) | 0;
    k = Math.imul(words[at + 2]!, 0x38b34ae5);
    h3 ^= Math.imul((k << 17) | (k >>> 15), 0xa1e38b93);
    h3 = (Math.imul(((h3 << 15) | (h3 >>> 17)) + h4, 5) + 0x96cd1c35) | 0;
    k = Math.imul(words[at + 3]!, 0xa1e38b93);
    h4 ^= Math.imul((k << 18) | (k >>> 14), 0x239b961b);
    h4 = (Math.imul(((h4 << 13) | (h4 >>> 19)) + h1, 5) + 0x32ac3b17) | 0;
  }
  h1 ^= bytes.byteLength;
  h2 ^= bytes.byteLength;
  h3 ^= bytes.byteLength;
  h4 ^= bytes.byteLength;
  h1 = (h1 + h2 + h3 + h4) | 0;
  [h1, h2, h3, h4] = [finish(h1), finish((h2 + h1) | 0), finish((h3 + h1) | 0), finish((h4 + h1) | 0)];
  h1 = (h1 + h2 + h3 + h4) | 0;
  return [h1, h2 + h1, h3 + h1, h4 + h1].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The bytes as words, four at a time; zeros fill the last four, since the length is part of the hash. */
function wordsOf(bytes: Uint8Array): Int32Array {
  const isWhole = bytes.byteLength % 16 === 0 && bytes.byteOffset % 4 === 0;
  if (isWhole) return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  const padded = new Uint8Array(Math.ceil(bytes.byteLength / 16) * 16);
  padded.set(bytes);
  return new Int32Array(padded.buffer);
}

function finish(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}
