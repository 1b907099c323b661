import assert from "node:assert/strict";
import type { Carrier, CarrierStart, ExecuteRun, RunProgress } from "../durable/carrier.js";
import type { Claim, NewRun, RunStore } from "../durable/run-store.js";

/** How a carrier is opened for `testCarrier`. */
export interface CarrierTests {
  /** The `test` of any test runner: vitest's, jest's, `node:test`'s. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** A new store without runs. It is closed after its test. */
  openStore(): RunStore | Promise<RunStore>;
  /** A second connection to the same runs, as another process has. */
  openAgain(store: RunStore): RunStore | Promise<RunStore>;
  /**
   * A carrier of the store's runs that was not started; it is stopped after its test. One that claims runs itself does
   * it for `owner`, for `leaseMs`.
   */
  openCarrier(
    store: RunStore,
    options: { readonly owner: string; readonly leaseMs: number },
  ): Carrier | Promise<Carrier>;
  /** A run is executed in so long, on a busy machine too. Default 20 000 ms. */
  readonly patienceMs?: number;
}

/** What is done with a run of a test; by default it ends. */
type Act = (claim: Claim, store: RunStore) => Promise<RunProgress>;

interface Person {
  readonly carrier: Carrier;
  readonly store: RunStore;
  /** The ids of the runs that were executed, in order. */
  readonly executed: readonly string[];
  readonly errors: readonly unknown[];
}

const FLOW = "default/flow";
const LEASE_MS = 15_000;

const end: Act = async (claim, store) => {
  await store.append(claim, [{ type: "WORKFLOW_COMPLETED", time: Date.now() }], { state: "COMPLETED" });
  return "done";
};

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * The conformance suite of carriers: what the engine relies on, as tests of your own test runner.
 *
 * @example
 * import { test } from "node:test"
 * import { DbosCarrier } from "@callsign/runtime/dbos"
 * import { SqliteStore } from "@callsign/runtime/sqlite"
 * import { testCarrier } from "@callsign/runtime/testing"
 *
 * const url = "postgres://me@localhost/test"
 * let path = ""
 * testCarrier({
 *   test,
 *   openStore: () => SqliteStore.open((path = `/tmp/runs-${crypto.randomUUID()}.db`)),
 *   openAgain: () => SqliteStore.open(path),
 *   openCarrier: (store) => new DbosCarrier({ store, url, queue: path, lookMs: 100 }),
 * })
 */
export function testCarrier({ test, openStore, openAgain, openCarrier, patienceMs = 20_000 }: CarrierTests): void {
  interface Stage {
    readonly store: RunStore;
    create(id: string, changes?: Partial<NewRun>): Promise<void>;
    /** Starts a carrier; its first one uses the stage's own store. */
    person(act?: Act, options?: { readonly leaseMs?: number; readonly execute?: ExecuteRun }): Promise<Person>;
    until(condition: () => boolean | Promise<boolean>, what: string): Promise<void>;
    /** Waits until a run has ended. */
    ended(id: string): Promise<void>;
  }

  const check = (name: string, run: (stage: Stage) => Promise<void>): void => {
    test(`the carrier ${name}`, async () => {
      const store = await openStore();
      const carriers: Carrier[] = [];
      const others: RunStore[] = [];
      const until: Stage["until"] = async (condition, what) => {
        const deadline = Date.now() + patienceMs;
        while (!(await condition())) {
          if (Date.now() > deadline) assert.fail(`it was waited for in vain that ${what}`);
          await pause(10);
        }
      };
      const stage: Stage = {
        store,
        until,
        create: async (id, changes) => {
          await store.create({ id, namespace: "default", workflow: "flow", input: null, ...changes });
        },
        ended: (id) => until(async () => (await store.get(id))?.state === "COMPLETED", `${id} ends`),
        person: async (act = end, { leaseMs = LEASE_MS, execute } = {}) => {
          const own = carriers.length === 0 ? store : await openAgain(store);
          if (own !== store) others.push(own);
          const owner = `owner-${carriers.length}-${crypto.randomUUID()}`;
          const carrier = await openCarrier(own, { owner, leaseMs });
          carriers.push(carrier);
          const executed: string[] = [];
          const errors: unknown[] = [];
          const byAct: ExecuteRun = async (runId, given) => {
            const claim = given ?? (await own.claim(owner, leaseMs, { runId }));
            if (claim === null) return "lost";
            executed.push(runId);
            return act(claim, own);
          };
          const start: CarrierStart = {
            execute: execute ?? byAct,
            workflows: [FLOW],
            onError: (error) => errors.push(error),
          };
          await carrier.start(start);
          return { carrier, store: own, executed, errors };
        },
      };
      try {
        await run(stage);
      } finally {
        await Promise.all(carriers.map((carrier) => carrier.stop({ timeoutMs: 1_000 })));
        for (const other of others) await other.close();
        await store.close();
      }
    });
  };

  check("executes a run that was submitted, once, however often it was", async ({ create, person, ended }) => {
    const { carrier, executed, errors } = await person();
    await create("r");
    await Promise.all(Array.from({ length: 5 }, () => carrier.submit("r")));
    await ended("r");
    await pause(200);
    assert.deepEqual(executed, ["r"]);
    assert.deepEqual(errors, []);
  });

  check("executes no run before its time", async ({ create, person, ended }) => {
    const at = Date.now() + 700;
    const begun: number[] = [];
    const { carrier } = await person(async (claim, own) => {
      begun.push(Date.now());
      return end(claim, own);
    });
    await create("r", { startAt: at });
    await carrier.submit("r", { at });
    await ended("r");
    assert.equal(begun.length, 1);
    assert.ok((begun[0] as number) >= at, `it was begun ${at - (begun[0] as number)} ms too early`);
  });

  check("finds runs whose hint was lost, also those from before it was started", async (stage) => {
    const { create, person, ended } = stage;
    await create("before");
    await person();
    await create("after");
    await create("later", { startAt: Date.now() + 300 });
    for (const id of ["before", "after", "later"]) await ended(id);
  });

  check(
    "goes on with a run that was put away when it is signalled",
    async ({ create, person, ended, store, until }) => {
      const { carrier, executed } = await person(async (claim, own) => {
        const events = await own.load("r");
        if (events.length > 0) return end(claim, own);
        await own.park(claim, { keys: ["key"], seen: 0 });
        return "parked";
      });
      await create("r");
      await carrier.submit("r");
      await until(async () => (await store.get("r"))?.state === "PAUSED", "the run is put away");
      await pause(200);
      assert.deepEqual(executed, ["r"]);
      await store.signal("r", { type: "TASK_RESUMED", key: "key" });
      await carrier.submit("r");
      await ended("r");
      assert.deepEqual(executed, ["r", "r"]);
    },
  );

  check("goes on with a run that was put away although its signal had come", async (stage) => {
    const { create, person, ended } = stage;
    const { carrier, executed } = await person(async (claim, own) => {
      const events = await own.load("r");
      if (events.length > 0) return end(claim, own);
      await own.signal("r", { type: "TASK_RESUMED", key: "key" });
      // The hint comes while the run is still under way, and finds nothing to do.
      await carrier.submit("r");
      await pause(300);
      await own.park(claim, { keys: ["key"], seen: 0 });
      return "parked";
    });
    await create("r");
    await carrier.submit("r");
    await ended("r");
    assert.deepEqual(executed, ["r", "r"]);
  });

  check("goes on with a run that was put away until a time, again and again", async ({ create, person, ended }) => {
    let times = 0;
    let at = 0;
    const { carrier, executed } = await person(async (claim, own) => {
      assert.ok(Date.now() >= at - 100);
      times += 1;
      if (times > 3) return end(claim, own);
      at = Date.now() + (times === 3 ? 1_500 : 100);
      await own.park(claim, { keys: [], seen: 0, at });
      return "parked";
    });
    await create("r");
    await carrier.submit("r");
    await ended("r");
    assert.deepEqual(executed, ["r", "r", "r", "r"]);
  });

  check("keeps a time to come also when a signal comes first", async ({ create, person, ended, store, until }) => {
    // From when it is put away first: to start a carrier takes its time.
    let at: number | undefined;
    const { carrier, executed } = await person(async (claim, own) => {
      at ??= Date.now() + 1_800;
      if (Date.now() >= at) return end(claim, own);
      await own.park(claim, { keys: ["key"], seen: (await own.load("r")).length, at });
      return "parked";
    });
    await create("r");
    await carrier.submit("r");
    await until(async () => (await store.get("r"))?.state === "PAUSED", "the run is put away");
    await store.signal("r", { type: "TASK_RESUMED", key: "key" });
    await carrier.submit("r");
    await ended("r");
    assert.ok(executed.length >= 2 && executed.length <= 3, `it was executed ${executed.length} times`);
  });

  check(
    "shares the work with another one, and executes no run twice at a time",
    async ({ create, person, ended, until }) => {
      const busy = new Set<string>();
      const twice: string[] = [];
      const act: Act = async (claim, own) => {
        const { id } = claim.run;
        if (busy.has(id)) twice.push(id);
        busy.add(id);
        await pause(30);
        busy.delete(id);
        return end(claim, own);
      };
      const people = [await person(act), await person(act)];
      const ids: string[] = [];
      // One may be faster than the other for a while, but not for ever.
      await until(async () => {
        const more = Array.from({ length: 30 }, (_, index) => `r${ids.length + index}`);
        ids.push(...more);
        for (const id of more) await create(id);
        await Promise.all(more.flatMap((id) => people.map(({ carrier }) => carrier.submit(id))));
        for (const id of more) await ended(id);
        return people.every(({ executed }) => executed.length > 0);
      }, "each of the two has something to do");
      assert.deepEqual(twice, []);
      assert.deepEqual(people.flatMap(({ executed }) => executed).sort(), ids.sort());
    },
  );

  check("leaves runs alone whose workflow it was not given", async ({ create, person, ended, store }) => {
    const { carrier, executed } = await person();
    await create("other", { workflow: "other" });
    await carrier.submit("other");
    await create("r");
    await carrier.submit("r");
    await ended("r");
    await pause(300);
    assert.deepEqual(executed, ["r"]);
    assert.equal((await store.get("other"))?.state, "SCHEDULED");
  });

  check(
    "waits for what is under way when it is stopped, and takes nothing new",
    async ({ create, person, store, until, ended }) => {
      const gate = Promise.withResolvers<void>();
      const first = await person(async (claim, own) => {
        await gate.promise;
        return end(claim, own);
      });
      await create("one");
      await first.carrier.submit("one");
      await until(() => first.executed.length === 1, "the run is begun");
      let isStopped = false;
      const stopped = first.carrier.stop().then(() => {
        isStopped = true;
      });
      await create("two");
      await pause(300);
      assert.equal(isStopped, false);
      gate.resolve();
      await stopped;
      assert.equal((await store.get("one"))?.state, "COMPLETED");
      await pause(200);
      assert.deepEqual(first.executed, ["one"]);
      await first.carrier.stop();
      await person();
      await ended("two");
    },
  );

  check("stops in time although a run does not end", async ({ create, person, until }) => {
    const never = Promise.withResolvers<RunProgress>();
    const { carrier, executed } = await person(() => never.promise);
    await create("r");
    await carrier.submit("r");
    await until(() => executed.length === 1, "the run is begun");
    await carrier.stop({ timeoutMs: 100 });
    never.resolve("lost");
  });

  check(
    "says what went wrong, and executes the run again when its lease has ended",
    async ({ create, person, ended }) => {
      let times = 0;
      const { carrier, errors, executed } = await person(
        async (claim, own) => {
          times += 1;
          if (times === 1) throw new Error("the store is on fire");
          return end(claim, own);
        },
        { leaseMs: 300 },
      );
      await create("r");
      await carrier.submit("r");
      await ended("r");
      assert.deepEqual(executed, ["r", "r"]);
      assert.match(String(errors[0]), /the store is on fire/);
      assert.equal(errors.length, 1);
    },
  );

  check("takes over what one left behind that does nothing any more", async ({ create, person, ended, store }) => {
    await create("r");
    // It has claimed the run, and is never heard of again.
    assert.ok(await store.claim("gone", 300, { runId: "r" }));
    await person();
    await ended("r");
  });

  check(
    "executes a run again that wants to be cancelled while it waits",
    async ({ create, person, store, until, ended }) => {
      const { carrier } = await person(async (claim, own) => {
        const events = await own.load("r");
        if (events.some(({ key }) => key === "cancel")) return end(claim, own);
        await own.park(claim, { keys: ["never"], seen: events.length });
        return "parked";
      });
      await create("r");
      await carrier.submit("r");
      await until(async () => (await store.get("r"))?.state === "PAUSED", "the run is put away");
      await store.signal("r", { type: "WORKFLOW_CANCELLING", key: "cancel", once: "cancel" });
      await carrier.submit("r");
      await ended("r");
    },
  );

  check("goes on after the store has failed for a while", async ({ create, person, ended, store, until }) => {
    const { carrier, errors, store: own } = await person();
    const { claim, get, list } = own;
    const broken = async (): Promise<never> => {
      throw new Error("out of order");
    };
    Object.assign(own, { claim: broken, get: broken, list: broken });
    const other = await openAgain(store);
    await other.create({ id: "r", namespace: "default", workflow: "flow", input: null });
    await other.close();
    await carrier.submit("r").catch(() => {});
    await until(() => errors.length > 0, "the error is told");
    Object.assign(own, { claim, get, list });
    await create("r2");
    await ended("r");
    await ended("r2");
  });
}
