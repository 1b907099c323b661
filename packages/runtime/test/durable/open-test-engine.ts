import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { SqliteStore } from "../../src/durable/stores/sqlite-store.js";
import { type Engine, type EngineOptions, openEngine } from "../../src/index.js";

/** A folder that is gone after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "callsign-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An engine on a file; a second one on the same file is as another process. */
export async function openTestEngine(path: string, options: Omit<EngineOptions, "store">): Promise<Engine> {
  const store = await SqliteStore.open(path, { synchronous: "normal" });
  const engine = await openEngine({ store, pollMs: 20, ...options });
  onTestFinished(() => engine.stop({ timeoutMs: 100 }));
  return engine;
}

export async function until(condition: () => boolean | Promise<boolean>, what = "a condition"): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come true`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
