import { shapeMapper } from "../mapper.js";
import { elementSite } from "../type-site.js";

/** Arrays, read-only ones included. */
export const arrayMapper = shapeMapper("array", {
  name: "array",
  toSchema: ({ shape }, site, context) => {
    const { checker } = context;
    const written = checker.writtenPart(site.written, 0);
    return { type: "array", items: context.map(shape.element, elementSite(site, written, checker)) };
  },
});
