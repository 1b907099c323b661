import { type Codec, coded, notCoded } from "./codec.js";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Uint8Array ⇄ base64 with padding. */
export const bytes: Codec = {
  is: (value) => value instanceof Uint8Array,
  decode: (value) => {
    if (typeof value !== "string") return coded(value);
    if (!BASE64.test(value)) return notCoded("is not base64 (A-Z, a-z, 0-9, + and /, padded with =)");
    // A plain copy: a Buffer is a Uint8Array, but shares its memory and prints otherwise.
    return coded(new Uint8Array(Buffer.from(value, "base64")));
  },
  encode: (value) => {
    const { buffer, byteOffset, byteLength } = value as Uint8Array;
    return coded(Buffer.from(buffer, byteOffset, byteLength).toString("base64"));
  },
};
