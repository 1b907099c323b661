import * as messages from "../../errors/messages.js";
import type { TypeMapper } from "../mapper.js";

/** The keyword `object`. */
export const anyObjectMapper: TypeMapper = {
  name: "any-object",
  accepts: ({ shape }) => shape.kind === "any-object",
  toSchema: ({ type, checker }, site, context) => {
    context.warn(messages.openObject(checker.print(type)), site);
    return { type: "object" };
  },
};
