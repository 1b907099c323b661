import * as messages from "../../errors/messages.js";
import type { TypeMapper } from "../mapper.js";

/** A written any or unknown; an unresolved name only looks like one. */
export const anyMapper: TypeMapper = {
  name: "any",
  accepts: ({ shape }) => shape.kind === "any" || shape.kind === "unknown",
  toSchema: ({ shape }, site, context) => {
    if (shape.kind === "any" && shape.unresolved) {
      const [name] = site.written === undefined ? [] : context.checker.unresolvedNames(site.written);
      if (name === undefined) return context.fail(messages.unresolvedName("of this type"), site);
      return context.fail(messages.unresolved(name), site);
    }
    context.warn(messages.anyType(shape.kind), site);
    return {};
  },
};
