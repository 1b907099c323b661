import type { Location } from "../errors/problem.js";

/**
 * All that the schema mapper asks of a type checker. One host implements it (`ts-morph-checker.ts`); nothing in
 * `schema/` imports a compiler. The handles below are opaque: only the host looks inside.
 */
export interface Checker {
  /** What kind of type this is. The same handle gives the same object. */
  shape(type: Type): Shape;
  /** The members of a union, in the order of `written` where that names each of them, else in no promised order. */
  unionMembers(type: Type, written: Place | undefined): UnionMembers;
  /** Declared properties of an object type, in declaration order; inherited ones after its own. */
  properties(type: Type): readonly Property[];
  /** String, number, template and symbol index signatures. */
  indexSignatures(type: Type): readonly IndexSignature[];
  /** Whether values of the type can be called or constructed. */
  isCallable(type: Type): boolean;
  /** What a free type (a type parameter, a deferred conditional or indexed type) is bounded by. */
  constraint(type: Type): Type | undefined;
  isAssignable(source: Type, target: Type): boolean;
  /** Name and declaration of a named type. */
  declaration(type: Type, written?: Place): Declaration | undefined;
  /** The library's own name and type arguments of a type that the language or the platform declares, alias or not. */
  libraryType(type: Type): LibraryType | undefined;
  /** The part of a written type that stands for an element, type argument or tuple slot, where it can be seen. */
  writtenPart(written: Place | undefined, index: number): Place | undefined;
  /** The declaration of the alias that a written type names, where it names one without type arguments. */
  writtenAlias(written: Place | undefined): { readonly place: Place; readonly body: Place } | undefined;
  /** A key that orders types in the same way whatever else is compiled. A brief one costs little, also where the type's text would be huge. */
  sortKey(type: Type, precision: "brief" | "full"): string;
  /** The type as the author would write it, for messages. */
  print(type: Type): string;
  /** JSDoc of a declaration or member. */
  doc(place: Place): Doc;
  /** Whether the author can edit a place: it is neither a library's nor a dependency's. */
  isEditable(place: Place): boolean;
  /** Where a place is, or undefined when the author cannot edit it (a library, a dependency). */
  location(place: Place): Location | undefined;
  /** Like `location`, for notes: dependencies count too. */
  foreignLocation(place: Place): Location | undefined;
  /** Where a stretch of text of a file is. */
  rangeLocation(file: Place, range: { readonly start: number; readonly length: number }): Location | undefined;
  /** Names in a written type, or in what it refers to, that mean nothing: unresolved imports and unknown names. */
  unresolvedNames(written: Place): readonly UnresolvedName[];
}

declare const typeHandle: unique symbol;
declare const placeHandle: unique symbol;

/** A type of the checker. Compared by identity. */
export interface Type {
  readonly [typeHandle]: never;
}

/** A node of a source file: a declaration, or a type as written. */
export interface Place {
  readonly [placeHandle]: never;
}

/** The kinds of types, by meaning. */
export type Shape =
  | {
      readonly kind: "string" | "number" | "boolean" | "bigint" | "symbol" | "null" | "undefined" | "never" | "unknown";
    }
  /** `any`. `unresolved`: it stands for a name that could not be found. */
  | { readonly kind: "any"; readonly unresolved: boolean }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "bigint-literal"; readonly digits: string }
  /** A template literal type: `texts` has one more entry than `types`. */
  | { readonly kind: "template"; readonly texts: readonly string[]; readonly types: readonly Type[] }
  | { readonly kind: "string-mapping"; readonly mapping: StringMapping; readonly type: Type }
  | { readonly kind: "union" }
  | { readonly kind: "intersection"; readonly members: readonly Type[] }
  /** A type that depends on a free type parameter. */
  | { readonly kind: "free" }
  | { readonly kind: "array"; readonly element: Type }
  | { readonly kind: "tuple"; readonly slots: readonly TupleSlot[] }
  /** The keyword `object`. */
  | { readonly kind: "any-object" }
  | { readonly kind: "object" };

/** `Uppercase<string>` and its like. */
export type StringMapping = "Uppercase" | "Lowercase" | "Capitalize" | "Uncapitalize";

/** One element of a tuple type. */
export interface TupleSlot {
  readonly type: Type;
  readonly kind: "required" | "optional" | "rest";
  readonly label?: string;
  /** The element's type as written. */
  readonly written?: Place;
  /** The labelled element, for its JSDoc. */
  readonly place?: Place;
}

/** See `Checker.unionMembers`. */
export interface UnionMembers {
  readonly types: readonly Type[];
  /** Whether `types` is in the order of one declaration. */
  readonly ordered: boolean;
  /** Whether `undefined` was among the members; it is not in `types`. */
  readonly hasUndefined: boolean;
}

/** A property of an object type. */
export interface Property {
  /** The key in JSON. For a symbol key its printed form. */
  readonly name: string;
  readonly type: Type;
  readonly optional: boolean;
  readonly symbolKey: boolean;
  /** Declared with the syntax of a method. */
  readonly method: boolean;
  /** `get` or `set`. */
  readonly accessor: boolean;
  /** `private`, `protected` or `#name`. */
  readonly hidden: boolean;
  /** Its declaration, when it has one. */
  readonly place: Place | undefined;
  /** Its type as written. */
  readonly written: Place | undefined;
}

/** An index signature. */
export interface IndexSignature {
  readonly key: Type;
  readonly keyKind: "string" | "number" | "symbol" | "template";
  readonly type: Type;
  readonly written: Place | undefined;
}

/** See `Checker.declaration`. */
export interface Declaration {
  readonly name: string;
  readonly typeArguments: readonly Type[];
  /** A word for each type argument that has a name. */
  readonly typeArgumentNames: readonly string[];
  /** Identity of the declaration, the same for every instance of a generic. */
  readonly identity: object;
  /** Declared as a class. */
  readonly class: boolean;
  /** The name of the package that declares it; undefined for the project's own files and the library. */
  readonly package: string | undefined;
  /** File name without folder and endings, for telling two types of one name apart. */
  readonly fileStem: string;
  /** The first declaration. */
  readonly place: Place | undefined;
}

/** See `Checker.libraryType`. */
export interface LibraryType {
  readonly name: string;
  /** Whether there is a constructor or a namespace of that name, so that its values are more than data. */
  readonly hasValue: boolean;
  readonly typeArguments: readonly Type[];
}

/** What JSDoc says about one declaration. */
export interface Doc {
  /** The whole text, links as text, paragraphs kept, LF. Empty when there is none. */
  readonly description: string;
  readonly tags: readonly DocTag[];
}

/** A block tag. */
export interface DocTag {
  readonly name: string;
  readonly text: string;
  readonly place: Place;
}

/** See `Checker.unresolvedNames`. */
export interface UnresolvedName {
  readonly name: string;
  /** The module that could not be found, when the name was imported. */
  readonly module: string | undefined;
  /** What the name is, when it is something but no type. */
  readonly instead: "namespace" | "value" | undefined;
  readonly place: Place;
  /** Where it stands inside the written type, as far as that can be told: `.where.callback`, `[]`, `{}`. */
  readonly path: string;
}
