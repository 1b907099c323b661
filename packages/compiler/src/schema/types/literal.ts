import * as messages from "../../errors/messages.js";
import { shapeMapper } from "../mapper.js";

/** One string, number or boolean, members of enums included. */
export const literalMapper = shapeMapper("literal", {
  name: "literal",
  toSchema: ({ shape }, site, context) => {
    // `1e400` is a literal type, and so is an enum member that comes to `1 / 0`: JSON would write null.
    if (typeof shape.value === "number" && !Number.isFinite(shape.value)) {
      return context.fail(messages.noJsonForm(String(shape.value), "use a number that JSON can write, or null"), site);
    }
    return { const: shape.value };
  },
});
