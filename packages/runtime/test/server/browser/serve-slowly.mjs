// A server whose workflow takes its time, until it is killed.
//   node serve-slowly.mjs STORE PORT
import { openEngine, sleep, task, workflow } from "../../../dist/index.js";
import { serve } from "../../../dist/server/index.js";
import { SqliteStore } from "../../../dist/sqlite/index.js";

const [, , path, port] = process.argv;
const count = task(async function count(number) {
  await new Promise((resolve) => setTimeout(resolve, 15));
  return number;
});
const counting = workflow("counting", async (ctx) => {
  for (let number = 1; number <= ctx.input; number += 1) await count(number);
  await sleep(1);
  return "counted";
});
const engine = await openEngine({ workflows: [counting], store: await SqliteStore.open(path), pollMs: 50 });
const server = await serve({ engine, port: Number(port) });
process.send?.(server.url);
