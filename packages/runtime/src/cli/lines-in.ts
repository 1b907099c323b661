import { createInterface, type Interface } from "node:readline";

/** Lines that a person types, or that come through a pipe. */
export class LinesIn {
  readonly #reader: Interface;
  readonly #lines: string[] = [];
  #wanted: ((line: string | undefined) => void) | undefined;
  #isOver = false;

  /** @param onInterrupt Ctrl-C, wherever it comes from. */
  constructor({ isTerminal, onInterrupt }: { readonly isTerminal: boolean; readonly onInterrupt: () => void }) {
    // The prompt stands on the error stream: the standard output has answers alone.
    this.#reader = createInterface({
      input: process.stdin,
      output: isTerminal ? process.stderr : undefined,
      terminal: isTerminal,
    });
    this.#reader.on("line", (line) => {
      if (this.#wanted === undefined) this.#lines.push(line);
      else this.#give(line);
    });
    this.#reader.on("close", () => {
      this.#isOver = true;
      this.#give(undefined);
    });
    this.#reader.on("SIGINT", onInterrupt);
  }

  /** The next line; undefined when there is none any more. */
  next(prompt: string): Promise<string | undefined> {
    const known = this.#lines.shift();
    if (known !== undefined || this.#isOver) return Promise.resolve(known);
    this.#reader.setPrompt(prompt);
    this.#reader.prompt();
    return new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }

  /** Whoever waits for a line gets none, and what is printed next begins one. */
  cancel(): void {
    if (this.#wanted !== undefined && this.#reader.terminal) process.stderr.write("\n");
    this.#give(undefined);
  }

  close(): void {
    this.#reader.close();
  }

  #give(line: string | undefined): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.(line);
  }
}
