import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Where records of builds are kept: with the project when it has a `node_modules`, so that they go when it goes;
 * else in the user's own cache folder.
 *
 * @param root The absolute path of the tsconfig's folder.
 */
export function cacheFolder(root: string): string {
  const modules = join(root, "node_modules");
  return existsSync(modules) ? join(modules, ".cache", "callsign") : join(userCacheFolder(), "callsign");
}

// Never the shared temporary folder: another user could lay a record there that says all is current.
function userCacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME !== undefined && XDG_CACHE_HOME !== "") return XDG_CACHE_HOME;
  if (process.platform === "win32" && LOCALAPPDATA !== undefined) return LOCALAPPDATA;
  // Seldom needed, and not free to load.
  const { homedir } = process.getBuiltinModule("node:os");
  return process.platform === "darwin" ? join(homedir(), "Library", "Caches") : join(homedir(), ".cache");
}
