import type { Type } from "../../checker/checker.js";
import type { TypeMapper } from "../mapper.js";
import { elementSite } from "../type-site.js";
import { isLibraryType, libraryArguments } from "./library-class.js";

/** Set and ReadonlySet: an array without repetition. */
export const setMapper: TypeMapper = {
  name: "set",
  accepts: (candidate) => isLibraryType(candidate, "Set", "ReadonlySet"),
  toSchema: (candidate, site, context) => {
    const [element] = libraryArguments(candidate) as readonly [Type];
    const written = context.checker.writtenPart(site.written, 0);
    return {
      type: "array",
      items: context.map(element, elementSite(site, written, context.checker)),
      uniqueItems: true,
      "x-codec": "set",
    };
  },
};
