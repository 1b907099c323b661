import assert from "node:assert/strict";
import type { LogEventType, NewLogEvent } from "../durable/log-events.js";
import type { Claim, NewRun, RunStore } from "../durable/run-store.js";

/** How a store is opened for `testRunStore`. */
export interface RunStoreTests {
  /** The `test` of any test runner: vitest's, jest's, `node:test`'s. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** A new store without runs. It is closed after its test. */
  open(): RunStore | Promise<RunStore>;
  /** A second connection to the same runs, as another process has. */
  openAgain(store: RunStore): RunStore | Promise<RunStore>;
}

const TTL = 60_000;

function newRun(id: string, changes: Partial<NewRun> = {}): NewRun {
  return { id, namespace: "default", workflow: "flow", input: { n: 1 }, ...changes };
}

function event(type: LogEventType, changes: Partial<NewLogEvent> = {}): NewLogEvent {
  return { type, time: 1_700_000_000_000, ...changes };
}

const code = (wanted: string) => (error: unknown) => (error as { code?: unknown }).code === wanted;

async function claimed(store: RunStore, id = "r", owner = "me"): Promise<Claim> {
  await store.create(newRun(id));
  const claim = await store.claim(owner, TTL, { runId: id });
  assert.ok(claim);
  return claim;
}

/**
 * The conformance suite of stores of runs: what the engine relies on, as tests of your own test runner.
 *
 * @example
 * import { test } from "node:test"
 * import { SqliteStore } from "@callsign/runtime/sqlite"
 * import { testRunStore } from "@callsign/runtime/testing"
 *
 * let path = ""
 * testRunStore({
 *   test,
 *   open: () => SqliteStore.open((path = `/tmp/runs-${crypto.randomUUID()}.db`)),
 *   openAgain: () => SqliteStore.open(path),
 * })
 */
export function testRunStore({ test, open, openAgain }: RunStoreTests): void {
  const check = (name: string, run: (store: RunStore, again: () => Promise<RunStore>) => Promise<void>): void => {
    test(`the store of runs ${name}`, async () => {
      const store = await open();
      const others: RunStore[] = [];
      try {
        await run(store, async () => {
          const other = await openAgain(store);
          others.push(other);
          return other;
        });
      } finally {
        for (const other of others) await other.close();
        await store.close();
      }
    });
  };

  check("creates a run once, whoever asks again for the same", async (store, again) => {
    const run = await store.create(newRun("r"));
    assert.equal(run.state, "SCHEDULED");
    assert.equal(run.epoch, 0);
    assert.deepEqual(run.input, { n: 1 });
    assert.deepEqual(await (await again()).create(newRun("r")), run);
    await assert.rejects(store.create(newRun("r", { input: { n: 2 } })), code("run-conflict"));
    await assert.rejects(store.create(newRun("r", { workflow: "other" })), code("run-conflict"));
    assert.equal(await store.get("nobody"), null);
  });

  check("keeps ids, names and values as they are, whatever is in them", async (store) => {
    const input = {
      __proto__x: 1,
      "": [null, -0.5, 1e300, "\u2028 \u0001 🚀 'quoted' %s $1 ?"],
      constructor: { a: {} },
    };
    for (const id of ["__proto__", "a b/c?#", "ünï", "x".repeat(500), "'; DROP TABLE runs; --"]) {
      await store.create(newRun(id, { input, namespace: "n'\"s", workflow: "w%_" }));
      const claim = await store.claim("me", TTL, { runId: id });
      assert.ok(claim);
      assert.deepEqual(claim.run.input, input);
      await store.append(claim, [event("TASK_COMPLETED", { taskId: id, name: "n>/", value: input })]);
      assert.deepEqual((await store.load(id))[0]?.value, input);
    }
    const { runs } = await store.list({ namespace: "n'\"s", workflow: "w%_" });
    assert.equal(runs.length, 5);
  });

  check("numbers events without a gap, and gives those above a number", async (store) => {
    const claim = await claimed(store);
    assert.equal(await store.append(claim, [event("WORKFLOW_STARTED"), event("TASK_STARTED", { taskId: "t" })]), 1);
    assert.equal(await store.append(claim, [event("TASK_COMPLETED", { taskId: "t", value: 2 })]), 3);
    const events = await store.load("r");
    assert.deepEqual(
      events.map(({ seq, type }) => [seq, type]),
      [
        [1, "WORKFLOW_STARTED"],
        [2, "TASK_STARTED"],
        [3, "TASK_COMPLETED"],
      ],
    );
    assert.deepEqual(await store.load("r", 2), events.slice(2));
    assert.deepEqual(await store.load("nobody"), []);
    assert.equal("value" in (events[0] as object), false);
  });

  check("keeps however many events of one append in their order", async (store) => {
    const claim = await claimed(store);
    const written: NewLogEvent[] = [];
    for (const count of [1, 2, 3, 4, 5, 6, 50]) {
      const events = Array.from({ length: count }, (_, index) =>
        event("TASK_STARTED", { taskId: `t${written.length + index}`, name: `n${index}`, value: { index, count } }),
      );
      assert.equal(await store.append(claim, events), written.length + 1);
      written.push(...events);
    }
    const expected = written.map((each, index) => ({ ...each, seq: index + 1 }));
    assert.deepEqual(await store.load("r"), expected);
  });

  check("takes events all or none, and no second end of one task", async (store) => {
    const claim = await claimed(store);
    await store.append(claim, [event("TASK_COMPLETED", { taskId: "t" })]);
    const more = [event("TASK_STARTED", { taskId: "u" }), event("TASK_FAILED", { taskId: "t" })];
    await assert.rejects(store.append(claim, more), code("duplicate-end"));
    assert.equal((await store.load("r")).length, 1);
    assert.equal(await store.append(claim, [event("TASK_STARTED", { taskId: "u" })]), 2);
  });

  check("gives a run to one claimer at a time", async (store, again) => {
    await store.create(newRun("r"));
    const other = await again();
    const claims = await Promise.all([store.claim("a", TTL), other.claim("b", TTL), store.claim("c", TTL)]);
    const won = claims.filter((claim) => claim !== null);
    assert.equal(won.length, 1);
    assert.equal(won[0]?.epoch, 1);
    assert.equal((await store.get("r"))?.state, "RUNNING");
    assert.equal(await other.claim("b", TTL, { runId: "r" }), null);
  });

  check("gives only runs that the claimer can execute, the oldest first", async (store) => {
    await store.create(newRun("1", { workflow: "other" }));
    await store.create(newRun("2"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await store.create(newRun("3"));
    const workflows = ["default/flow"];
    assert.equal((await store.claim("me", TTL, { workflows }))?.run.id, "2");
    assert.equal((await store.claim("me", TTL, { workflows }))?.run.id, "3");
    assert.equal(await store.claim("me", TTL, { workflows }), null);
  });

  check("gives no run before its time", async (store) => {
    await store.create(newRun("r", { startAt: Date.now() + 100 }));
    assert.equal(await store.claim("me", TTL), null);
    await new Promise((resolve) => setTimeout(resolve, 130));
    assert.equal((await store.claim("me", TTL))?.run.id, "r");
  });

  check("fences a claimer whose lease passed on, at once and for good", async (store, again) => {
    await store.create(newRun("r"));
    const slow = await store.claim("slow", 20, { runId: "r" });
    assert.ok(slow);
    await store.append(slow, [event("TASK_STARTED", { taskId: "t" })]);
    await new Promise((resolve) => setTimeout(resolve, 40));
    const other = await again();
    const next = await other.claim("next", TTL);
    assert.equal(next?.epoch, 2);
    await assert.rejects(store.append(slow, [event("TASK_COMPLETED", { taskId: "t" })]), code("fenced"));
    await assert.rejects(store.park(slow, { keys: [], seen: 1 }), code("fenced"));
    assert.equal(await store.renew(slow, TTL), false);
    assert.equal((await store.load("r")).length, 1);
    assert.equal(await other.renew(next as Claim, TTL), true);
    await other.append(next as Claim, [event("TASK_COMPLETED", { taskId: "t" })]);
  });

  check("keeps a run with a claimer that renews its lease", async (store) => {
    await store.create(newRun("r"));
    const claim = await store.claim("me", 1_000, { runId: "r" });
    assert.ok(claim);
    for (let round = 0; round < 6; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      assert.equal(await store.renew(claim, 1_000), true);
      assert.equal(await store.claim("other", TTL), null);
    }
  });

  check("puts a run away until a signal, and says what it waits for", async (store, again) => {
    const claim = await claimed(store);
    await store.park(claim, { keys: ["approval:t", "pause:x"], seen: 0 });
    const parked = await store.get("r");
    assert.deepEqual([parked?.state, parked?.waitingFor], ["PAUSED", ["approval:t", "pause:x"]]);
    assert.equal(await store.claim("me", TTL), null);
    assert.equal(
      await (await again()).signal("r", {
        type: "TASK_APPROVED",
        key: "approval:t",
        taskId: "t",
        value: { by: "ann" },
      }),
      true,
    );
    const [signal] = await store.load("r");
    assert.deepEqual(
      [signal?.seq, signal?.type, signal?.key, signal?.taskId, signal?.value],
      [1, "TASK_APPROVED", "approval:t", "t", { by: "ann" }],
    );
    assert.equal((await store.claim("me", TTL))?.epoch, 2);
  });

  check("puts a run away until a time", async (store) => {
    const claim = await claimed(store);
    // Long enough for a busy machine to look before.
    const at = Date.now() + 1_000;
    await store.park(claim, { at, keys: [], seen: 0 });
    assert.equal((await store.get("r"))?.wakeAt, at);
    assert.equal(await store.claim("me", TTL), null);
    await new Promise((resolve) => setTimeout(resolve, at - Date.now() + 50));
    assert.equal((await store.claim("me", TTL))?.run.id, "r");
  });

  check("does not put a run away whose signal came already", async (store) => {
    const claim = await claimed(store);
    await store.append(claim, [event("WORKFLOW_STARTED")]);
    await store.signal("r", { type: "TASK_RESUMED", key: "pause:x" });
    await store.park(claim, { keys: ["pause:x"], seen: 1 });
    assert.equal((await store.get("r"))?.state, "SCHEDULED");
    assert.equal((await store.claim("me", TTL))?.run.id, "r");
  });

  check("keeps a signal for a run that does not wait yet, in order with the run's own events", async (store) => {
    await store.create(newRun("r"));
    await store.signal("r", { type: "TASK_RESUMED", key: "early", value: 1 });
    const claim = await store.claim("me", TTL);
    assert.ok(claim);
    assert.equal(await store.append(claim, [event("WORKFLOW_STARTED")]), 2);
    await store.signal("r", { type: "TASK_RESUMED", key: "later" });
    assert.equal(await store.append(claim, [event("TASK_STARTED", { taskId: "t" })]), 4);
  });

  check("takes one of two signals that count once, also from two at the same time", async (store, again) => {
    const claim = await claimed(store);
    const other = await again();
    const approve = { type: "TASK_APPROVED", key: "approval:t", once: "approval:t" } as const;
    const reject = { ...approve, type: "TASK_REJECTED" } as const;
    const taken = await Promise.all([store.signal("r", approve), other.signal("r", reject)]);
    assert.deepEqual([...taken].sort(), [false, true]);
    assert.equal(await store.signal("r", reject), false);
    assert.equal((await store.load("r")).length, 1);
    await store.append(claim, [event("WORKFLOW_FAILED")], { state: "FAILED" });
    assert.equal(await store.signal("r", reject), false);
    await assert.rejects(store.signal("r", { type: "TASK_RESUMED", key: "new" }), code("run-ended"));
    await assert.rejects(store.signal("nobody", approve), code("run-unknown"));
  });

  check("ends a run together with its last event, and takes nothing afterwards", async (store) => {
    const claim = await claimed(store);
    await store.append(claim, [event("WORKFLOW_COMPLETED", { value: [1] })], { state: "COMPLETED", result: [1] });
    const run = await store.get("r");
    assert.deepEqual([run?.state, run?.result, run?.owner], ["COMPLETED", [1], undefined]);
    await assert.rejects(store.append(claim, [event("TASK_STARTED", { taskId: "t" })]), code("fenced"));
    assert.equal(await store.renew(claim, TTL), false);
    assert.equal(await store.claim("me", TTL, { runId: "r" }), null);
  });

  check("tells the run that called of the end, in the same step", async (store) => {
    const parent = await claimed(store, "parent");
    await store.create(newRun("child", { parent: { runId: "parent", key: "child:child" } }));
    await store.park(parent, { keys: ["child:child"], seen: 0 });
    const claim = await store.claim("me", TTL, { runId: "child" });
    assert.ok(claim);
    assert.deepEqual(claim.run.parent, { runId: "parent", key: "child:child" });
    await store.append(claim, [event("WORKFLOW_COMPLETED")], { state: "COMPLETED", result: "done" });
    const [signal] = await store.load("parent");
    assert.deepEqual([signal?.key, signal?.value], ["child:child", { state: "COMPLETED", result: "done" }]);
    assert.equal((await store.get("parent"))?.state, "SCHEDULED");
  });

  check("ends a run also when the one that called it is gone", async (store) => {
    const parent = await claimed(store, "parent");
    await store.create(newRun("child", { parent: { runId: "parent", key: "k" } }));
    await store.append(parent, [event("WORKFLOW_FAILED")], {
      state: "FAILED",
      error: { name: "E", code: "c", message: "m" },
    });
    assert.deepEqual((await store.get("parent"))?.error, { name: "E", code: "c", message: "m" });
    await store.delete("parent");
    const claim = await store.claim("me", TTL, { runId: "child" });
    await store.append(claim as Claim, [event("WORKFLOW_COMPLETED")], { state: "COMPLETED" });
    assert.equal((await store.get("child"))?.state, "COMPLETED");
  });

  check("lists runs, the newest first, by page and by what is asked for", async (store) => {
    for (let index = 0; index < 5; index += 1)
      await store.create(newRun(`r${index}`, { workflow: index < 2 ? "a" : "b" }));
    const claim = await store.claim("me", TTL, { runId: "r4" });
    await store.append(claim as Claim, [event("WORKFLOW_COMPLETED")], { state: "COMPLETED" });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
      assert.ok(page.runs.length <= 2);
      seen.push(...page.runs.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual([...seen].sort(), ["r0", "r1", "r2", "r3", "r4"]);
    const of = async (query: Parameters<RunStore["list"]>[0]) =>
      (await store.list(query)).runs.map(({ id }) => id).sort();
    assert.deepEqual(await of({ workflow: "a" }), ["r0", "r1"]);
    assert.deepEqual(await of({ state: "COMPLETED" }), ["r4"]);
    assert.deepEqual(await of({ endedBefore: Date.now() + 1_000 }), ["r4"]);
    assert.deepEqual(await of({ endedBefore: 1 }), []);
    assert.deepEqual(await of({ namespace: "none" }), []);
  });

  check("lists runs that somebody should have claimed by now", async (store) => {
    const past = Date.now() - 10_000;
    await store.create(newRun("waits"));
    await store.create(newRun("late", { startAt: past }));
    await store.create(newRun("early", { startAt: Date.now() + 60_000 }));
    for (const id of ["held", "lost", "away", "slept"]) await store.create(newRun(id));
    assert.ok(await store.claim("me", TTL, { runId: "held" }));
    assert.ok(await store.claim("me", 1, { runId: "lost" }));
    await store.park((await store.claim("me", TTL, { runId: "away" })) as Claim, { keys: ["k"], seen: 0 });
    await store.park((await store.claim("me", TTL, { runId: "slept" })) as Claim, { keys: [], seen: 0, at: past });
    const of = async (dueBefore: number) => (await store.list({ dueBefore })).runs.map(({ id }) => id).sort();
    assert.deepEqual(await of(Date.now() - 5_000), ["late", "slept"]);
    assert.deepEqual(await of(Date.now() + 5_000), ["late", "lost", "slept", "waits"]);
  });

  check("deletes a run that has ended, with its log, and no other", async (store) => {
    const claim = await claimed(store);
    await assert.rejects(store.delete("r"), code("run-active"));
    await store.append(claim, [event("WORKFLOW_COMPLETED")], { state: "COMPLETED" });
    assert.equal(await store.delete("r"), true);
    assert.equal(await store.delete("r"), false);
    assert.deepEqual(await store.load("r"), []);
    assert.equal(await store.get("r"), null);
  });

  check("keeps everything for the one who opens it next", async (store, again) => {
    const claim = await claimed(store);
    await store.append(claim, [event("TASK_COMPLETED", { taskId: "t", name: "n", value: { a: 1 } })]);
    const other = await again();
    assert.deepEqual(await other.load("r"), await store.load("r"));
    assert.deepEqual(await other.get("r"), await store.get("r"));
  });

  check("is closed for good, and twice without harm", async (store) => {
    await store.close();
    await store.close();
    await assert.rejects(store.get("r"), code("closed"));
  });
}
