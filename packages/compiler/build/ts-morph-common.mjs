// Stands for "@ts-morph/common" in the built package. Node would read all 12 MB of its CommonJS once more, to tell
// their format and their named exports, if they were imported; that is a third of a small build.
import { createRequire } from "node:module";

export const { getLibFiles, ts } = createRequire(import.meta.url)("@ts-morph/common");
