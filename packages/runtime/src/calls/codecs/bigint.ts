import { type Codec, coded, notCoded } from "./codec.js";

/** More digits take minutes to read and are no number that a tool wants. */
const MOST_DIGITS = 10_000;

/** bigint ⇄ decimal digits in a string, which keeps what a JSON number above 2^53 would lose. */
export const bigint: Codec = {
  is: (value) => typeof value === "bigint",
  decode: (value) => {
    if (typeof value !== "string") return coded(value);
    if (value.length > MOST_DIGITS) return notCoded(`has more than ${MOST_DIGITS} digits`);
    return /^-?\d+$/.test(value) ? coded(BigInt(value)) : notCoded("is not a whole number in decimal digits");
  },
  encode: (value) => coded(String(value)),
};
