import * as messages from "../../errors/messages.js";
import type { TypeMapper } from "../mapper.js";

/** A written any or unknown; an unresolved name only looks like one. */
export const anyMapper: TypeMapper = {
  name: "any",
  accepts: ({ shape }) => shape.kind === "any" || shape.kind === "unknown",
  toSchema: ({ shape }, site, context) => {
    if (shape.kind === "any" && shape.unresolved) {
      // Names that stand in a written type were told before; this one is inferred from an expression.
      return context.fail(messages.unresolvedName("of this type"), site);
    }
    context.warn(messages.anyType(shape.kind), site);
    return {};
  },
};
