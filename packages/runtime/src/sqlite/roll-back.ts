import type { DatabaseSync } from "node:sqlite";

/**
 * Ends a transaction that failed. SQLite may have ended it by itself, and a Node before 22.16 cannot say whether, so it is
 * tried.
 */
export function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There was none any more.
  }
}
