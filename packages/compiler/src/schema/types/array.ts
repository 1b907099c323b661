import type { TypeMapper } from "../mapper.js";
import { elementSite } from "../type-site.js";

/** Arrays, read-only ones included. */
export const arrayMapper: TypeMapper = {
  name: "array",
  accepts: ({ shape }) => shape.kind === "array",
  toSchema: ({ shape }, site, context) => {
    if (shape.kind !== "array") return {};
    const { checker } = context;
    const written = checker.writtenPart(site.written, 0);
    return { type: "array", items: context.map(shape.element, elementSite(site, written, checker)) };
  },
};
