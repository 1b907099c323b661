import { AgentError } from "../errors/agent-error.js";
import type { Decision } from "./execution.js";

/** The calls of a run that wait for a person. Each is decided once, finally. */
export class Approvals {
  readonly #waiting = new Map<string, (decision: Decision) => void>();
  readonly #decided = new Set<string>();

  /** The ids of the calls that wait, oldest first. */
  get pending(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** Waits until `decide` is called for this call. @throws the signal's reason when the run ends before. */
  wait(callId: string, signal: AbortSignal): Promise<Decision> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(callId);
        reject(signal.reason);
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(callId, (decision) => {
        signal.removeEventListener("abort", onAbort);
        resolve(decision);
      });
    });
  }

  /** @throws {AgentError} `approval-decided` or `approval-unknown`. */
  decide(callId: string, decision: Decision): void {
    const resolve = this.#waiting.get(callId);
    if (resolve === undefined) {
      const known = this.pending.length === 0 ? "no call waits" : `these calls wait: ${this.pending.join(", ")}`;
      throw this.#decided.has(callId)
        ? new AgentError(`the call ${JSON.stringify(callId)} is already decided`, { code: "approval-decided" })
        : new AgentError(`no call ${JSON.stringify(callId)} waits for a decision; ${known}`, {
            code: "approval-unknown",
          });
    }
    this.#waiting.delete(callId);
    this.#decided.add(callId);
    resolve(decision);
  }
}
