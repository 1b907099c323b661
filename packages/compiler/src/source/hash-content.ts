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

/** MurmurHash3 of 128 bits, in the form for 32-bit arithmetic. */
function murmurHash(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.byteLength & ~15;
  let h1 = 0;
  let h2 = 0;
  let h3 = 0;
  let h4 = 0;
  for (let at = 0; at < whole; at += 16) {
    h1 = (Math.imul(rotate(h1 ^ scramble1(view.getUint32(at, true)), 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 = (Math.imul(rotate(h2 ^ scramble2(view.getUint32(at + 4, true)), 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 = (Math.imul(rotate(h3 ^ scramble3(view.getUint32(at + 8, true)), 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 = (Math.imul(rotate(h4 ^ scramble4(view.getUint32(at + 12, true)), 13) + h1, 5) + 0x32ac3b17) | 0;
  }
  const rest = new DataView(new ArrayBuffer(16));
  for (let at = whole; at < bytes.byteLength; at++) rest.setUint8(at - whole, bytes[at]!);
  h1 ^= scramble1(rest.getUint32(0, true)) ^ bytes.byteLength;
  h2 ^= scramble2(rest.getUint32(4, true)) ^ bytes.byteLength;
  h3 ^= scramble3(rest.getUint32(8, true)) ^ bytes.byteLength;
  h4 ^= scramble4(rest.getUint32(12, true)) ^ bytes.byteLength;
  h1 = (h1 + h2 + h3 + h4) | 0;
  [h1, h2, h3, h4] = [finish(h1), finish((h2 + h1) | 0), finish((h3 + h1) | 0), finish((h4 + h1) | 0)];
  h1 = (h1 + h2 + h3 + h4) | 0;
  return [h1, h2 + h1, h3 + h1, h4 + h1].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
}

const scramble1 = (block: number) => Math.imul(rotate(Math.imul(block, 0x239b961b), 15), 0xab0e9789);
const scramble2 = (block: number) => Math.imul(rotate(Math.imul(block, 0xab0e9789), 16), 0x38b34ae5);
const scramble3 = (block: number) => Math.imul(rotate(Math.imul(block, 0x38b34ae5), 17), 0xa1e38b93);
const scramble4 = (block: number) => Math.imul(rotate(Math.imul(block, 0xa1e38b93), 18), 0x239b961b);

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function finish(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}
