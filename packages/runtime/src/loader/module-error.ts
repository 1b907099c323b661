import { CallsignError } from "../errors/callsign-error.js";

/** A module of the project cannot be loaded. */
export class ModuleError extends CallsignError {
  override readonly name = "ModuleError";
  /** Absolute path of the module that was to be loaded. */
  readonly file: string;

  /** @param options `code`: `module-missing` when there is no such file, `loader-missing` when jiti is needed and is not there. */
  constructor(message: string, options: { readonly code: string; readonly file: string; readonly cause?: unknown }) {
    super(message, options);
    this.file = options.file;
  }
}
