// Runs every subject in fresh processes against the mock server and prints a table with ratios
// to the raw-fetch floor of the same run. Rounds are interleaved (every subject once per round).
//   node bench.mjs [--rounds 7] [--steps 200] [--tokens 20000] [--only a,b] [--tasks import,turn,loop,loopstream,stream] [--out FILE]
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const arg = (k, d) => {
  const i = process.argv.indexOf(`--${k}`);
  return i === -1 ? d : process.argv[i + 1];
};
const rounds = Number(arg("rounds", 7)),
  steps = Number(arg("steps", 200)),
  tokens = Number(arg("tokens", 20000));
const openaiSubjects = [
  "raw-openai",
  "callsign",
  "raw-openai-ajv",
  "openai-sdk",
  "ai-sdk",
  "openai-agents",
  "langgraph",
  "langchain",
  "mastra",
  "pi",
];
const anthropicSubjects = [
  "raw-anthropic",
  "callsign-anthropic",
  "anthropic-sdk",
  "anthropic-sdk-thread",
  "anthropic-sdk-helper",
  "ai-sdk-anthropic",
];
const only = arg("only", "").split(",").filter(Boolean);
const subjects = [...openaiSubjects, ...anthropicSubjects].filter((s) => !only.length || only.includes(s));
const tasks = arg("tasks", "import,turn,loop,loopstream,stream").split(",");
const skip = {
  pi: ["loop"],
  "anthropic-sdk-thread": ["import", "turn", "stream"],
  "anthropic-sdk-helper": ["import", "turn", "loop", "loopstream"],
};
const floorOf = (s) => (s.includes("anthropic") ? "raw-anthropic" : "raw-openai");
const here = (f) => fileURLToPath(new URL(f, import.meta.url));
const env = {
  ...process.env,
  NODE_ENV: "production",
  OPENAI_API_KEY: "x",
  ANTHROPIC_API_KEY: "x",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  MASTRA_TELEMETRY_DISABLED: "1",
  LANGSMITH_TRACING: "false",
  NO_PROXY: "127.0.0.1",
  AI_SDK_LOG_WARNINGS: "false",
};

const srv = spawn(process.execPath, [here("./mock-server.mjs")], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
const origin = await new Promise((r) => srv.stdout.once("data", (d) => r(`http://127.0.0.1:${String(d).trim()}`)));
const one = (s, task, n) =>
  new Promise((resolve) => {
    const t = performance.now();
    const p = spawn(process.execPath, [here("./runner.mjs"), s, task, String(n), origin], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let o = "",
      e = "";
    p.stdout.on("data", (d) => (o += d));
    p.stderr.on("data", (d) => (e += d));
    p.on("close", () => {
      const processMs = performance.now() - t;
      try {
        resolve({ ...JSON.parse(o.trim().split("\n").at(-1)), processMs });
      } catch {
        resolve({ error: (e || o).slice(-600) });
      }
    });
  });
const median = (a) => {
  const s = [...a].sort((x, y) => x - y);
  return s.length ? s[Math.floor(s.length / 2)] : NaN;
};
const res = {};
const entry = (subject, task) => {
  res[subject] ??= {};
  res[subject][task] ??= { runs: [] };
  return res[subject][task];
};
for (const task of tasks)
  for (let r = 0; r <= rounds; r++)
    for (const s of subjects) {
      // round 0 warms the file cache and is dropped
      if (skip[s]?.includes(task)) continue;
      if (r === 0 && !["import", "turn"].includes(task)) continue;
      const o = await one(s, task, task === "stream" ? tokens : steps);
      if (o.error) {
        if (!res[s]?.[task]?.error) console.error(`${s}/${task}: ${o.error}`);
        entry(s, task).error = o.error;
        continue;
      }
      if (r > 0) entry(s, task).runs.push(o);
    }
srv.disconnect();
const m = (s, task, k) => median((res[s]?.[task]?.runs ?? []).map((x) => x[k]));
const f = (x, d = 2) => (Number.isFinite(x) ? x.toFixed(d) : "-");
const rat = (a, b) => (Number.isFinite(a / b) ? `${(a / b).toFixed(1)}x` : "-");
const rows = [];
for (const s of subjects) {
  const F = floorOf(s);
  const step = (t) => m(s, t, "cpuMs") / steps,
    tok = (m(s, "stream", "cpuMs") / tokens) * 1000;
  const ftok = (m(F, "stream", "cpuMs") / tokens) * 1000;
  rows.push({
    subject: s,
    "import ms": f(m(s, "import", "importMs"), 0),
    "import cpu ms": f(m(s, "import", "importCpuMs"), 0),
    "turn process ms": f(m(s, "turn", "processMs"), 0),
    "turn ratio": rat(m(s, "turn", "processMs"), m(F, "turn", "processMs")),
    "loop cpu ms/step": f(step("loop")),
    "loop wall ms/step": f(m(s, "loop", "wallMs") / steps),
    "loop ratio": rat(step("loop"), m(F, "loop", "cpuMs") / steps),
    "sse loop cpu ms/step": f(step("loopstream")),
    "sse loop ratio": rat(step("loopstream"), m(F, "loopstream", "cpuMs") / steps),
    "stream cpu us/token": f(tok),
    "stream wall us/token": f((m(s, "stream", "wallMs") / tokens) * 1000),
    "stream ratio": rat(tok, ftok),
    "rss turn MB": f(m(s, "turn", "rssMb"), 0),
    "rss loop MB": f(Math.max(m(s, "loop", "rssMb") || 0, m(s, "loopstream", "rssMb") || 0), 0),
    "rss stream MB": f(m(s, "stream", "rssMb"), 0),
  });
}
const cols = Object.keys(rows[0]);
console.log(`node ${process.version}, rounds ${rounds}, steps ${steps}, tokens ${tokens}, medians`);
console.log(`| ${cols.join(" | ")} |\n|${cols.map(() => "---").join("|")}|`);
for (const r of rows) console.log(`| ${cols.map((c) => r[c]).join(" | ")} |`);
const out = arg("out");
if (out) writeFileSync(out, JSON.stringify({ node: process.version, rounds, steps, tokens, res }));
