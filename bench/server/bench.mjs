// What it costs to show runs to many clients: 1,000 clients on 20 runs, each of which says a number at a time. Every
// client must get every number in order, then the end. The floor is a bare node:http server in the same run. Prints CPU
// per frame and memory per client of the server's process, at rates that rise until frames are lost or late.
//   node bench.mjs [--clients 1000] [--runs 20] [--seconds 5] [--delays 100,50,20,10,5] [--rounds 1]
import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "1000" },
    runs: { type: "string", default: "20" },
    seconds: { type: "string", default: "5" },
    delays: { type: "string", default: "100,50,20,10,5" },
    rounds: { type: "string", default: "1" },
  },
});
const [clients, runs, seconds, rounds] = ["clients", "runs", "seconds", "rounds"].map((name) => Number(values[name]));
const dist = new URL("../../packages/runtime/dist/server/index.js", import.meta.url);
if (!existsSync(dist)) throw new Error(`${dist.pathname} is missing: run npm run build at the root`);

/** One client: how many numbers came in order, and whether the end came. */
function follow(url, run) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const client = { next: 0, wrong: 0, ended: false, opened: Promise.withResolvers(), closed: Promise.withResolvers() };
  let rest = "";
  socket.setEncoding("latin1");
  socket.write(`GET /runs/r${run}/stream HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  socket.on("data", (chunk) => {
    client.opened.resolve();
    const text = rest + chunk;
    const cut = text.lastIndexOf("\n\n") + 2;
    rest = cut === 1 ? text : text.slice(cut);
    if (cut === 1) return;
    const whole = text.slice(0, cut);
    for (const [, number] of whole.matchAll(/"token":"(\d+) "/g)) {
      if (Number(number) === client.next) client.next += 1;
      else client.wrong += 1;
    }
    if (whole.includes('"WORKFLOW_COMPLETED"')) {
      client.ended = true;
      socket.destroy();
    }
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    client.opened.resolve();
    client.closed.resolve();
  });
  client.leave = () => socket.destroy();
  return client;
}

async function measure(file, delayMs) {
  const tokens = Math.ceil((seconds * 1_000) / delayMs);
  const child = fork(new URL(file, import.meta.url), [JSON.stringify({ runs, tokens, delayMs })], {
    execArgv: ["--expose-gc", "--no-warnings"],
  });
  const told = () => new Promise((resolve) => child.once("message", resolve));
  const { url, rss: before } = await told();
  const all = Array.from({ length: clients }, (_, index) => follow(url, index % runs));
  await Promise.all(all.map(({ opened }) => opened.promise));
  const connected = told();
  child.send("connected");
  const { rss: after } = await connected;
  const begin = performance.now();
  const result = told();
  child.send("go");
  const { cpuMs } = await result;
  const patience = setTimeout(() => {
    for (const { leave } of all) leave();
  }, 10_000);
  await Promise.all(all.map(({ closed }) => closed.promise));
  clearTimeout(patience);
  const took = (performance.now() - begin) / 1_000;
  child.disconnect();
  return {
    rate: 1_000 / delayMs,
    frames: clients * tokens,
    lost: all.filter(({ next, ended }) => next < tokens || !ended).length,
    reordered: all.reduce((sum, { wrong }) => sum + wrong, 0),
    cpuMicros: (cpuMs * 1_000) / (clients * tokens),
    kibPerClient: (after - before) / 1_024 / clients,
    framesPerSecond: (clients * tokens) / took,
  };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
console.log(`${clients} clients on ${runs} runs, ${seconds} s a run, median of ${rounds} rounds`);
console.log(
  "tokens/s a run   server     frames/s sent   µs CPU/frame   ratio   KiB/client   clients with a gap   reordered",
);
for (const delay of values.delays.split(",").map(Number)) {
  const found = { bare: [], callsign: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(found)) found[name].push(await measure(`serve-${name}.mjs`, delay));
  }
  const floor = median(found.bare.map(({ cpuMicros }) => cpuMicros));
  for (const [name, measured] of Object.entries(found)) {
    const of = (key) => median(measured.map((each) => each[key]));
    console.log(
      [
        (1_000 / delay).toFixed(0).padStart(14),
        name.padEnd(9),
        of("framesPerSecond").toFixed(0).padStart(15),
        of("cpuMicros").toFixed(2).padStart(14),
        (of("cpuMicros") / floor).toFixed(2).padStart(7),
        of("kibPerClient").toFixed(1).padStart(12),
        String(Math.max(...measured.map(({ lost }) => lost))).padStart(20),
        String(Math.max(...measured.map(({ reordered }) => reordered))).padStart(11),
      ].join("   "),
    );
  }
}
process.exit(0);
