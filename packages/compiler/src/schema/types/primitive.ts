import type { JsonSchema } from "@callsign/runtime/manifest";
import type { TypeMapper } from "../mapper.js";

const SCHEMAS: Record<string, JsonSchema> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  null: { type: "null" },
};

/** string, number, boolean and null. */
export const primitiveMapper: TypeMapper = {
  name: "primitive",
  accepts: ({ shape }) => shape.kind in SCHEMAS,
  toSchema: ({ shape }) => ({ ...SCHEMAS[shape.kind] }),
};
