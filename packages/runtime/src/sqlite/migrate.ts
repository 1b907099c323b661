import type { DatabaseSync } from "node:sqlite";
import { rollBack } from "./roll-back.js";

/** The tables of one component, as the steps that lead to them. A step that was released is never changed. */
export interface Migrations {
  readonly component: string;
  /** The first one makes version 1. */
  readonly steps: readonly string[];
}

/** The database was written by a release that knows more steps. */
export class LaterVersion extends Error {
  override readonly name = "LaterVersion";
}

/** Brings the tables of a component to the latest version, all steps or none. */
export function migrate(database: DatabaseSync, { component, steps }: Migrations): void {
  if (readVersion(database, component) === steps.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(
      "CREATE TABLE IF NOT EXISTS callsign_versions (component TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT",
    );
    // Read again: another process may have been faster.
    const version = readVersion(database, component);
    if (version > steps.length) {
      throw new LaterVersion(`its tables have version ${version}, and this release reads version ${steps.length}`);
    }
    for (const step of steps.slice(version)) database.exec(step);
    database
      .prepare("INSERT INTO callsign_versions VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version")
      .run(component, steps.length);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function readVersion(database: DatabaseSync, component: string): number {
  const known = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'callsign_versions'")
    .get();
  if (known === undefined) return 0;
  const row = database.prepare("SELECT version FROM callsign_versions WHERE component = ?").get(component);
  return Number(row?.version ?? 0);
}
