import type { JsonSchema } from "../../manifest/json-schema.js";

/** What a codec makes of a value: the value, or why there is none. */
export type Coded = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/**
 * Turns the JSON form of one class into the class, and back. For a container, `decode` gets elements that are decoded
 * already, and the elements of what `encode` returns are still to be encoded.
 */
export interface Codec {
  /** Whether `value` is an instance; also one from another realm. */
  is(value: unknown): boolean;
  decode(value: unknown, schema: JsonSchema): Coded;
  encode(value: unknown, schema: JsonSchema): Coded;
}

export const coded = (value: unknown): Coded => ({ ok: true, value });
export const notCoded = (problem: string): Coded => ({ ok: false, problem });

/** The class name that the language itself gives, which is right across realms. */
export const classOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
