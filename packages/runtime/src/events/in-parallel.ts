import { EventQueue } from "./event-queue.js";

/**
 * Runs generators at the same time: what they yield comes as it happens, what they return in the order given.
 *
 * @param limit How many may run at the same time.
 */
export async function* inParallel<Event, Result>(
  generators: readonly AsyncGenerator<Event, Result>[],
  limit: number,
): AsyncGenerator<Event, Result[]> {
  const queue = new EventQueue<Event>();
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < generators.length) {
      const index = next;
      next += 1;
      results[index] = await drain(generators[index] as AsyncGenerator<Event, Result>, queue);
    }
  };
  const workers = Promise.all(Array.from({ length: Math.min(limit, generators.length) }, work)).finally(() =>
    queue.close(),
  );
  // A failure is thrown below, after the events that came before it; until then it must not count as unhandled.
  workers.catch(() => {});
  yield* queue;
  await workers;
  return results;
}

async function drain<Event, Result>(
  generator: AsyncGenerator<Event, Result>,
  queue: EventQueue<Event>,
): Promise<Result> {
  for (;;) {
    const step = await generator.next();
    if (step.done) return step.value;
    queue.push(step.value);
  }
}
