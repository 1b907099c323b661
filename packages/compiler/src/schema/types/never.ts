import * as messages from "../../errors/messages.js";
import type { TypeMapper } from "../mapper.js";

/** A type without values. */
export const neverMapper: TypeMapper = {
  name: "never",
  accepts: ({ shape }) => shape.kind === "never",
  toSchema: (_, site, context) => context.fail(messages.never("never"), site),
};
