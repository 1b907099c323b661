import * as messages from "../../errors/messages.js";
import type { TypeMapper } from "../mapper.js";

/** undefined or void where a value must stand. */
export const undefinedMapper: TypeMapper = {
  name: "undefined",
  accepts: ({ shape }) => shape.kind === "undefined",
  toSchema: (_, site, context) => context.fail(messages.undefinedValue(), site),
};
