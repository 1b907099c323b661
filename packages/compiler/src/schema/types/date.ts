import type { TypeMapper } from "../mapper.js";
import { isLibraryType } from "./library-class.js";

/** Date, the library's own; an SDK's interface of that name is plain data. */
export const dateMapper: TypeMapper = {
  name: "date",
  accepts: (candidate) => isLibraryType(candidate, "Date"),
  toSchema: () => ({ type: "string", format: "date-time", "x-codec": "date" }),
};
