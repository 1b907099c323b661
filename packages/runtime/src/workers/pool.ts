import type { Piscina } from "piscina";

/** A thread without work ends after this time; it never keeps the process alive. */
const IDLE_MS = 10_000;

let pool: Promise<Piscina> | undefined;

/** The threads of this process, at most as many as processors. The first call loads the pool, each new thread its tools. */
export function openPool(): Promise<Piscina> {
  pool ??= open();
  return pool;
}

async function open(): Promise<Piscina> {
  const [{ Piscina }, { createRequire }, { availableParallelism }] = await Promise.all([
    import("piscina"),
    import("node:module"),
    import("node:os"),
  ]);
  return new Piscina({
    // By the name of the package: this module may stand in a chunk of any name.
    filename: createRequire(import.meta.url).resolve("@callsign/runtime/worker"),
    minThreads: 0,
    // Two at least, so that one endless call does not stop all others until its deadline.
    maxThreads: Math.max(2, availableParallelism()),
    idleTimeout: IDLE_MS,
    execArgv: threadOptions(process.execArgv),
    // A thread that waits by Atomics cannot keep a connection of its own alive.
    atomics: "disabled",
  });
}

/** Those of the process, loaders included, without the program that `node -e` was given. */
function threadOptions(given: readonly string[]): string[] {
  return given.filter(
    (option, index) =>
      !/^(?:--input-type|--eval|--print|-e|-p|-pe)(?:=|$)/.test(option) &&
      !/^(?:--eval|--print|-e|-p|-pe|--input-type)$/.test(given[index - 1] ?? ""),
  );
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
