import type { ExitStatus } from "./command.js";

/** Which signal ended a command, as an exit status. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Undefined while none came. */
  status(): ExitStatus | undefined;
}

/** What the work gives. Work that does not listen to the signal (a module that loads for ever) is left behind. @throws when it was aborted. */
export function orInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(Object.assign(new Error("it was interrupted"), { code: "aborted" }));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** The first SIGINT or SIGTERM aborts the work's signal, the second one ends the process at once. */
export async function withSignals<T>(work: (interruption: Interruption) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  let status: ExitStatus | undefined;
  const on = (next: ExitStatus) => (): void => {
    if (status !== undefined) process.exit(next);
    status = next;
    stop.abort();
  };
  const [onInt, onTerm] = [on(130), on(143)];
  process.on("SIGINT", onInt).on("SIGTERM", onTerm);
  try {
    return await work({ signal: stop.signal, status: () => status });
  } finally {
    process.off("SIGINT", onInt).off("SIGTERM", onTerm);
  }
}
