import type { Json } from "../manifest/json-schema.js";

/** JSON text that is the same for equal values: keys in the order of their code units. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((element) => canonicalJson(element as Json)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value as { readonly [key: string]: Json });
  members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(",")}}`;
}

/** 16 hexadecimal digits that stand for a value. */
export function shortHash(value: Json): string {
  return sha256(canonicalJson(value)).slice(0, 16);
}

/** In hexadecimal digits. Loaded with the first hash: whoever has no workflows has no use for it. */
export function sha256(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text, "hex");
}
