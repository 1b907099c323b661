import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { SqliteStore } from "../../src/durable/stores/sqlite-store.js";
import { SqliteSessionStore } from "../../src/sqlite/index.js";
import { testRunStore } from "../../src/testing/test-run-store.js";
import { makeFolder } from "./open-test-engine.js";

const paths = new WeakMap<object, string>();

testRunStore({
  test,
  open: async () => {
    const path = join(mkdtempSync(join(tmpdir(), "callsign-")), "deep/er/runs.db");
    const store = await SqliteStore.open(path);
    paths.set(store, path);
    return store;
  },
  openAgain: (store) => SqliteStore.open(paths.get(store) as string),
});

describe("the SQLite store", () => {
  test("says clearly what is wrong with its file", async () => {
    const folder = await makeFolder();
    writeFileSync(join(folder, "text.db"), "no database ".repeat(100));
    await expect(SqliteStore.open(join(folder, "text.db"))).rejects.toMatchObject({ code: "corrupt" });
    const newer = new DatabaseSync(join(folder, "newer.db"));
    newer.exec("CREATE TABLE callsign_versions (component TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT");
    newer.exec("INSERT INTO callsign_versions VALUES ('runs', 99)");
    newer.close();
    await expect(SqliteStore.open(join(folder, "newer.db"))).rejects.toMatchObject({ code: "schema-newer" });
    await expect(SqliteStore.open(join(folder, "text.db/runs.db"))).rejects.toMatchObject({ name: "StoreError" });
  });

  test("shares a file with the store of sessions", async () => {
    const path = join(await makeFolder(), "both.db");
    const runs = await SqliteStore.open(path);
    const sessions = new SqliteSessionStore(path);
    await sessions.save("s", { expectedVersion: 0, append: [] });
    await runs.create({ id: "r", namespace: "default", workflow: "flow", input: null });
    const again = await SqliteStore.open(path);
    expect([(await again.get("r"))?.id, (await sessions.load("s"))?.id]).toEqual(["r", "s"]);
    await again.close();
    await sessions.close();
    await runs.close();
  });

  test("names the row that cannot be read", async () => {
    const path = join(await makeFolder(), "runs.db");
    const store = await SqliteStore.open(path);
    await store.create({ id: "r", namespace: "default", workflow: "flow", input: null });
    await store.signal("r", { type: "TASK_RESUMED", key: "k", value: 1 });
    const db = new DatabaseSync(path);
    db.exec("UPDATE events SET value = '{cut'");
    db.close();
    await expect(store.load("r")).rejects.toThrow("the event 1 of the run r cannot be read");
    await store.close();
  });

  test("lists a run that cannot be read, and says so, beside all the others", async () => {
    const path = join(await makeFolder(), "runs.db");
    const store = await SqliteStore.open(path);
    for (const id of ["whole", "broken"]) await store.create({ id, namespace: "default", workflow: "flow", input: 1 });
    const db = new DatabaseSync(path);
    db.exec("UPDATE runs SET input = '{cut', waiting_for = '[' WHERE id = 'broken'");
    db.close();
    const { runs } = await store.list({});
    expect(runs.map(({ id, error }) => [id, error?.code]).sort()).toEqual([
      ["broken", "corrupt"],
      ["whole", undefined],
    ]);
    await expect(store.get("broken")).rejects.toThrow("the run broken cannot be read");
    await store.close();
  });

  test("leaves the event loop free while it waits for another process that writes", async () => {
    const path = join(await makeFolder(), "runs.db");
    const store = await SqliteStore.open(path);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const created = store.create({ id: "r", namespace: "default", workflow: "flow", input: null });
    // Nobody could end the wait otherwise.
    setTimeout(() => other.exec("ROLLBACK"), 100);
    expect((await created).state).toBe("SCHEDULED");
    other.close();
    await store.close();
  });

  test("waits for another process that writes, and gives up with a clear error", async () => {
    const path = join(await makeFolder(), "runs.db");
    const store = await SqliteStore.open(path, { lockTimeoutMs: 50 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const run = { id: "r", namespace: "default", workflow: "flow", input: null };
    await expect(store.create(run)).rejects.toMatchObject({ code: "locked" });
    other.exec("ROLLBACK");
    await store.create(run);
    other.close();
    await store.close();
  });

  test("loses nothing that was acknowledged when the disk is full", async () => {
    const path = join(await makeFolder(), "runs.db");
    const script = `
      import { SqliteStore } from ${JSON.stringify(new URL("../../dist/sqlite/index.js", import.meta.url).href)};
      const store = await SqliteStore.open(${JSON.stringify(path)});
      await store.create({ id: "r", namespace: "default", workflow: "flow", input: null });
      const claim = await store.claim("me", 60_000);
      let kept = 0;
      try {
        for (;;) kept = await store.append(claim, [{ type: "TASK_STARTED", taskId: "t", time: 1, value: "x".repeat(10_000) }]);
      } catch (error) {
        console.log(JSON.stringify({ kept, code: error.code, name: error.name }));
      }
    `;
    // 512-byte blocks: 1 MiB. The signal is ignored, so that the write fails instead.
    const command = `trap '' XFSZ; ulimit -f 2048; exec "$0" --input-type=module -e "$1"`;
    const out = execFileSync("bash", ["-c", command, process.execPath, script], { encoding: "utf8" });
    const { kept, code, name } = JSON.parse(out) as { kept: number; code: string; name: string };
    expect([name, code]).toEqual(["StoreError", "full"]);
    expect(kept).toBeGreaterThan(10);
    const store = await SqliteStore.open(path);
    expect(await store.load("r")).toHaveLength(kept);
    await store.close();
  });
});
