/**
 * What the runtime gives to a tool's parameter of this type. Such a parameter is not part of the tool's schema.
 *
 * @typeParam Deps What the agent's option `deps` holds: clients, configuration, the signed-in user.
 */
export interface ToolContext<Deps = unknown> {
  /** The name that the model called. */
  readonly toolName: string;
  /** The provider's id of this call; unique within a run. */
  readonly callId: string;
  /** The same each time this very call is run again, and for no other call: pass it on to what must act only once. */
  readonly idempotencyKey: string;
  /** Absent outside a session. */
  readonly sessionId?: string;
  /** Aborted when the run is cancelled or the call's time is over. */
  readonly signal: AbortSignal;
  readonly deps: Deps;
  /** Shows an intermediate value to whoever watches the run (event `tool_progress`). Never stored, never sent to the model. */
  progress(value: unknown): void;
}

const contexts = new WeakSet<object>();

/** Marks a context that the runtime made, so that it is told from an argument. */
export function markToolContext(context: ToolContext): ToolContext {
  contexts.add(context);
  return context;
}

export function isToolContext(value: unknown): value is ToolContext {
  return typeof value === "object" && value !== null && contexts.has(value);
}
