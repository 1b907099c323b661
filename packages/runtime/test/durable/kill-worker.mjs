// A process that executes workflows until it is killed, by itself at a chosen place or by its parent at any time.
//   node kill-worker.mjs STORE LEDGER PLACE NUMBER SEED [FAULT]
// STORE: a path of a SQLite file, or the address of a Postgres database, where DBOS carries the runs unless "local+"
// stands before it. PLACE: where to die at the NUMBERth time
// ("task", "append", "recorded", "never"). FAULT: what is wrong with the store, so that the suite has something to find:
// "forget" an end that it has recorded, "lose" one that it has acknowledged.
import { appendFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { agent, call, openEngine, parallel, pause, sleep, Tool, task, workflow } from "../../dist/index.js";

const [, , given, ledger, place, number, seed, fault] = process.argv;
const address = given.replace("local+", "");
let left = Number(number);
const die = (where) => {
  if (place !== where) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
};
// Outside of the store: what really happened.
const note = (what) => appendFileSync(ledger, `${what}\n`);

let state = Number(seed) >>> 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
// Other timings in every process: branches overtake each other on replay.
const nap = () => new Promise((resolve) => setTimeout(resolve, random() * 12));

async function openStore() {
  if (address.startsWith("postgres")) {
    const { watchedPostgres } = await import("./kill-postgres.mjs");
    return watchedPostgres(address, die);
  }
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === "COMMIT") die("append");
    const result = exec.call(this, sql);
    // What was recorded just now has not reached anybody.
    if (sql === "COMMIT") die("recorded");
    return result;
  };
  const { SqliteStore } = await import("../../dist/sqlite/index.js");
  return SqliteStore.open(address);
}

const act = async (name) => {
  note(`start ${name} at ${Date.now()}`);
  await nap();
  die("task");
  note(`end ${name}`);
  return name.split(" ")[1].toUpperCase();
};

const step = task(async function step(runId, name) {
  return act(`${runId} ${name}`);
});

const flaky = task({ name: "flaky", retries: { attempts: 3, delayMs: 5 } }, async (runId, name) => {
  const result = await act(`${runId} ${name}`);
  if (random() < 0.5) throw new Error("not this time");
  return result;
});

/** Answers by what is in the history, as a model does: which calls are done, in this conversation. */
const model = (runId) => ({
  id: "scripted/model",
  entry: {
    lowerTools: (tools) =>
      tools.map((tool) => ({
        target: "openai",
        name: tool.name,
        tool,
        wire: { name: tool.name },
        schema: tool.parameters,
        strict: false,
        dropped: [],
        notes: [],
        restore: (value) => value,
        encode: (value) => value,
      })),
    lowerOutput: () => {
      throw new Error("no output is asked for");
    },
    outputMode: () => "native",
    open: async () => ({
      name: "scripted",
      async *stream({ messages }) {
        const turn = messages.filter(({ role }) => role === "assistant").length;
        await act(`${runId} model ${turn}`);
        const content =
          turn < 3
            ? [0, 1].map((index) => ({
                type: "tool_call",
                id: `call_${turn}_${index}`,
                name: "tool",
                arguments: JSON.stringify({ name: `${turn}-${index}` }),
              }))
            : [{ type: "text", text: "all done" }];
        yield {
          type: "reply",
          reply: { message: { role: "assistant", content }, stop: turn < 3 ? "tool" : "end", usage: {}, notes: [] },
        };
      },
    }),
  },
});

const flows = [
  workflow("sequential", async ({ runId }) => {
    const names = [];
    for (let index = 0; index < 5; index += 1) names.push(await step(runId, `s${index}`));
    return names;
  }),
  workflow("agents", async ({ runId }) => {
    const tool = new Tool({
      name: "tool",
      parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      execute: ({ name }) => act(`${runId} tool ${name}`),
    });
    const ask = () => agent("Act.", { model: model(runId), tools: [tool], name: "actor" })("go");
    return [await ask(), await step(runId, "after")];
  }),
  workflow("branches", async ({ runId }) =>
    parallel(
      ["a", "b", "c"].map((branch) => async () => {
        const first = await step(runId, `${branch}1`);
        await nap();
        return [first, await step(runId, `${branch}2`), await step(runId, "same")];
      }),
    ),
  ),
  workflow("inner", async ({ runId, input }) => [await step(runId, `in-${input}`), await step(runId, "in-2")]),
  workflow("nested", async ({ runId }) => {
    const inner = flows.find(({ name }) => name === "inner");
    const [one, two] = await parallel([() => call(inner, "x"), () => call(inner, "y")]);
    return [one, two, await step(runId, "last")];
  }),
  workflow("retries", async ({ runId }) => {
    const result = await flaky(runId, "try").catch((error) => error.message);
    await sleep(3);
    return [typeof result, await step(runId, "after")];
  }),
  workflow("pauses", async ({ runId }) => {
    const before = await step(runId, "before");
    const [word, other] = await parallel([() => pause("word"), () => step(runId, "beside")]);
    return [before, word, other, await step(runId, "after")];
  }),
];

const store = await openStore();
const { load, append } = store;
const isFirstStep = ({ type, name, value }) => type === "TASK_COMPLETED" && name === "step" && value === "S0";
if (fault === "forget") {
  store.load = async (...args) => (await load.apply(store, args)).filter((event) => !isFirstStep(event));
}
if (fault === "lose") {
  store.append = async (claim, events, end) =>
    append.call(
      store,
      claim,
      events.map((event) => (isFirstStep(event) ? { ...event, type: "TASK_STARTED" } : event)),
      end,
    );
}
let carrier;
if (given.startsWith("postgres")) {
  const { dbosCarrier } = await import("./kill-postgres.mjs");
  carrier = await dbosCarrier(address);
}
const engine = await openEngine({
  store,
  workflows: flows,
  pollMs: 20,
  leaseMs: 2_000,
  onError: (error) => note(`error ${error?.message}`),
  ...(carrier === undefined ? {} : { carrier }),
});
process.stdout.write("ready\n");
// Commands of the parent: submit NAME ID | resume ID VALUE | stop
process.stdin.setEncoding("utf8");
let text = "";
process.stdin.on("data", async (chunk) => {
  text += chunk;
  const lines = text.split("\n");
  text = lines.pop();
  for (const line of lines) {
    const [command, first, second] = line.split(" ");
    if (command === "submit") await engine.submit(first, null, { runId: second });
    // A run that was seen to wait may have been resumed by then.
    if (command === "resume") await engine.resume(first, { name: "word", value: second }).catch(() => {});
    if (command === "stop") {
      await engine.stop();
      process.exit(0);
    }
    process.stdout.write(`did ${line}\n`);
  }
});
