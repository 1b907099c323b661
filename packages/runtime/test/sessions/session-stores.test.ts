import { execFileSync, fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { MemorySessionStore, type Message, SessionError } from "../../src/index.js";
import { migrate } from "../../src/sqlite/migrate.js";
import { SqliteSessionStore } from "../../src/sqlite/sqlite-session-store.js";
import { testSessionStore } from "../../src/testing/test-session-store.js";

const folder = mkdtempSync(join(tmpdir(), "callsign-sessions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = (): string => join(folder, `${files++}.db`);
const text = (value: string): Message => ({ role: "user", content: [{ type: "text", text: value }] });

describe("in memory:", () => testSessionStore({ test, open: () => new MemorySessionStore() }));

describe("in SQLite:", () => {
  const paths = new WeakMap<object, string>();
  const openFile = (path: string): SqliteSessionStore => {
    const store = new SqliteSessionStore(path);
    paths.set(store, path);
    return store;
  };
  testSessionStore({
    test,
    open: () => openFile(newFile()),
    openAgain: (store) => openFile(paths.get(store) as string),
  });
});

describe("testSessionStore()", () => {
  test("leaves out tests that are named with a reason, and refuses names that are none", () => {
    const names: string[] = [];
    const collect = (name: string): void => void names.push(name);
    const open = (): MemorySessionStore => new MemorySessionStore();
    testSessionStore({ test: collect, open });
    const skipped = "forgets a deleted session whole";
    const count = names.splice(0).length;
    testSessionStore({ test: collect, open, skip: [{ test: skipped, reason: "it is an archive" }] });
    expect(names).toHaveLength(count - 1);
    expect(() => testSessionStore({ test: collect, open, skip: [{ test: "x", reason: "" }] })).toThrow('no test "x"');
  });

  test("finds what is wrong with a store", async () => {
    class Forgetful extends MemorySessionStore {
      override async save(id: string, change: Parameters<MemorySessionStore["save"]>[1]) {
        const stored = await this.load(id);
        return super.save(id, { ...change, expectedVersion: stored?.version ?? 0 });
      }
    }
    const failed: string[] = [];
    const runs: Promise<void>[] = [];
    const run = (name: string, body: () => Promise<void>): void => {
      runs.push(body().catch(() => void failed.push(name)));
    };
    testSessionStore({ test: run, open: () => new Forgetful() });
    await Promise.all(runs);
    expect(failed).toContain(
      "the session store refuses a save on another version than the stored one, and changes nothing",
    );
  });
});

describe("SqliteSessionStore", () => {
  test("is there again after the process ended, and nothing is opened before the first use", async () => {
    const path = newFile();
    const store = new SqliteSessionStore(path);
    const later = new SqliteSessionStore(join(path, "no", "folder"));
    await store.save("a", { expectedVersion: 0, append: [text("1")] });
    await store.close();
    const again = new SqliteSessionStore(path);
    expect((await again.load("a"))?.messages).toEqual([text("1")]);
    await again.close();
    await expect(later.load("a")).rejects.toMatchObject({ code: "store-unusable", message: /cannot be used/ });
  });

  test("says that it was closed", async () => {
    const store = new SqliteSessionStore(newFile());
    await store.close();
    await store.close();
    await expect(store.load("a")).rejects.toMatchObject({ name: "SessionError", code: "store-closed" });
  });

  test("waits while another process writes, and then says who is in the way", async () => {
    const path = newFile();
    const store = new SqliteSessionStore(path, { lockTimeoutMs: 100 });
    await store.save("a", { expectedVersion: 0 });
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    // Readers need not wait.
    expect((await store.load("a"))?.version).toBe(1);
    await expect(store.save("a", { expectedVersion: 1 })).rejects.toMatchObject({
      code: "store-locked",
      retryable: true,
      message: expect.stringContaining("lockTimeoutMs"),
    });
    const patient = new SqliteSessionStore(path, { lockTimeoutMs: 30_000 });
    const saved = patient.save("a", { expectedVersion: 1 });
    setTimeout(() => other.exec("COMMIT"), 50);
    await expect(saved).resolves.toMatchObject({ version: 2 });
    other.close();
    await store.close();
    await patient.close();
  });

  test.each([
    [
      "a message that is not JSON",
      "UPDATE session_messages SET message = '{\"role\"' WHERE position = 1",
      "message 1 is not JSON",
    ],
    [
      "a message that is none",
      "UPDATE session_messages SET message = '7' WHERE position = 1",
      "message 1 is no message",
    ],
    ["a missing message", "DELETE FROM session_messages WHERE position = 1", "1 of its 2 messages are there"],
    ["metadata that are none", "UPDATE sessions SET metadata = '[]'", "the metadata is no object"],
  ])("never gives a part of a history: %s", async (_, damage, problem) => {
    const path = newFile();
    const store = new SqliteSessionStore(path);
    await store.save("a", { expectedVersion: 0, append: [text("1"), text("2")] });
    const other = new DatabaseSync(path);
    other.exec(damage);
    other.close();
    const error = (await store.load("a").catch((thrown: unknown) => thrown)) as SessionError;
    expect(error).toBeInstanceOf(SessionError);
    expect(error.code).toBe("session-corrupt");
    expect(error.sessionId).toBe("a");
    expect(error.message).toContain(problem);
    expect(await store.delete("a")).toBe(true);
    await store.close();
  });

  test("says so when the file is no database, or was written by a later release", async () => {
    const path = newFile();
    writeFileSync(path, "this is no database at all, but long enough to be read as a header of one".repeat(20));
    await expect(new SqliteSessionStore(path).load("a")).rejects.toMatchObject({
      code: "store-unusable",
      message: expect.stringContaining("not a database"),
    });
    const later = newFile();
    const store = new SqliteSessionStore(later);
    await store.list();
    await store.close();
    const other = new DatabaseSync(later);
    other.exec("UPDATE callsign_versions SET version = 99");
    other.close();
    await expect(new SqliteSessionStore(later).load("a")).rejects.toMatchObject({
      code: "store-version",
      message: expect.stringContaining("update @callsign/runtime"),
    });
  });

  test("shares its file with the tables of others", async () => {
    const path = newFile();
    const other = new DatabaseSync(path);
    other.exec("CREATE TABLE sessions_of_mine (x)");
    migrate(other, { component: "runs", steps: ["CREATE TABLE runs (id TEXT) STRICT"] });
    const store = new SqliteSessionStore(path);
    await store.save("a", { expectedVersion: 0 });
    await store.close();
    expect(other.prepare("SELECT component, version FROM callsign_versions ORDER BY 1").all()).toEqual([
      { component: "runs", version: 1 },
      { component: "sessions", version: 1 },
    ]);
    other.close();
  });

  test("loses nothing that was saved when its process is killed", async () => {
    const path = newFile();
    const writer = join(folder, "writer.mjs");
    const built = new URL("../../dist/sqlite/index.js", import.meta.url).href;
    writeFileSync(
      writer,
      `import { SqliteSessionStore } from ${JSON.stringify(built)};
const store = new SqliteSessionStore(process.argv[2]);
for (let version = 0; ; version++) {
  const message = (text) => ({ role: "user", content: [{ type: "text", text }] });
  await store.save("a", { expectedVersion: version, append: [message(version + "a"), message(version + "b")] });
  process.send(version + 1);
}`,
    );
    const child = fork(writer, [path], { stdio: "ignore" });
    let acknowledged = 0;
    await new Promise<void>((resolve) => {
      child.on("message", (version) => {
        acknowledged = version as number;
        if (acknowledged === 20) child.kill("SIGKILL");
      });
      child.on("exit", () => resolve());
    });
    const store = new SqliteSessionStore(path);
    const session = await store.load("a");
    await store.close();
    expect(session?.version).toBeGreaterThanOrEqual(acknowledged);
    expect(session?.messages).toHaveLength(2 * (session?.version ?? 0));
  });

  test("loads node:sqlite with the first use of a store, and the core never does", () => {
    const entry = (name: string): string => JSON.stringify(new URL(`../../dist/${name}.js`, import.meta.url).href);
    const script = `
      const loaded = () => process.moduleLoadList.includes("NativeModule node:sqlite") || process.moduleLoadList.includes("NativeModule sqlite");
      await import(${entry("index")});
      const { SqliteSessionStore } = await import(${entry("sqlite/index")});
      const store = new SqliteSessionStore(":memory:");
      const before = loaded();
      await store.list();
      console.log(before, loaded());`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(output.trim()).toBe("false true");
  });
});

describe("migrate()", () => {
  test("takes the steps that a database lacks, all of them or none", () => {
    const database = new DatabaseSync(":memory:");
    const first = "CREATE TABLE t (a TEXT) STRICT; INSERT INTO t VALUES ('kept')";
    migrate(database, { component: "x", steps: [first] });
    const broken = ["ALTER TABLE t ADD COLUMN b TEXT", "CREATE NONSENSE"];
    expect(() => migrate(database, { component: "x", steps: [first, ...broken] })).toThrow("syntax error");
    expect(database.prepare("SELECT * FROM t").all()).toEqual([{ a: "kept" }]);
    const steps = [first, "ALTER TABLE t ADD COLUMN b TEXT", "UPDATE t SET b = a"];
    migrate(database, { component: "x", steps });
    migrate(database, { component: "x", steps });
    expect(database.prepare("SELECT * FROM t").all()).toEqual([{ a: "kept", b: "kept" }]);
    expect(() => migrate(database, { component: "x", steps: [first] })).toThrow("version 3");
    database.close();
  });
});
