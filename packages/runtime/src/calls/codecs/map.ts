import { isRecord } from "../../manifest/is-record.js";
import { setOwn } from "../../validation/set-own.js";
import { type Codec, classOf, coded, notCoded } from "./codec.js";

/** Map ⇄ object when its keys are strings, else an array of `[key, value]` pairs; the schema's type says which. */
export const map: Codec = {
  is: (value) => classOf(value) === "Map",
  decode: (value) => {
    if (isRecord(value)) return coded(new Map(Object.entries(value)));
    if (!Array.isArray(value)) return coded(value);
    const decoded = new Map(value as [unknown, unknown][]);
    return decoded.size === value.length ? coded(decoded) : notCoded("has the same key twice");
  },
  encode: (value, schema) => {
    const entries = [...(value as Map<unknown, unknown>)];
    if (schema.type === "array") return coded(entries);
    const encoded = {};
    for (const [key, element] of entries) {
      if (typeof key !== "string") return notCoded("is a Map with a key that is no string");
      setOwn(encoded, key, element);
    }
    return coded(encoded);
  },
};
