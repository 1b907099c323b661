import { matchesGlob, relative } from "node:path";

/** Whether a file is meant by one of the globs (relative to `cwd`); without globs every file is. */
export function matchesGlobs(path: string, globs: readonly string[] | undefined, cwd: string): boolean {
  if (globs === undefined || globs.length === 0) return true;
  const local = relative(cwd, path).replaceAll("\\", "/");
  return globs.some((glob) => matchesGlob(local, glob.replace(/^\.\//, "")));
}
