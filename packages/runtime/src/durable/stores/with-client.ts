import type { Pool, PoolClient } from "pg";

/**
 * Does something with a connection of its own; rolls back what is open when it fails.
 *
 * A connection that breaks rejects the query under way, and one that was lent out is also an event that nobody hears by
 * itself: without a listener it would end the process.
 */
export async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  try {
    return await work(client);
  } catch (error) {
    await client.query("ROLLBACK").catch(onError);
    throw error;
  } finally {
    client.removeListener("error", onError);
    client.release(broken);
  }
}
