import { type Codec, classOf, coded, notCoded } from "./codec.js";

/** URL ⇄ absolute address. */
export const url: Codec = {
  is: (value) => classOf(value) === "URL",
  decode: (value) => {
    if (typeof value !== "string") return coded(value);
    const decoded = URL.parse(value);
    return decoded === null ? notCoded("is not an absolute URL, such as https://example.com/path") : coded(decoded);
  },
  encode: (value) => coded((value as URL).href),
};
