// callsign's server in a process of its own: RUNS runs of one agent that says TOKENS numbers, one each DELAY ms.
import { serveSubject } from "./subject.mjs";

const runtime = new URL("../../packages/runtime/dist/", import.meta.url);
const { agent, openEngine, workflow } = await import(new URL("index.js", runtime));
const { serve } = await import(new URL("server/index.js", runtime));
const { SqliteStore } = await import(new URL("sqlite/index.js", runtime));
const { scriptedModel } = await import(new URL("testing/index.js", runtime));

await serveSubject(async ({ runs, tokens, delayMs }) => {
  const go = Promise.withResolvers();
  const text = Array.from({ length: tokens }, (_, index) => `${index} `).join("");
  const talk = workflow("talk", async () => {
    await go.promise;
    return agent("Count.", { model: scriptedModel([{ text, delayMs }]), stream: true })("go");
  });
  const engine = await openEngine({ store: await SqliteStore.open(":memory:"), workflows: [talk] });
  const server = await serve({ engine, port: 0, maxWaiting: 100_000 });
  for (let run = 0; run < runs; run += 1) await engine.submit(talk, undefined, { runId: `r${run}` });
  return {
    url: server.url,
    go: () => go.resolve(),
    async ended() {
      for (let run = 0; run < runs; run += 1) await engine.result(`r${run}`);
    },
  };
});
