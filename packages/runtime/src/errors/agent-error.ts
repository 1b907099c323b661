import { CallsignError } from "./callsign-error.js";

/** An agent cannot start or finish: an option that does not fit, a model that is not known, an answer that never fits. */
export class AgentError extends CallsignError {
  override readonly name = "AgentError";
  /** True when the same run may succeed at another time. */
  readonly retryable: boolean;
  /** What the model wrote instead of an answer that could be used. */
  readonly text: string | undefined;

  constructor(
    message: string,
    options: {
      readonly code: string;
      readonly retryable?: boolean;
      readonly text?: string;
      readonly cause?: unknown;
    },
  ) {
    super(message, options);
    this.retryable = options.retryable ?? false;
    this.text = options.text;
  }
}
