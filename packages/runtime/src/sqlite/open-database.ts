import type { DatabaseSync } from "node:sqlite";
import { type Migrations, migrate } from "./migrate.js";
import { rollBack } from "./roll-back.js";

export interface OpenOptions {
  /**
   * `normal`: a commit survives the death of the process; the last ones before a power cut may be lost, never a part of
   * one. `full`: it survives that too. Default `normal`.
   */
  readonly synchronous?: "full" | "normal";
}

/** SQLite's own wait for a lock stops the whole event loop: longer waits are `withRetries`'. */
const BUSY_TIMEOUT_MS = 20;

/** Opens a database for one component of callsign. Several may share a file: each has tables and a version of its own. */
export function openDatabase(
  path: string,
  migrations: Migrations,
  { synchronous = "normal" }: OpenOptions = {},
): DatabaseSync {
  // Not imported, so that whoever loads this module loads no database yet, and bundlers need not know of it.
  const sqlite = process.getBuiltinModule("node:sqlite");
  if (sqlite === undefined) throw new SqliteMissing();
  const database = new sqlite.DatabaseSync(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${synchronous === "full" ? "FULL" : "NORMAL"}`);
    database.exec("PRAGMA foreign_keys = ON");
    migrate(database, migrations);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** This Node.js was built without SQLite, or is older than 22.13. */
export class SqliteMissing extends Error {
  override readonly name = "SqliteMissing";

  constructor() {
    super(`it needs node:sqlite, which Node.js has from 22.13 on; this is ${process.version}`);
  }
}

/** Runs `work` in one transaction that is a writer from the start, so that it never has to give up halfway. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Tries again while another connection holds the lock. */
export async function withRetries<Result>(
  work: () => Result,
  options: { readonly timeoutMs: number },
): Promise<Result> {
  const end = performance.now() + options.timeoutMs;
  for (let waitMs = 2; ; waitMs = Math.min(waitMs * 2, 100)) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random() / 2)));
    }
  }
}

/** SQLite's primary result code of an error: 5 busy, 6 locked, 11 corrupt, 26 no database. */
export function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 5 || code === 6;
}
