import { type Codec, classOf, coded, notCoded } from "./codec.js";

/** Date ⇄ RFC 3339 date-time, written in UTC with milliseconds. */
export const date: Codec = {
  is: (value) => classOf(value) === "Date",
  decode: (value) => {
    if (typeof value !== "string") return coded(value);
    const decoded = new Date(value);
    return Number.isNaN(decoded.getTime()) ? notCoded("is not a moment in time that exists") : coded(decoded);
  },
  encode: (value) => {
    const time = (value as Date).getTime();
    return Number.isNaN(time) ? notCoded("is an invalid Date") : coded(new Date(time).toISOString());
  },
};
