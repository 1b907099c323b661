import type { TypeMapper } from "../mapper.js";
import { isLibraryType } from "./library-class.js";

/** Uint8Array. A Buffer is more than that: a function that asks for one must not get less. */
export const bytesMapper: TypeMapper = {
  name: "bytes",
  accepts: (candidate) => isLibraryType(candidate, "Uint8Array"),
  toSchema: () => ({ type: "string", contentEncoding: "base64", "x-codec": "bytes" }),
};
