import type { TypeMapper } from "../mapper.js";
import { typePattern } from "./template-literal.js";

/** `Uppercase<string>` and its like. */
export const stringMappingMapper: TypeMapper = {
  name: "string-mapping",
  accepts: ({ shape }) => shape.kind === "string-mapping",
  toSchema: ({ type }, site, context) => typePattern(type, site, context),
};
