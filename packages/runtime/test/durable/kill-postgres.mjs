// Postgres for the processes of the kill suite.
import pg from "pg";
import { DbosCarrier } from "../../dist/dbos/index.js";
import { PostgresStore } from "../../dist/postgres/index.js";

const schema = "callsign";
/** Opened first: the carrier looks at the same runs. */
let store;

/**
 * A store that dies by `die("append")` while a statement that writes is sent and not answered, at any place of a
 * transaction, and by `die("recorded")` when an append is answered and nobody has the answer.
 */
export async function watchedPostgres(url, die) {
  const { query } = pg.Client.prototype;
  let count = 0;
  pg.Client.prototype.query = function (...args) {
    const text = typeof args[0] === "string" ? args[0] : (args[0]?.text ?? "");
    const isOurs = this.connectionParameters.options?.includes(`search_path=${schema}`);
    const writes = isOurs && /^\s*(WITH|INSERT|UPDATE|COMMIT)/.test(text);
    count += writes ? 1 : 0;
    if (writes && count % 2 === 0) die("append");
    const result = query.apply(this, args);
    // What was given to the socket goes out: Postgres may do it, or see it only in part.
    if (writes && count % 2 === 1) setImmediate(() => die("append"));
    return result;
  };
  store = await PostgresStore.open({ url, schema, maxConnections: 3 });
  const { append } = store;
  store.append = async (...args) => {
    const first = await append.apply(store, args);
    die("recorded");
    return first;
  };
  return store;
}

export async function dbosCarrier(url) {
  return new DbosCarrier({ store, url, schema, pollMs: 20, lookMs: 200, staleMs: 5_000 });
}
