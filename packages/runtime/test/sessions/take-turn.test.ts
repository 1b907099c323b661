import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { MemorySessionStore, type SessionStore, takeTurn } from "../../src/index.js";

/** A store that another process uses as well. */
class SharedStore extends MemorySessionStore {
  renewals = 0;
  override claim(...claim: Parameters<MemorySessionStore["claim"]>): Promise<boolean> {
    this.renewals += 1;
    return super.claim(...claim);
  }
}

const openGate = (): { promise: Promise<void>; open: () => void } => {
  let open: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
};

describe("takeTurn()", () => {
  test("runs the turns of one session one after another, in the order of the calls", async () => {
    const store = new MemorySessionStore();
    const log: string[] = [];
    const turns = Array.from({ length: 10 }, (_, index) =>
      takeTurn(store, "a", {
        turn: async () => {
          log.push(`begin ${index}`);
          await pause(index % 3);
          log.push(`end ${index}`);
          return index;
        },
      }),
    );
    expect(await Promise.all(turns)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(log).toEqual(Array.from({ length: 10 }, (_, index) => [`begin ${index}`, `end ${index}`]).flat());
  });

  test("does not let sessions, or stores with the same ids, wait for each other", async () => {
    const [first, second] = [new MemorySessionStore(), new MemorySessionStore()];
    const gate = openGate();
    const blocked = takeTurn(first, "a", { turn: () => gate.promise });
    expect(await takeTurn(first, "b", { turn: async () => "b" })).toBe("b");
    expect(await takeTurn(second, "a", { turn: async () => "a" })).toBe("a");
    gate.open();
    await blocked;
  });

  test("a turn that fails lets the next one begin", async () => {
    const store = new MemorySessionStore();
    const failing = takeTurn(store, "a", { turn: () => Promise.reject(new Error("no")) });
    const next = takeTurn(store, "a", { turn: async () => "next" });
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("next");
  });

  test("a wait ends by its signal or by time, and the line stays in order", async () => {
    const store = new MemorySessionStore();
    const gate = openGate();
    const stop = new AbortController();
    let ran = false;
    const runs = async (): Promise<void> => {
      ran = true;
    };
    const first = takeTurn(store, "a", { turn: () => gate.promise });
    const given = takeTurn(store, "a", { signal: stop.signal, turn: runs });
    const late = takeTurn(store, "a", { waitMs: 5, turn: runs });
    const last = takeTurn(store, "a", { turn: async () => "last" });
    stop.abort(new Error("gone"));
    await expect(given).rejects.toThrow("gone");
    await expect(late).rejects.toMatchObject({ code: "session-busy", sessionId: "a", retryable: true });
    gate.open();
    await first;
    expect(await last).toBe("last");
    expect(ran).toBe(false);
    await expect(takeTurn(store, "a", { signal: stop.signal, turn: async () => {} })).rejects.toThrow("gone");
  });

  test("waits for the lease of another process, renews its own, and gives it back", async () => {
    const store = new SharedStore();
    await store.claim("a", { holder: "other process", leaseMs: 60_000 });
    await expect(takeTurn(store, "a", { waitMs: 30, turn: async () => {} })).rejects.toMatchObject({
      code: "session-busy",
    });
    const turn = takeTurn(store, "a", {
      leaseMs: 30,
      turn: async () => {
        store.renewals = 0;
        while (store.renewals < 3) await pause(5);
        return store.claim("a", { holder: "other process", leaseMs: 60_000 });
      },
    });
    await pause(20);
    await store.release("a", "other process");
    expect(await turn).toBe(false);
    expect(await store.claim("a", { holder: "other process", leaseMs: 60_000 })).toBe(true);
  });

  test("works with stores that lease nothing, and goes on when a renewal or a release fails", async () => {
    const bare: SessionStore = {
      load: async () => undefined,
      save: () => Promise.reject(new Error("not used")),
      delete: async () => false,
      list: async () => ({ sessions: [] }),
    };
    expect(await takeTurn(bare, "a", { turn: async () => 1 })).toBe(1);
    let claims = 0;
    const failing: SessionStore = {
      ...bare,
      claim: async () => {
        if (claims++ > 0) throw new Error("no connection");
        return true;
      },
      release: () => Promise.reject(new Error("no connection")),
    };
    const turn = async (): Promise<number> => {
      while (claims < 2) await pause(2);
      return 2;
    };
    expect(await takeTurn(failing, "a", { leaseMs: 6, turn })).toBe(2);
  });
});
