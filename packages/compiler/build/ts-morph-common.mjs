// Stands for "@ts-morph/common" in the built package: what `build-typescript.mjs` has made of it.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export const ts = createRequire(import.meta.url)("./typescript.cjs");

/** A declaration file is read when its text is asked for: a build needs some sixty of a hundred, and no DOM. */
export function getLibFiles() {
  const folder = join(import.meta.dirname, "lib");
  return readdirSync(folder).map((fileName) => ({
    fileName,
    get text() {
      return readFileSync(join(folder, fileName), "utf8");
    },
  }));
}
