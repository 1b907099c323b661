import { SessionError } from "../errors/session-error.js";
import { checkSessionId } from "./session-json.js";
import type { SessionStore } from "./session-store.js";

export interface TurnOptions {
  /** Ends the wait for the turn; the turn itself has to listen for itself. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for turns of the same session. Default: without end. */
  readonly waitMs?: number | undefined;
  /** After how long without a sign of life another process may take over. Default 30 000. */
  readonly leaseMs?: number | undefined;
}

/** The last turn in line of each session, by store: two stores may hold sessions of the same id. */
const lines = new WeakMap<SessionStore, Map<string, Promise<void>>>();

/**
 * Runs `turn` when no other turn of the session runs: within the process in the order of the calls, between processes by
 * the store's lease, where it has one. A turn that outlives its lease all the same is caught by the version when it saves.
 *
 * @throws {SessionError} code `session-busy` when `waitMs` have passed; whatever `turn` throws; the signal's reason.
 */
export async function takeTurn<Result>(
  store: SessionStore,
  sessionId: string,
  options: TurnOptions & { readonly turn: () => Promise<Result> },
): Promise<Result> {
  checkSessionId(sessionId);
  options.signal?.throwIfAborted();
  let line = lines.get(store);
  if (line === undefined) {
    line = new Map();
    lines.set(store, line);
  }
  const before = line.get(sessionId);
  let end: () => void = () => {};
  const own = new Promise<void>((resolve) => {
    end = resolve;
  });
  // Who gives up waiting still stands in line until the one before is through.
  const inLine = before === undefined ? own : before.then(() => own);
  line.set(sessionId, inLine);
  const leave = (): void => {
    end();
    // Whoever came later has taken the place at the end.
    void inLine.then(() => line.get(sessionId) === inLine && line.delete(sessionId));
  };
  const patience = new Patience(sessionId, options);
  try {
    if (before !== undefined) await patience.until(before);
    return await withLease(store, sessionId, { ...options, patience });
  } finally {
    patience.end();
    leave();
  }
}

async function withLease<Result>(
  store: SessionStore,
  sessionId: string,
  options: TurnOptions & { readonly turn: () => Promise<Result>; readonly patience: Patience },
): Promise<Result> {
  const { turn, patience, leaseMs = 30_000 } = options;
  if (store.claim === undefined) return turn();
  const claim = { holder: crypto.randomUUID(), leaseMs };
  for (let waitMs = 10; !(await store.claim(sessionId, claim)); waitMs = Math.min(waitMs * 2, 250)) {
    await patience.until(sleep(waitMs));
  }
  patience.end();
  // A renewal that fails is no reason to end the turn: the version decides when it saves.
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewal = store.claim?.(sessionId, claim).catch(() => {}) ?? renewal;
  }, leaseMs / 3);
  timer.unref();
  try {
    return await turn();
  } finally {
    clearInterval(timer);
    // One under way would take the lease again after its release.
    await renewal;
    // The lease ends by itself; what the turn brought must not be lost for it.
    await store.release?.(sessionId, claim.holder).catch(() => {});
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Ends a wait by the caller's signal or by time. */
class Patience {
  readonly #ended: Promise<never>;
  #end: () => void = () => {};

  constructor(sessionId: string, { signal, waitMs }: TurnOptions) {
    this.#ended = new Promise((_, reject) => {
      const onAbort = (): void => reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      const timer =
        waitMs === undefined || waitMs > 2 ** 31 - 1
          ? undefined
          : setTimeout(() => {
              reject(
                new SessionError(
                  `another turn of session ${JSON.stringify(sessionId)} did not end within ${waitMs} ms; wait longer, or end it`,
                  { code: "session-busy", sessionId, retryable: true },
                ),
              );
            }, waitMs);
      this.#end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
    });
    this.#ended.catch(() => {});
  }

  until<Value>(wait: Promise<Value>): Promise<Value> {
    return Promise.race([wait, this.#ended]);
  }

  end(): void {
    this.#end();
  }
}
