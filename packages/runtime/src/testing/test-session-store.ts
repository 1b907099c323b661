import assert from "node:assert/strict";
import type { Message } from "../model/messages.js";
import type { SessionStore } from "../sessions/session-store.js";

/** How a store is opened for `testSessionStore`. */
export interface SessionStoreTests {
  /** The `test` of any test runner: vitest's, jest's, `node:test`'s. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** A new store without sessions. It is closed after its test. */
  open(): SessionStore | Promise<SessionStore>;
  /** A second connection to the same sessions, as another process has; left out where there can be none. */
  openAgain?(store: SessionStore): SessionStore | Promise<SessionStore>;
  /** Tests that cannot hold for this store, by their names, each with the reason. */
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
}

const text = (value: string): Message => ({ role: "user", content: [{ type: "text", text: value }] });
const now = { expectedVersion: 0 };

/**
 * The conformance suite of session stores: what the runtime relies on, as tests of your own test runner.
 *
 * @example
 * import { test } from "node:test"
 * import { MemorySessionStore } from "@callsign/runtime"
 * import { testSessionStore } from "@callsign/runtime/testing"
 *
 * testSessionStore({ test, open: () => new MemorySessionStore() })
 */
export function testSessionStore({ test, open, openAgain, skip = [] }: SessionStoreTests): void {
  const unknown = new Set(skip.map((entry) => entry.test));
  const check = (name: string, run: (store: SessionStore) => Promise<void>): void => {
    if (unknown.delete(name)) return;
    test(`the session store ${name}`, async () => {
      const store = await open();
      try {
        await run(store);
      } finally {
        await store.close?.();
      }
    });
  };

  check("knows nothing of a session before its first save", async (store) => {
    assert.equal(await store.load("a"), undefined);
    assert.equal(await store.delete("a"), false);
    assert.deepEqual(await store.list(), { sessions: [] });
  });

  check("gives back what was saved, with a version that counts saves", async (store) => {
    const first = await store.save("a", { ...now, append: [text("1"), text("2")], metadata: { plan: "pro" } });
    assert.equal(first.version, 1);
    assert.equal(first.messageCount, 2);
    await store.save("a", { expectedVersion: 1, append: [text("3")], agentName: "billing" });
    const session = await store.load("a");
    assert.ok(session);
    const { createdAt, updatedAt, ...rest } = session;
    assert.deepEqual(rest, {
      id: "a",
      version: 2,
      agentName: "billing",
      metadata: { plan: "pro" },
      messageCount: 3,
      messages: [text("1"), text("2"), text("3")],
    });
    for (const time of [createdAt, updatedAt]) assert.equal(new Date(time).toISOString(), time);
    assert.ok(createdAt <= updatedAt);
  });

  check("keeps messages verbatim: order of keys, odd keys, odd characters, native parts", async (store) => {
    const history = JSON.parse(
      `[{"content":[{"text":"z\\u0000\\ud83d\\ude00 \\u2028 \\ud800","type":"text"}],"role":"user"},
        {"role":"assistant","model":"anthropic/x","content":[
          {"type":"reasoning","text":"","native":{"api":"anthropic","value":{"signature":"Eq+/=","b":1,"a":[1e21,0.1,null]}}},
          {"type":"tool_call","id":"c","name":"t","arguments":"{\\"x\\": 1 }","native":{"api":"x","value":{"__proto__":{"toString":1},"constructor":[],"":0,"10":1,"9":2}}}]},
        {"role":"tool","content":[{"type":"tool_result","callId":"c","name":"t","content":[],"isError":true}]}]`,
    ) as Message[];
    await store.save("a", { ...now, append: history, metadata: JSON.parse('{"b":1,"a":{"__proto__":2}}') });
    const session = await store.load("a");
    assert.equal(JSON.stringify(session?.messages), JSON.stringify(history));
    assert.equal(JSON.stringify(session?.metadata), '{"b":1,"a":{"__proto__":2}}');
  });

  check("keeps what was saved apart from what callers change afterwards", async (store) => {
    const message = { role: "user", content: [{ type: "text", text: "before" }] } as const;
    await store.save("a", { ...now, append: [message] });
    (message.content[0] as { text: string }).text = "after";
    const session = await store.load("a");
    assert.deepEqual(session?.messages, [text("before")]);
    assert.ok(session);
    (session.messages as Message[]).push(text("more"));
    assert.equal((await store.load("a"))?.messages.length, 1);
  });

  check("refuses a save on another version than the stored one, and changes nothing", async (store) => {
    await store.save("a", { ...now, append: [text("1")] });
    for (const expectedVersion of [0, 2]) {
      await refuses(store.save("a", { expectedVersion, append: [text("x")], agentName: "x" }), "session-changed");
    }
    await refuses(store.save("b", { expectedVersion: 1 }), "session-changed");
    const session = await store.load("a");
    assert.equal(session?.version, 1);
    assert.equal(session?.agentName, undefined);
    assert.deepEqual(session?.messages, [text("1")]);
    assert.equal(await store.load("b"), undefined);
  });

  check("lets one of many saves at the same time pass", async (store) => {
    const saves = Array.from({ length: 20 }, (_, index) => store.save("a", { ...now, append: [text(String(index))] }));
    const settled = await Promise.allSettled(saves);
    assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
    for (const save of settled) if (save.status === "rejected") assert.equal(save.reason.code, "session-changed");
    assert.equal((await store.load("a"))?.messages.length, 1);
  });

  check("replaces the end of a history, or all of it", async (store) => {
    await store.save("a", { ...now, append: [text("1"), text("2"), text("3")] });
    await store.save("a", { expectedVersion: 1, keep: 1, append: [text("4")] });
    assert.deepEqual((await store.load("a"))?.messages, [text("1"), text("4")]);
    await store.save("a", { expectedVersion: 2, keep: 0 });
    assert.deepEqual((await store.load("a"))?.messages, []);
    await refuses(store.save("a", { expectedVersion: 3, keep: 1 }), "session-not-json");
  });

  check("refuses what is no message or has no JSON form, and saves nothing of it", async (store) => {
    const cycle: Record<string, unknown> = { role: "user" };
    cycle.content = [cycle];
    const wrong = [
      null,
      "text",
      {},
      { role: "robot", content: [] },
      { role: "user" },
      cycle,
      { role: "user", content: [1n] },
    ];
    for (const message of wrong) {
      await refuses(
        store.save("a", { ...now, append: [text("1"), message as unknown as Message] }),
        "session-not-json",
      );
    }
    await refuses(store.save("a", { expectedVersion: Number.NaN }), "session-not-json");
    assert.equal(await store.load("a"), undefined);
  });

  check("takes any id of text and refuses others", async (store) => {
    const ids = [
      "__proto__",
      "constructor",
      "a/../b",
      "'; DROP TABLE sessions; --",
      "Ä",
      "A\u0308",
      " ",
      "\u{1F600}",
      "a",
      "A",
    ];
    for (const id of ids) await store.save(id, { ...now, append: [text(id)] });
    for (const id of ids) assert.deepEqual((await store.load(id))?.messages, [text(id)]);
    assert.equal((await store.list()).sessions.length, ids.length);
    for (const id of ["", "a\0b", "\ud800", "x".repeat(513), 7, null, undefined] as string[]) {
      await refuses(store.load(id), "session-id");
      await refuses(store.save(id, now), "session-id");
      await refuses(store.delete(id), "session-id");
    }
  });

  check("keeps a message of several megabytes and a history of thousands", async (store) => {
    const large = text("x\u{1F600}".repeat(1_000_000));
    await store.save("a", { ...now, append: [large] });
    assert.deepEqual((await store.load("a"))?.messages, [large]);
    const many = Array.from({ length: 3000 }, (_, index) => text(String(index)));
    await store.save("b", { ...now, append: many });
    assert.deepEqual((await store.load("b"))?.messages, many);
  });

  check("forgets a deleted session whole", async (store) => {
    await store.save("a", { ...now, append: [text("1")], agentName: "x", metadata: { a: 1 } });
    assert.equal(await store.delete("a"), true);
    assert.equal(await store.load("a"), undefined);
    await store.save("a", now);
    const session = await store.load("a");
    assert.deepEqual([session?.messages, session?.metadata, session?.agentName], [[], {}, undefined]);
  });

  check("lists every session once, page by page, also while some are deleted", async (store) => {
    const ids = Array.from({ length: 25 }, (_, index) => `session-${index}`);
    for (const id of ids) await store.save(id, { ...now, append: [text(id)], metadata: { id } });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ limit: 4, ...(cursor === undefined ? {} : { cursor }) });
      assert.ok(page.sessions.length <= 4);
      for (const { id, metadata, messageCount } of page.sessions) {
        assert.deepEqual([metadata, messageCount], [{ id }, 1]);
        seen.push(id);
      }
      if (page.sessions[0] !== undefined) await store.delete(page.sessions[0].id);
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual([...seen].sort(), [...ids].sort());
    await refuses(store.list({ cursor: "none" }), "session-cursor");
    await refuses(store.list({ limit: 0 }), "session-cursor");
  });

  check("leases a session to one holder at a time, as long as the lease is renewed", async (store) => {
    if (store.claim === undefined || store.release === undefined) return;
    assert.equal(await store.claim("a", { holder: "1", leaseMs: 60_000 }), true);
    assert.equal(await store.claim("a", { holder: "2", leaseMs: 60_000 }), false);
    assert.equal(await store.claim("b", { holder: "2", leaseMs: 60_000 }), true);
    assert.equal(await store.claim("a", { holder: "1", leaseMs: 60_000 }), true);
    await store.release("a", "2");
    assert.equal(await store.claim("a", { holder: "2", leaseMs: 60_000 }), false);
    await store.release("a", "1");
    assert.equal(await store.claim("a", { holder: "2", leaseMs: -1 }), true);
    assert.equal(await store.claim("a", { holder: "3", leaseMs: 60_000 }), true);
    assert.equal(await store.load("a"), undefined);
  });

  if (openAgain !== undefined) {
    check("shows what another connection saved, and keeps the two apart", async (store) => {
      const other = await openAgain(store);
      try {
        await store.save("a", { ...now, append: [text("1")] });
        assert.deepEqual((await other.load("a"))?.messages, [text("1")]);
        await other.save("a", { expectedVersion: 1, append: [text("2")] });
        await refuses(store.save("a", { expectedVersion: 1, append: [text("3")] }), "session-changed");
        const saves = [store, other].flatMap((each) =>
          Array.from({ length: 10 }, (_, index) => each.save(`s${index}`, { ...now, append: [text("x")] })),
        );
        const settled = await Promise.allSettled(saves);
        assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 10);
        assert.equal(await store.claim?.("a", { holder: "1", leaseMs: 60_000 }), store.claim && true);
        assert.equal(await other.claim?.("a", { holder: "2", leaseMs: 60_000 }), store.claim && false);
      } finally {
        await other.close?.();
      }
    });
  } else {
    unknown.delete("shows what another connection saved, and keeps the two apart");
  }

  for (const name of unknown) throw new TypeError(`there is no test ${JSON.stringify(name)} to skip`);
}

async function refuses(work: Promise<unknown>, code: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof Error, `this must be refused with ${code}`);
  assert.equal((error as Error & { code?: unknown }).code, code, error.message);
}
