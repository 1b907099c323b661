import type { Json, JsonSchema } from "../../manifest/json-schema.js";
import type { Dialect } from "./dialect.js";
import type { Field, Shape } from "./shapes.js";

/** A wire schema: the neutral keywords, and Gemini's own. */
export type WireSchema = JsonSchema & { propertyOrdering?: readonly string[] };

/** A part of the wire schema, and how its values differ from neutral ones. */
export interface Node {
  readonly wire: WireSchema;
  readonly shape: Shape;
}

/** Where a schema stands, and what its description has to say beside the author's text. */
export interface Site {
  readonly pointer: string;
  readonly remarks: string[];
}

/** A keyword that the wire lacks. */
export interface Dropping {
  readonly value: Json | object;
  /** What the description says instead of `value`. */
  readonly said?: Json;
  readonly remarks?: string[];
}

/** What the rules for one kind of type need of the lowering that runs them. */
export interface LowerContext {
  readonly dialect: Dialect;
  lower(schema: JsonSchema, pointer: string): Node;
  lowerUnion(schemas: readonly JsonSchema[], site: { readonly pointer: string; at(index: number): string }): Node;
  /** A property or a place of a tuple that may be absent unless `required`. */
  field(node: Node, neutral: JsonSchema, options: { required: boolean }): Field & { readonly wire: WireSchema };
  /** Records a keyword that the wire lacks, and says it in the description when there are `remarks`. */
  drop(pointer: string, keyword: string, dropping: Dropping): void;
  /** Records a reshaping, for people. */
  note(text: string): void;
  /** Records why the schema cannot be strict. */
  misfit(text: string): void;
}

/** A schema that says nothing for `true` and for none. */
export function asSchema(schema: JsonSchema | boolean | undefined): JsonSchema {
  return typeof schema === "object" ? schema : {};
}

/** A JSON Pointer as it is shown to people. */
export function place(pointer: string): string {
  return pointer === "" ? "the root" : pointer;
}
