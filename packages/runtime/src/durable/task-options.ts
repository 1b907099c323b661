/** How a task is carried out. Times are in milliseconds. */
export interface TaskOptions<Args extends readonly unknown[] = readonly never[], Result = unknown> {
  /** What the task is called in the event log and in approvals. Default: the function's name. */
  readonly name?: string;
  /** What models are told of it, where it is a tool. Read by the compiler. */
  readonly description?: string;
  /** How often it is tried again when it throws; or how. Default 0. */
  readonly retries?: number | RetryOptions;
  /** How long one try may take. Its `signal` is aborted then. Default: no limit. */
  readonly timeoutMs?: number;
  /** What to do instead when every try has failed: its result is the task's. */
  readonly fallback?: (...args: Args) => Result | Promise<Result>;
  /** What to undo when the task has failed for good, after the fallback. Its failure is logged and changes nothing. */
  readonly rollback?: (...args: Args) => unknown;
  /** Whether a result may be taken from an earlier call with the same arguments, of any run; for how long. */
  readonly cache?: boolean | { readonly ttlMs?: number };
  /** Whether a person decides before it runs: always, or for these arguments. A rejection is no failure to be retried. */
  readonly requiresApproval?: boolean | ((...args: Args) => boolean | Promise<boolean>);
  /** Arguments and result are not stored, nor shown to who is to approve. On replay the task runs again; not with `once`. */
  readonly sensitive?: boolean;
  /** When it is not known whether it ran (the process died during it), a person decides. Default: it runs again. */
  readonly once?: boolean;
}

export interface RetryOptions {
  /** How many tries after the first one. */
  readonly attempts: number;
  /** Before the second try. Default 1 000. */
  readonly delayMs?: number;
  /** By what each further delay is longer than the one before. Default 2. */
  readonly backoff?: number;
  /** Default 60 000. */
  readonly maxDelayMs?: number;
}
