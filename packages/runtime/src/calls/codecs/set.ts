import { type Codec, classOf, coded } from "./codec.js";

/** Set ⇄ array without repeats. */
export const set: Codec = {
  is: (value) => classOf(value) === "Set",
  decode: (value) => coded(Array.isArray(value) ? new Set(value) : value),
  encode: (value) => coded([...(value as Set<unknown>)]),
};
