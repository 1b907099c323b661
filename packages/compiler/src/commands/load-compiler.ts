import { join } from "node:path";
import { cacheFolder } from "../source/cache-folder.js";

/**
 * Loads the part of callsign that needs TypeScript, three megabytes of it: with Node's compile cache in the same folder
 * as the records of builds. Not at the start of the program, since a build with nothing to do gets by without.
 *
 * @param cwd The folder whose `node_modules` holds the cache, when it has one.
 * @param options.compiles Whether the process will compile one time or again and again.
 */
export async function loadCompiler(
  cwd: string,
  { compiles }: { readonly compiles: "once" | "often" },
): Promise<typeof import("../compiler.js")> {
  const [{ enableCompileCache }, { setFlagsFromString }] = await Promise.all([
    import("node:module"),
    import("node:v8"),
  ]);
  // A build makes few short-lived objects for its size: a young generation that does not grow saves a quarter of the
  // memory at a thousand tools, and no time is lost.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Such a generation is collected in a millisecond: to wake other threads for it costs more than they do.
  setFlagsFromString("--no-parallel-scavenge");
  // What the slow optimizer makes of TypeScript's code comes too late for one compile, even of thousands of tools. Before
  // Node 24 there may be no quick one beside it.
  if (compiles === "once" && Number.parseInt(process.versions.node, 10) >= 24) setFlagsFromString("--no-turbofan");
  // It answers instead of throwing when the folder cannot be written; then everything works, only slower.
  enableCompileCache(join(cacheFolder(cwd), "code"));
  return import("../compiler.js");
}
