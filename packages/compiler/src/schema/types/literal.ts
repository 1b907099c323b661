import type { TypeMapper } from "../mapper.js";

/** One string, number or boolean, members of enums included. */
export const literalMapper: TypeMapper = {
  name: "literal",
  accepts: ({ shape }) => shape.kind === "literal",
  toSchema: ({ shape }) => (shape.kind === "literal" ? { const: shape.value } : {}),
};
