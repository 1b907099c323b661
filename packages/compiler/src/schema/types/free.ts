import * as messages from "../../errors/messages.js";
import type { TypeMapper } from "../mapper.js";

/** Types that hang on a type parameter: their constraint stands for them. */
export const freeMapper: TypeMapper = {
  name: "free",
  accepts: ({ shape }) => shape.kind === "free",
  toSchema: ({ type, checker }, site, context) => {
    const constraint = checker.constraint(type);
    const kind = constraint === undefined ? "unknown" : checker.shape(constraint).kind;
    if (constraint === undefined || kind === "unknown" || kind === "free") {
      return context.fail(messages.generic(checker.print(type)), site);
    }
    return context.map(constraint, site);
  },
};
