import type { TypeMapper } from "../mapper.js";

/** A string of decimal digits: JSON numbers lose what lies above 2^53. */
export const bigintMapper: TypeMapper = {
  name: "bigint",
  accepts: ({ shape }) => shape.kind === "bigint" || shape.kind === "bigint-literal",
  toSchema: ({ shape }) =>
    shape.kind === "bigint-literal"
      ? { const: shape.digits, "x-codec": "bigint" }
      : { type: "string", pattern: "^-?\\d+$", "x-codec": "bigint" },
};
