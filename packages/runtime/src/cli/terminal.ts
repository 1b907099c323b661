import { writeSync } from "node:fs";
import { styleText } from "node:util";

/** How a text is shown where colours are shown. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** What a command prints to and reads from. Results go to `out`; what happens on the way, and problems, to `error`. */
export interface Terminal {
  out(text: string): void;
  error(text: string): void;
  /** A text for `out` or `error`, in colour where a person sees it: NO_COLOR and FORCE_COLOR decide before the terminal. */
  paint(where: "out" | "error", style: Style, text: string): string;
  /** Whether a person reads along, or types. */
  readonly isTerminal: { readonly in: boolean; readonly out: boolean; readonly error: boolean };
  /** All of the standard input. */
  readAll(): Promise<string>;
  /** Kept when everything that was printed has left the process. */
  flush(): Promise<void>;
}

let isReaderGone = false;

/** Whether the process ends because nobody reads what it prints. */
export function readerIsGone(): boolean {
  return isReaderGone;
}

/** The process's own terminal. */
export function processTerminal(): Terminal {
  const out = new Writer(1, () => process.stdout);
  const error = new Writer(2, () => process.stderr);
  return {
    out: (text) => out.write(text),
    error: (text) => error.write(text),
    paint: (where, style, text) =>
      styleText(style, text, { stream: where === "out" ? process.stdout : process.stderr }),
    isTerminal: {
      get in() {
        return process.stdin.isTTY === true;
      },
      get out() {
        return process.stdout.isTTY === true;
      },
      get error() {
        return process.stderr.isTTY === true;
      },
    },
    async readAll() {
      process.stdin.setEncoding("utf8");
      let text = "";
      for await (const piece of process.stdin) text += piece;
      return text;
    },
    async flush() {
      await Promise.all([out.flush(), error.flush()]);
    },
  };
}

/**
 * From now on whatever tools and workflows print goes to the error stream: the standard output has the result alone, which
 * the next program in a pipe reads.
 */
export function reserveOut(): void {
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

/**
 * Writes straight to the descriptor, so that nothing is lost when the process ends. The stream takes over when the pipe
 * is full and must be waited for.
 */
class Writer {
  readonly #descriptor: number;
  readonly #openStream: () => NodeJS.WriteStream;
  #stream: NodeJS.WriteStream | undefined;
  #pending = 0;
  #onFlushed: () => void = () => {};

  constructor(descriptor: number, openStream: () => NodeJS.WriteStream) {
    this.#descriptor = descriptor;
    this.#openStream = openStream;
  }

  write(text: string): void {
    let rest: Uint8Array = Buffer.from(text);
    try {
      while (this.#stream === undefined && rest.length > 0) rest = rest.subarray(writeSync(this.#descriptor, rest));
    } catch (error) {
      this.#leaveIfClosed(error);
      this.#stream = this.#openStream().on("error", (failure) => this.#leaveIfClosed(failure));
    }
    if (rest.length === 0 || this.#stream === undefined) return;
    this.#pending += 1;
    const onWritten = (): void => {
      this.#pending -= 1;
      if (this.#pending === 0) this.#onFlushed();
    };
    // The stream's own way of writing, also after `reserveOut`.
    Object.getPrototypeOf(this.#stream).write.call(this.#stream, rest, onWritten);
  }

  flush(): Promise<void> {
    if (this.#pending === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onFlushed = resolve;
    });
  }

  /** Nobody reads any more (`callsign runs list | head -1`): there is nothing left to do, and nothing to complain of. */
  #leaveIfClosed(error: unknown): void {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") {
      isReaderGone = true;
      process.exit(process.exitCode ?? 0);
    }
    if (code !== "EAGAIN") throw error;
  }
}
