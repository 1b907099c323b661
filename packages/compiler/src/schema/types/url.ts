import type { TypeMapper } from "../mapper.js";
import { isLibraryType } from "./library-class.js";

/** URL, as the DOM library or the platform declares it. */
export const urlMapper: TypeMapper = {
  name: "url",
  accepts: (candidate) => isLibraryType(candidate, "URL", "_URL"),
  toSchema: () => ({ type: "string", format: "uri", "x-codec": "url" }),
};
