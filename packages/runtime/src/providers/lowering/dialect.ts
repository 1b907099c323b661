import type { TargetName } from "../../model/lowered.js";

/** What one wire form can say. A new provider describes itself with this; the rules live in `lower-schema.ts`. */
export interface Dialect {
  readonly target: TargetName;
  /** Keywords of values and annotations that go out as they are. Structure is ruled by the fields below. */
  readonly keywords: ReadonlySet<string>;
  /** `format` values that go out; absent: none. */
  readonly formats?: ReadonlySet<string>;
  /** Which `pattern`s go out: all but look-around and back-references (`no-look`), or only plain ones (`simple`). */
  readonly patterns?: "no-look" | "simple";
  /** The largest `minItems` that goes out. */
  readonly minItems: number;
  /** `wrap` puts a reference with a description into `anyOf`; `bare` inlines it once; `inline` inlines all. */
  readonly references: "wrap" | "bare" | "inline";
  /** What becomes of recursion: allowed, only through properties that are not required, not in a strict schema, or inlined some levels deep. */
  readonly recursion: "any" | "optional-properties" | "refused" | "unrolled";
  /** How a property that may be absent is written: left out of `required`, or required and nullable. */
  readonly optional: "not-required" | "nullable";
  readonly tuples: "prefix-items" | "object" | "any-of-items";
  /** `pairs`: an array of key and value. `described`: lost, said in the description. */
  readonly records: "keyword" | "pairs" | "described";
  /** A value of any type: as JSON text in a string, or a schema without a type. */
  readonly unknown: "text" | "untyped";
  readonly constants: "const" | "enum";
  /** `mixed` puts all values into one enum; `typed` writes one enum per type; `text-and-number` has no others. */
  readonly enums: "mixed" | "typed" | "text-and-number";
  /** Whether `additionalProperties: false` is required of every object (an open one cannot be strict), sent, or lost. */
  readonly closed: "required" | "sent" | "lost";
  /** Gemini's keyword for the order in which properties are written. */
  readonly propertyOrdering?: boolean;
  /** Puts the property that tells the branches of a union apart first. */
  readonly discriminatorFirst?: boolean;
}
