/** So many values may wait for a reader before those who push are asked to wait themselves. */
const MOST_WAITING = 1_024;

/** Passes values from callbacks to one async reader, in order. Values that nobody has read yet wait. */
export class EventQueue<T> {
  #waiting: T[] = [];
  /** How many of `#waiting` were read: shifting an array is slow when it is long. */
  #head = 0;
  /** Reads that wait for a value, oldest first. */
  #reads: ((step: IteratorResult<T, void>) => void)[] = [];
  #relief: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #closed = false;

  /** How many values were pushed and not read. */
  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  /**
   * Does nothing after `close`.
   *
   * @returns A promise when the reader is behind, kept when it has caught up.
   */
  push(value: T): Promise<void> | undefined {
    if (this.#closed) return undefined;
    const read = this.#reads.shift();
    if (read !== undefined) {
      read({ done: false, value });
      return undefined;
    }
    this.#waiting.push(value);
    if (this.#waiting.length - this.#head < MOST_WAITING) return undefined;
    this.#relief ??= Promise.withResolvers<void>();
    return this.#relief.promise;
  }

  /** The reader gets what was pushed before, then the end. */
  close(): void {
    this.#closed = true;
    for (const read of this.#reads) read({ done: true, value: undefined });
    this.#reads = [];
    this.#relieve();
  }

  /** Nobody reads any more: what waits is let go, and nobody is asked to wait. */
  stopReading(): void {
    this.#waiting = [];
    this.#head = 0;
    this.close();
  }

  /** The values for a `for await` loop. @param onLeave Called when the loop is left before the end. */
  iterate(onLeave: () => void): AsyncIterator<T, void> {
    return {
      next: () => this.next(),
      return: () => {
        onLeave();
        this.stopReading();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /** The next value. Several reads may wait; each gets a value of its own, in their order. */
  next(): Promise<IteratorResult<T, void>> {
    if (this.#head < this.#waiting.length) {
      const value = this.#waiting[this.#head++] as T;
      if (this.#head === this.#waiting.length) {
        this.#waiting = [];
        this.#head = 0;
        this.#relieve();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#closed) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#reads.push(resolve);
    });
  }

  #relieve(): void {
    this.#relief?.resolve();
    this.#relief = undefined;
  }
}
