import type { ExitStatus } from "./command.js";

/** Which signal ended a command, as an exit status. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** Undefined while none came. */
  status(): ExitStatus | undefined;
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
