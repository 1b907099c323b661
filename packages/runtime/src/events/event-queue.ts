/** Passes values from callbacks to one async loop, in order. Values that nobody has read yet wait. */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  /** Does nothing after `close`. */
  push(value: T): void {
    if (this.#closed) return;
    this.#waiting.push(value);
    this.#wake?.();
  }

  /** The loop ends once it has read what was pushed before. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift() as T;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
