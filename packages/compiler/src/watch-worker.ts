import { parentPort } from "node:worker_threads";
import { loadCompiler } from "./commands/load-compiler.js";
import type { WatchBuild } from "./commands/watch-build.js";
import type { CompileOptions } from "./compile-options.js";
import { OutputError } from "./manifest/output-error.js";

// Compiles in a thread of its own: a compile cannot be interrupted from within, but a thread can be stopped from outside.
parentPort?.on("message", (options: CompileOptions) => {
  void buildOnce(options).then((built) => parentPort?.postMessage(built));
});

async function buildOnce(options: CompileOptions): Promise<WatchBuild> {
  try {
    const { compileAndWrite, countsOf } = await loadCompiler(options.cwd ?? ".", { compiles: "often" });
    const { compiled, files, snapshot } = await compileAndWrite(options);
    const { problems, root, directories, inputs, missing, manifest } = compiled;
    return {
      problems,
      root,
      snapshot,
      watched: { directories, inputs, missing },
      ...(manifest === undefined || files === undefined ? {} : { files, counts: countsOf(manifest) }),
    };
  } catch (error) {
    const { message, stack } = error as Error;
    // What cannot be written now may be writable after the next change.
    if (error instanceof OutputError) return { failure: { message, hint: error.hint } };
    return { failure: { message: stack ?? message } };
  }
}
