import type { ModelEvent } from "../model/model-events.js";
import type { ModelCall } from "./model-call.js";

/** One request and how its answer is read. */
export interface Exchange<T> {
  /** Sends the request; resolves when the head of the answer is there. */
  open(): Promise<AsyncIterable<T>>;
  /** What one event of the SDK is to the caller. */
  push(event: T): ModelEvent | readonly ModelEvent[] | undefined;
  /** Whether the event that ends a reply has come. */
  isComplete(): boolean;
  /** The last events; the very last is the reply. May throw what the answer says went wrong. */
  finish(): readonly ModelEvent[];
  /** Whether a reply that was complete already is given although the connection broke after it. */
  readonly endsEarly?: boolean;
}

type Settled = IteratorResult<ModelEvent, undefined>;

/**
 * The events of one exchange. An iterator of our own and no async generator: this is passed once for each token, and
 * a generator costs a third more. As with a generator, leaving the loop ends the call, and `next` is not to be called
 * before the last one has resolved.
 */
export class EventStream<T> implements AsyncIterableIterator<ModelEvent> {
  readonly #call: ModelCall;
  readonly #exchange: Exchange<T>;
  #source: AsyncIterator<T> | undefined;
  #queue: readonly ModelEvent[] = [];
  #position = 0;
  #isOver = false;

  constructor(call: ModelCall, exchange: Exchange<T>) {
    this.#call = call;
    this.#exchange = exchange;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Settled> {
    if (this.#position < this.#queue.length) {
      return Promise.resolve({ done: false, value: this.#queue[this.#position++]! });
    }
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    // No async function: this is run for each token, and one `then` is the least that it can cost.
    return this.#source === undefined
      ? this.#open().then(this.#advance, this.#fail)
      : this.#source.next().then(this.#take, this.#fail);
  }

  async return(): Promise<Settled> {
    const source = this.#source;
    this.#over();
    this.#queue = [];
    // Some SDKs reject here for the very abort that frees the socket.
    await source?.return?.().catch(() => {});
    return { done: true, value: undefined };
  }

  async #open(): Promise<void> {
    const source = await this.#exchange.open();
    this.#call.answered();
    this.#source = source[Symbol.asyncIterator]();
  }

  readonly #advance = (): Promise<Settled> => this.next();

  readonly #take = ({ done, value }: IteratorResult<T>): Settled | Promise<Settled> => {
    try {
      const seen = done === true ? this.#finish() : this.#exchange.push(value);
      if (seen === undefined) return this.next();
      if (!Array.isArray(seen)) return { done: false, value: seen as ModelEvent };
      return seen.length > 0 ? this.#first(seen) : this.next();
    } catch (thrown) {
      return this.#fail(thrown);
    }
  };

  #first(events: readonly ModelEvent[]): Settled {
    this.#queue = events;
    this.#position = 1;
    return { done: false, value: events[0]! };
  }

  readonly #fail = (thrown: unknown): Settled => {
    const failure = this.#call.failure(thrown);
    const isForgiven = this.#exchange.endsEarly === true && this.#exchange.isComplete() && failure.code === "cut";
    if (isForgiven) return this.#first(this.#finish());
    this.#over();
    throw failure;
  };

  #finish(): readonly ModelEvent[] {
    if (!this.#exchange.isComplete()) throw this.#call.cut();
    const events = this.#exchange.finish();
    this.#over();
    return events;
  }

  #over(): void {
    this.#isOver = true;
    this.#call.end();
  }
}

/** An answer in one piece, read like a stream of one event. */
export async function inOnePiece<T>(answer: Promise<T>): Promise<AsyncIterable<T>> {
  const whole = await answer;
  return {
    async *[Symbol.asyncIterator]() {
      yield whole;
    },
  };
}
