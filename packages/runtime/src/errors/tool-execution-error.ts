import { CallsignError } from "./callsign-error.js";

/** A tool's function threw, ran out of time, or gave back what JSON cannot hold. `cause` is what was thrown. */
export class ToolExecutionError extends CallsignError {
  override readonly name = "ToolExecutionError";
  readonly tool: string;
  readonly callId: string | undefined;

  constructor(
    message: string,
    options: {
      /** `tool-failed`, `tool-timeout`, `tool-aborted` or `result-not-json`. */
      readonly code: string;
      readonly tool: string;
      readonly callId?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, options);
    this.tool = options.tool;
    this.callId = options.callId;
  }
}
