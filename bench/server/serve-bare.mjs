// The floor: node:http and a set of responses for each run. A frame is made once, and written to each of them.
import { createServer } from "node:http";
import { serveSubject } from "./subject.mjs";

await serveSubject(async ({ runs, tokens, delayMs }) => {
  const readers = Array.from({ length: runs }, () => new Set());
  const server = createServer((request, response) => {
    const run = Number(/^\/runs\/r(\d+)\/stream$/.exec(request.url)?.[1]);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    response.flushHeaders();
    readers[run].add(response);
    response.once("close", () => readers[run].delete(response));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const over = Promise.withResolvers();
  let talking = runs;
  const talk = async (run) => {
    const write = (data) => {
      const frame = `data: ${JSON.stringify(data)}\n\n`;
      for (const response of readers[run]) response.write(frame);
    };
    for (let index = 0; index < tokens; index += 1) {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      write({ type: "TASK_PROGRESS", value: { token: `${index} ` } });
    }
    write({ type: "WORKFLOW_COMPLETED", value: "" });
    for (const response of readers[run]) response.end();
    talking -= 1;
    if (talking === 0) over.resolve();
  };
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    go() {
      for (let run = 0; run < runs; run += 1) void talk(run);
    },
    ended: () => over.promise,
  };
});
