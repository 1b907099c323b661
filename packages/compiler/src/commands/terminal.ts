import { writeSync } from "node:fs";
import { UsageError } from "./usage-error.js";

/** What a command prints to and starts from; a test gives its own. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** Whether what goes to `out` and `error` may be coloured. */
  readonly color: { readonly out: boolean; readonly error: boolean };
  /**
   * Absolute path of the folder that relative paths on the command line start from.
   *
   * @throws {UsageError} when it is gone.
   */
  readonly cwd: string;
}

/** The process's own terminal. */
export function processTerminal(): Terminal {
  return {
    out: writer(1, () => process.stdout),
    error: writer(2, () => process.stderr),
    get cwd() {
      return currentFolder();
    },
    color: {
      get out() {
        return takesColor(process.stdout);
      },
      get error() {
        return takesColor(process.stderr);
      },
    },
  };
}

/**
 * Writes straight to the descriptor: making `process.stdout` loads Node's network code when the output is a pipe, which
 * takes longer than a build with nothing to do. The stream takes over when the pipe is full and must be waited for.
 */
function writer(descriptor: number, openStream: () => NodeJS.WriteStream): Terminal["out"] {
  let stream: NodeJS.WriteStream | undefined;
  return (text) => {
    let rest: Uint8Array = Buffer.from(text);
    try {
      while (stream === undefined && rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (isClosedPipe(error)) return;
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
        // Where even that cannot be said, the exit status is left.
        if (descriptor === 2) return;
        const { message } = error as Error;
        throw new UsageError(`the output cannot be written: ${message}`, "give it another place, or make room there");
      }
      stream = openStream().on("error", (failure) => {
        if (!isClosedPipe(failure)) throw failure;
      });
    }
    if (rest.length > 0) stream?.write(rest);
  };
}

/** A reader that closes early (`callsignc show x | head -1`) is no fault. */
function isClosedPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EPIPE";
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError(
      "the current folder does not exist any more",
      "go to a folder that exists, or give one by --cwd",
    );
  }
}

// `hasColors` knows NO_COLOR, FORCE_COLOR, TERM and the like; a stream that is no terminal does not have it.
function takesColor(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && stream.hasColors();
}
