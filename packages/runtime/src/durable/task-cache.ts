import type { Json } from "../manifest/json-schema.js";

/** Results of tasks with the option `cache`, apart from the event log. */
export interface TaskCache {
  get(key: string): { readonly value: Json } | undefined;
  set(key: string, entry: { readonly value: Json }, ttlMs: number | undefined): void;
}

/** Results in memory, the ones used last. @param maxEntries Default 1 000. */
export function memoryTaskCache(maxEntries = 1_000): TaskCache {
  const entries = new Map<string, { readonly value: Json; readonly until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.until <= Date.now()) return undefined;
      entries.set(key, entry);
      return entry;
    },
    set(key, { value }, ttlMs) {
      entries.delete(key);
      entries.set(key, { value, until: ttlMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + ttlMs });
      const oldest = entries.size > maxEntries ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
    },
  };
}
