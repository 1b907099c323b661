import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Declaration } from "../checker/checker.js";

/** One structural type of a signature. */
export interface SchemaNode {
  readonly id: number;
  readonly declaration: Declaration | undefined;
  /** The path at which it was first met, for a name where the type has none. */
  readonly nameHint: string;
  /** Undefined while it is being mapped. */
  schema: JsonSchema | undefined;
  /** What the JSDoc of an enum's members says: it follows every description, also one of the place of use. */
  readonly members: string;
  /** Met again while it was being mapped. */
  recursive: boolean;
}

const PREFIX = "node:";

/** A schema that stands for a node until `emitSchema` writes it out. */
export function nodeReference(node: SchemaNode): JsonSchema {
  return { $ref: `${PREFIX}${node.id}` };
}

/** The number of the node that a schema refers to. */
export function nodeIdOf(schema: JsonSchema): number | undefined {
  // A property of this name is a schema.
  const { $ref } = schema as { readonly $ref?: unknown };
  return typeof $ref === "string" && $ref.startsWith(PREFIX) ? Number($ref.slice(PREFIX.length)) : undefined;
}
