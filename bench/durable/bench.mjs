// What durability costs: one task after another in one run, each answered when its end is stored. The floor is a bare
// insert of the same rows by a prepared statement, in a table with the same indexes of the same database, in the same process. Rounds are
// interleaved; medians of the time a task takes, and the ratio to the floor, are printed. "its store" is what the floor does,
// by the store: the same events under a claim that is checked. Then: how long a run of 1,000 recorded tasks takes until it
// is where it was.
//   node bench.mjs [--rounds 5] [--tasks 200]
// Postgres runs without fsync here, SQLite with `synchronous` as printed.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, tasks: { type: "string", default: "200" } },
});
const rounds = Number(values.rounds);
const tasks = Number(values.tasks);
const runtime = new URL("../../packages/runtime/dist/", import.meta.url);
for (const [file, remedy] of [
  [new URL("index.js", runtime), "run npm run build at the root"],
  [new URL("node_modules/openworkflow", import.meta.url), "run npm install in bench/durable"],
]) {
  if (!existsSync(file)) throw new Error(`${file.pathname} is missing: ${remedy}`);
}
const { openEngine, pause, task, workflow } = await import(new URL("index.js", runtime));
const { SqliteStore } = await import(new URL("sqlite/index.js", runtime));
const { PostgresStore } = await import(new URL("postgres/index.js", runtime));
const { startPostgres } = await import("../../packages/runtime/test/durable/start-postgres.ts");
const { default: pg } = await import("pg");

const folder = mkdtempSync(join(tmpdir(), "callsign-bench-"));
const postgres = await startPostgres();
const cleanups = [];

const work = async (index) => ({
  index,
  text: "a result of usual size, a hundred characters or so, as a tool has it ".repeat(2),
});
const step = task({ name: "step" }, work);
const steps = workflow("steps", async ({ input }) => {
  for (let index = 0; index < input; index += 1) await step(index);
});

/** Rows as the engine writes them: `TASK_STARTED` and `TASK_COMPLETED`. */
async function rowsOf(index) {
  const id = `step#${"0123456789abcdef".slice(0, 15)}${index}`;
  return [
    ["TASK_STARTED", id, "step", JSON.stringify([index]), null],
    ["TASK_COMPLETED", id, "step", JSON.stringify(await work(index)), id],
  ];
}

const COLUMNS =
  "run_id text NOT NULL, seq integer NOT NULL, type text NOT NULL, time bigint NOT NULL, task_id text, name text, value text, key text, once text, ended text, PRIMARY KEY (run_id, seq)";
const INDEXES = `CREATE UNIQUE INDEX events_once ON events (run_id, once) WHERE once IS NOT NULL;
  CREATE UNIQUE INDEX events_ended ON events (run_id, ended) WHERE ended IS NOT NULL;`;

function sqliteFloor(synchronous) {
  const db = new DatabaseSync(join(folder, `floor-${cleanups.length}.db`));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
    CREATE TABLE events (${COLUMNS.replace("bigint", "integer")}) STRICT, WITHOUT ROWID; ${INDEXES}`);
  cleanups.push(() => db.close());
  const insert = db.prepare(
    "INSERT INTO events (run_id, seq, type, time, task_id, name, value, ended) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return async (count) => {
    const run = crypto.randomUUID();
    for (let index = 0; index < count; index += 1) {
      const rows = await rowsOf(index);
      db.exec("BEGIN IMMEDIATE");
      for (const [place, [type, id, name, value, ended]] of rows.entries()) {
        insert.run(run, index * 2 + place + 1, type, Date.now(), id, name, value, ended);
      }
      db.exec("COMMIT");
    }
  };
}

async function postgresFloor() {
  const pool = new pg.Pool({ connectionString: await postgres.createDatabase(), max: 3 });
  await pool.query(`CREATE TABLE events (${COLUMNS}); ${INDEXES}`);
  pool.on("error", () => {});
  cleanups.push(() => pool.end());
  return async (count) => {
    const run = crypto.randomUUID();
    for (let index = 0; index < count; index += 1) {
      const [one, two] = await rowsOf(index);
      await pool.query({
        name: "insert",
        text: `INSERT INTO events (run_id, seq, type, time, task_id, name, value, ended)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8), ($1, $9, $10, $4, $11, $12, $13, $14)`,
        values: [run, index * 2 + 1, one[0], Date.now(), ...one.slice(1), index * 2 + 2, two[0], ...two.slice(1)],
      });
    }
  };
}

async function callsign(open) {
  const engine = await openEngine({ store: await open(), workflows: [steps], pollMs: 1_000 });
  cleanups.push(() => engine.stop());
  return async (count) => engine.run(steps, count);
}

async function itsStore(open) {
  const store = await open();
  cleanups.push(() => store.close());
  return async (count) => {
    const { id: runId } = await store.create({
      id: crypto.randomUUID(),
      namespace: "default",
      workflow: "steps",
      input: count,
    });
    const claim = await store.claim("bench", 60_000, { runId });
    for (let index = 0; index < count; index += 1) {
      const events = (await rowsOf(index)).map(([type, taskId, name, value]) => ({
        type,
        taskId,
        name,
        time: Date.now(),
        value: JSON.parse(value),
      }));
      await store.append(claim, events, index === count - 1 ? { state: "COMPLETED" } : undefined);
    }
  };
}

const sqlite = (name, options) => () => SqliteStore.open(join(folder, `${name}.db`), options);
const onPostgres = async () => PostgresStore.open({ url: await postgres.createDatabase() });

async function dbos() {
  const { DBOS } = await import("@dbos-inc/dbos-sdk");
  const logger = { info() {}, debug() {}, warn() {}, error: console.error };
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: await postgres.createDatabase(), logger });
  const flow = DBOS.registerWorkflow(
    async (count) => {
      for (let index = 0; index < count; index += 1) await DBOS.runStep(() => work(index), { name: "step" });
    },
    { name: "steps" },
  );
  await DBOS.launch();
  cleanups.push(() => DBOS.shutdown());
  return flow;
}

async function openWorkflow(backend) {
  const { OpenWorkflow } = await import("openworkflow");
  const ow = new OpenWorkflow({ backend });
  // Begins when the worker has found it, so the time is taken inside.
  let took = 0;
  const flow = ow.defineWorkflow({ name: "steps" }, async ({ input, step: steps }) => {
    const begin = performance.now();
    for (let index = 0; index < input.count; index += 1) await steps.run({ name: `step-${index}` }, () => work(index));
    took = performance.now() - begin;
  });
  const worker = ow.newWorker({ concurrency: 1 });
  await worker.start();
  cleanups.push(async () => {
    await worker.stop();
    await backend.stop();
  });
  return async (count) => {
    await (await flow.run({ count })).result();
    return took;
  };
}

async function langGraph() {
  const { entrypoint, task: graphTask } = await import("@langchain/langgraph");
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const checkpointer = PostgresSaver.fromConnString(await postgres.createDatabase());
  await checkpointer.setup();
  cleanups.push(() => checkpointer.end());
  const graphStep = graphTask("step", work);
  const flow = entrypoint({ name: "steps", checkpointer }, async (count) => {
    for (let index = 0; index < count; index += 1) await graphStep(index);
    return null;
  });
  return (count) =>
    flow.invoke(count, {
      configurable: { thread_id: crypto.randomUUID() },
      recursionLimit: 10_000,
      durability: "sync",
    });
}

/** Rounds that do not count: compiled code is what runs for long. */
const WARM_UP = 5;
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const { BackendSqlite } = await import("openworkflow/sqlite");
const { BackendPostgres } = await import("openworkflow/postgres");

/** Opened one after another: engines that poll in the same process would disturb those that are measured before them. */
const groups = [
  [
    "SQLite, synchronous FULL",
    async () => ({
      "bare insert": sqliteFloor("FULL"),
      callsign: await callsign(sqlite("full")),
      "its store": await itsStore(sqlite("full-alone")),
    }),
  ],
  [
    "SQLite, synchronous NORMAL",
    async () => ({
      "bare insert": sqliteFloor("NORMAL"),
      callsign: await callsign(sqlite("normal", { synchronous: "normal" })),
      "its store": await itsStore(sqlite("normal-alone", { synchronous: "normal" })),
    }),
  ],
  [
    "Postgres, no fsync",
    async () => ({
      "bare insert": await postgresFloor(),
      callsign: await callsign(onPostgres),
      "its store": await itsStore(onPostgres),
    }),
  ],
  [
    "SQLite, synchronous NORMAL, other engines open",
    async () => ({
      "bare insert": sqliteFloor("NORMAL"),
      callsign: await callsign(sqlite("beside", { synchronous: "normal" })),
      "OpenWorkflow 0.10": await openWorkflow(BackendSqlite.connect(join(folder, "openworkflow.db"))),
    }),
  ],
  [
    "Postgres, no fsync, other engines open",
    async () => ({
      "bare insert": await postgresFloor(),
      callsign: await callsign(onPostgres),
      "DBOS 5.3 steps": await dbos(),
      "OpenWorkflow 0.10": await openWorkflow(await BackendPostgres.connect(await postgres.createDatabase())),
      "LangGraph 1.7 tasks": await langGraph(),
    }),
  ],
];

console.log(`ms a task: median of ${rounds} rounds of ${tasks} tasks, and times the bare insert`);
for (const [name, open] of groups) {
  const subjects = await open();
  const taken = Object.fromEntries(Object.keys(subjects).map((subject) => [subject, []]));
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [subject, run] of Object.entries(subjects)) {
      const begin = performance.now();
      const own = await run(tasks);
      const took = (typeof own === "number" ? own : performance.now() - begin) / tasks;
      if (round >= 0) taken[subject].push(took);
    }
  }
  console.log(`\n${name}`);
  const floor = median(taken["bare insert"]);
  for (const [subject, took] of Object.entries(taken)) {
    const ms = median(took);
    console.log(`  ${subject.padEnd(22)} ${ms.toFixed(3).padStart(8)} ms  ${(ms / floor).toFixed(2).padStart(6)} x`);
  }
}

let arrived = () => {};
const long = workflow("long", async () => {
  for (let index = 0; index < 1_000; index += 1) await step(index);
  arrived();
  await pause("end");
});
console.log("\nreplay of 1,000 recorded tasks, claim and load included");
for (const [name, open] of [
  ["SQLite", () => SqliteStore.open(join(folder, "replay.db"))],
  [
    "Postgres",
    await (async () => {
      const url = await postgres.createDatabase();
      return () => PostgresStore.open({ url });
    })(),
  ],
]) {
  const took = [];
  for (let round = 0; round < rounds; round += 1) {
    const engine = await openEngine({ store: await open(), workflows: [long], pollMs: 1_000 });
    const { id } = await engine.submit(long, undefined);
    while ((await engine.get(id)).state !== "PAUSED") await new Promise((resolve) => setTimeout(resolve, 5));
    const again = new Promise((resolve) => {
      arrived = resolve;
    });
    const begin = performance.now();
    await engine.resume(id);
    await again;
    took.push(performance.now() - begin);
    await engine.result(id);
    await engine.stop();
  }
  console.log(`  ${name.padEnd(22)} ${median(took).toFixed(1).padStart(8)} ms`);
}

for (const cleanup of cleanups) await cleanup();
// Pools of others say that they have ended before their connections have.
await new Promise((resolve) => setTimeout(resolve, 500));
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
