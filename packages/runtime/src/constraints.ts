/**
 * Type-only tags that say what TypeScript cannot. Intersect them with the type they limit: `number & Min<0> & Max<9>`.
 *
 * How the compiler reads them: each tag is an object type with the one optional property `"~constraint"`, whose type
 * is an object type; its property names are JSON Schema keywords and its property types are literals. The property is
 * recognised by its declaration in this file. The checker intersects the property's types by itself, so that
 * `number & Min<0> & Max<9>` has `"~constraint"?: { minimum: 0 } & { maximum: 9 }`. Being optional, the property keeps
 * plain numbers, strings and arrays assignable, and nothing of it exists at run time.
 */
export interface Constraint<Keywords extends object> {
  readonly "~constraint"?: Keywords;
}

/** A whole number. */
export type Int = number & Constraint<{ type: "integer" }>;
/** At least N. */
export type Min<N extends number> = Constraint<{ minimum: N }>;
/** At most N. */
export type Max<N extends number> = Constraint<{ maximum: N }>;
/** Greater than N. */
export type ExclusiveMin<N extends number> = Constraint<{ exclusiveMinimum: N }>;
/** Less than N. */
export type ExclusiveMax<N extends number> = Constraint<{ exclusiveMaximum: N }>;
/** A multiple of N. */
export type MultipleOf<N extends number> = Constraint<{ multipleOf: N }>;
/** A string format, such as `email`, `uuid`, `date-time`, `uri`. */
export type Format<Name extends string> = Constraint<{ format: Name }>;
/** A regular expression (ECMA-262, flag `u`) that matches somewhere in the string; anchor it with `^` and `$`. */
export type Pattern<Source extends string> = Constraint<{ pattern: Source }>;
/** At least N characters. */
export type MinLength<N extends number> = Constraint<{ minLength: N }>;
/** At most N characters. */
export type MaxLength<N extends number> = Constraint<{ maxLength: N }>;
/** At least N elements. */
export type MinItems<N extends number> = Constraint<{ minItems: N }>;
/** At most N elements. */
export type MaxItems<N extends number> = Constraint<{ maxItems: N }>;
/** No two elements are equal. */
export type UniqueItems = Constraint<{ uniqueItems: true }>;
