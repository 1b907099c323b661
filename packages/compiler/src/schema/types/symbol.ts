import * as messages from "../../errors/messages.js";
import type { TypeMapper } from "../mapper.js";

/** symbol and unique symbol. */
export const symbolMapper: TypeMapper = {
  name: "symbol",
  accepts: ({ shape }) => shape.kind === "symbol",
  toSchema: (_, site, context) => context.fail(messages.symbolType(), site),
};
