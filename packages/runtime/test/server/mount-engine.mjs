// The engine of the servers of docs/server.md, and workflows that show what becomes of a stream.
import { existsSync } from "node:fs";
import { openEngine, progress, workflow } from "../../dist/index.js";
import { SqliteStore } from "../../dist/sqlite/index.js";

let readers = 0;
const echo = workflow("echo", async (ctx) => ctx.input ?? null);
/** The second token comes when the test has had the first, and has made a file. */
const talk = workflow("talk", async (ctx) => {
  progress({ type: "token", text: "first" });
  while (!existsSync(ctx.input.gate)) await new Promise((resolve) => setTimeout(resolve, 10));
  progress({ type: "token", text: "second" });
  return "over";
});
const countReaders = workflow("count_readers", async () => readers);

export async function openMountEngine(path) {
  const store = await SqliteStore.open(path, { synchronous: "normal" });
  const engine = await openEngine({ workflows: [echo, talk, countReaders], store, pollMs: 20 });
  const events = engine.events.bind(engine);
  engine.events = (...given) => {
    const read = events(...given);
    readers += 1;
    return (async function* () {
      try {
        yield* read;
      } finally {
        readers -= 1;
      }
    })();
  };
  return engine;
}
