import { thrownMessage } from "../calls/thrown-message.js";
import type { WorkerCall, WorkerOutcome } from "./worker-call.js";

/** What is used of piscina, whose own declarations do not pass every check that an application may ask for. */
export interface Pool {
  /** Gives the call's `port` to the thread. Aborting ends the thread. */
  run(call: WorkerCall, options: { readonly signal: AbortSignal }): Promise<WorkerOutcome>;
  destroy(): Promise<void>;
}

/** A thread without work ends after this time; it never keeps the process alive. */
const IDLE_MS = 10_000;

let pool: Promise<Pool> | undefined;

/** The threads of this process, at most as many as processors. The first call loads the pool, each new thread its tools. */
export function openPool(): Promise<Pool> {
  pool ??= open().catch((error: unknown) => {
    // What could not be loaded once may be there the next time.
    pool = undefined;
    throw error;
  });
  return pool;
}

async function open(): Promise<Pool> {
  const [{ Piscina }, { createRequire }, { availableParallelism }] = await Promise.all([
    import("piscina"),
    import("node:module"),
    import("node:os"),
  ]);
  const threads = new Piscina({
    // By the name of the package: this module may stand in a chunk of any name.
    filename: createRequire(import.meta.url).resolve("@callsign/runtime/worker"),
    minThreads: 0,
    // Two at least, so that one endless call does not stop all others until its deadline.
    maxThreads: Math.max(2, availableParallelism()),
    idleTimeout: IDLE_MS,
    // A thread that waits by Atomics cannot keep a connection of its own alive.
    atomics: "disabled",
  });
  threads.on("error", warnOfStray);
  return {
    run: (call, { signal }) => threads.run(call, { transferList: [call.port], signal }),
    destroy: () => threads.destroy(),
  };
}

/** A tool left something behind that failed after its call had ended. It ends its thread, and nothing else. */
function warnOfStray(error: unknown): void {
  process.emitWarning(`a tool marked @worker failed after its call had ended: ${thrownMessage(error)}`, {
    code: "CALLSIGN_WORKER_STRAY",
  });
}

/**
 * Ends the threads that run tools marked `@worker`; calls under way fail. The next call begins new ones. Not needed before
 * the process ends.
 */
export async function closeWorkers(): Promise<void> {
  const open = pool;
  pool = undefined;
  await (await open)?.destroy();
}
