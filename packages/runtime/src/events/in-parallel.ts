/**
 * Starts tasks in order, at most `limit` of them at the same time. Results come in the order of the tasks.
 * A task that rejects rejects the whole; here none does.
 */
export async function inParallel<Result>(
  tasks: readonly (() => Promise<Result>)[],
  limit: number,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < tasks.length) {
      const index = next++;
      results[index] = await (tasks[index] as () => Promise<Result>)();
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, work));
  return results;
}
