import type { TypeMapper } from "../mapper.js";
import { elementSite } from "../type-site.js";
import { isLibraryType, libraryArguments } from "./library-class.js";

/** Set and ReadonlySet: an array without repetition. */
export const setMapper: TypeMapper = {
  name: "set",
  accepts: (candidate) => isLibraryType(candidate, "Set", "ReadonlySet"),
  toSchema: (candidate, site, context) => {
    const [element] = libraryArguments(candidate);
    return {
      type: "array",
      ...(element === undefined
        ? {}
        : {
            items: context.map(
              element,
              elementSite(site, context.checker.writtenPart(site.written, 0), context.checker),
            ),
          }),
      uniqueItems: true,
      "x-codec": "set",
    };
  },
};
