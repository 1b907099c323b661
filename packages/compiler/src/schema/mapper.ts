import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Checker, Doc, Shape, Type } from "../checker/checker.js";
import type { Fault } from "../errors/messages.js";
import type { TypeSite } from "./type-site.js";

/** Maps one kind of checker type (never syntax) to the neutral schema. Never falls back to `{}`. */
export interface TypeMapper {
  readonly name: string;
  accepts(candidate: Candidate): boolean;
  toSchema: (candidate: Candidate, site: TypeSite, context: MapContext) => JsonSchema;
}

/** A mapper of every type of one shape. */
export function shapeMapper<K extends Shape["kind"]>(
  kind: K,
  { name, toSchema }: { name: string; toSchema: ToSchema<Extract<Shape, { readonly kind: K }>> },
): TypeMapper {
  return { name, accepts: ({ shape }) => shape.kind === kind, toSchema: toSchema as TypeMapper["toSchema"] };
}

type ToSchema<S extends Shape> = (
  candidate: Candidate & { readonly shape: S },
  site: TypeSite,
  context: MapContext,
) => JsonSchema;

/** A type on its way to a mapper. */
export interface Candidate {
  readonly type: Type;
  readonly shape: Shape;
  readonly checker: Checker;
}

/** What a mapper may do besides reading the checker. */
export interface MapContext {
  readonly checker: Checker;
  /** Inputs are closed objects; outputs are open, and what a class only computes is no part of them. */
  readonly direction: "input" | "output";
  /** The schema of a part. A structural one comes as a reference that `emitSchema` resolves; see `resolve`. */
  map(type: Type, site: TypeSite): JsonSchema;
  /** Like `map`, with the JSDoc of the declaration applied. */
  mapWithDoc(type: Type, site: TypeSite, doc: Doc): JsonSchema;
  /** The schema behind a reference that `map` gave, or the schema itself; undefined while it is being made. */
  resolve(schema: JsonSchema): JsonSchema | undefined;
  /** Reports a problem at a site and returns a schema that stands for the failed part; nothing is emitted then. */
  fail(fault: Fault, site: TypeSite): JsonSchema;
  warn(fault: Fault, site: TypeSite): void;
}
