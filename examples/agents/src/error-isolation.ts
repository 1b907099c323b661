import { agent } from "@callsign/runtime";
import { bind } from "./callsign.gen.ts";
import { type ModelSettings, runExample } from "./run-example.ts";

/**
 * Asks the database.
 *
 * @tool query_database
 */
export async function queryDatabase(table: string): Promise<string> {
  throw new Error(`Database connection timeout while reading ${table}`);
}

/**
 * Reads yesterday's copy of a table.
 *
 * @tool read_copy
 */
export function readCopy(table: string): string {
  return `${table}: 42 rows, as of yesterday`;
}

bind({ queryDatabase, readCopy });

/** A tool that throws is a result marked as an error: the model sees it, and may find another way. */
export function errorIsolation(settings: ModelSettings, question: string): Promise<string> {
  const analyst = agent("You answer from the database, and from yesterday's copy when it cannot be reached.", {
    ...settings,
    tools: [queryDatabase, readCopy],
  });
  return analyst(question);
}

if (import.meta.main) await runExample(errorIsolation, "How many orders are there?");
