import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { finish, lines, makeProject, printed, run, start } from "./command.js";

const cwd = makeProject({
  "tools.mjs": `import { Schema, Tool } from "@callsign/runtime";
    const none = { type: "object", properties: {} };
    export const tools = {
      wipe: new Tool({ name: "wipe", parameters: none, requiresApproval: true, execute: () => "wiped" }),
      count: new Tool({ name: "count", parameters: none, execute: () => { console.log("noise"); return 3; } }),
    };
    export const Total = new Schema({ name: "Total", schema: { type: "object", properties: { n: { type: "integer", minimum: 5 } }, required: ["n"] } });`,
  "agents.mjs": `import { agent, Tool } from "@callsign/runtime";
    const none = { type: "object", properties: {} };
    const make = (name, execute, more = {}) => agent("Do it.", { model: "test/auto", tools: [new Tool({ name, parameters: none, execute })], ...more });
    export const quits = make("quit", () => process.exit(0));
    export const throws = make("later", () => { setTimeout(() => { throw new Error("stray"); }, 5); return new Promise((resolve) => setTimeout(resolve, 60_000)); });
    export const hangs = make("hang", () => new Promise(() => {}), { toolTimeoutMs: Infinity });
    export const slow = make("slow", (_, { signal }) => new Promise((resolve, reject) => { const t = setTimeout(resolve, 60_000); signal.addEventListener("abort", () => { clearTimeout(t); reject(new Error("stopped")); }); }));`,
  "keys.json": '[{ "fails": { "code": "authentication", "message": "bad key sk-live-abcdefghijklmnop12345678" } }]',
});
const made = ["--model", "test/auto", "--tools", "tools.mjs"];

describe("callsign ask", () => {
  test("prints the answer alone on the standard output, and what happens on the error stream", async () => {
    const { status, stdout, stderr } = await run(["ask", ...made, "--yes", "count"], { cwd });
    expect(status).toBe(0);
    expect(stdout).toBe("The tools gave back:\n- wipe: wiped\n- count: 3\n");
    expect(stderr).toContain("→ count({})\n");
    expect(stderr).toContain("← count 3\n");
    expect(stderr).toContain("noise");
    expect((await run(["ask", ...made, "--yes", "--quiet", "-"], { cwd, input: "count" })).stdout).toBe(stdout);
  });

  test("--json prints every event as a line, and ends with one done", async () => {
    const { status, stdout } = await run(["ask", ...made, "--json", "--yes", "count"], { cwd });
    const events = lines(stdout);
    expect(status).toBe(0);
    expect(events[0]).toEqual({ type: "step_start", step: 1 });
    expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "done", stop: "end", toolCallsExecuted: 2 });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["token", "tool_start", "tool_done", "approval_requested", "approval_decided", "usage"]),
    );
  });

  test("refuses calls that need approval where nobody can be asked", async () => {
    const { status, stdout, stderr } = await run(["ask", ...made, "wipe"], { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain("wipe: failed: Not run");
    expect(stderr).toContain("--yes lets such calls run");
  });

  test("answers in a format, of the module or of a file", async () => {
    writeFileSync(
      join(cwd, "answer.json"),
      '{ "type": "array", "items": { "const": 1 }, "minItems": 2, "maxItems": 2 }',
    );
    const [named, filed] = await Promise.all([
      run(["ask", ...made, "--output", "Total", "--yes", "q"], { cwd }),
      run(["ask", "--model", "test/auto", "--output", "answer.json", "q"], { cwd }),
    ]);
    expect(JSON.parse(named.stdout)).toEqual({ n: 5 });
    expect(JSON.parse(filed.stdout)).toEqual([1, 1]);
  });

  test.each(["quits", "throws", "hangs"])("--json ends with one error and status 1 when a tool %s", async (name) => {
    const words = ["ask", "--module", "agents.mjs", "--agent", name, "--json", "go"];
    const { status, stdout } = await run(words, { cwd });
    const events = lines(stdout);
    expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "error", code: "unexpected" });
    expect(status).toBe(1);
  });

  test("Ctrl-C ends it: status 130, with --json an event and status 1", async () => {
    const plain = start(["ask", "--module", "agents.mjs", "--agent", "slow", "go"], { cwd });
    const json = start(["ask", "--module", "agents.mjs", "--agent", "slow", "--json", "go"], { cwd });
    await Promise.all([printed(plain, /→ slow/), printed(json, /tool_start/)]);
    const ends = Promise.all([finish(plain), finish(json)]);
    plain.kill("SIGINT");
    json.kill("SIGINT");
    const [one, other] = await ends;
    expect(one.status).toBe(130);
    expect(other.status).toBe(1);
    expect(lines(other.stdout).at(-1)).toMatchObject({ type: "error", code: "aborted" });
  });

  test("Ctrl-C ends it also while its module loads, the first time", async () => {
    const loading = makeProject({
      "loads.mjs": `console.error("loading"); setInterval(() => {}, 1_000); await new Promise(() => {});`,
    });
    const words = ["--model", "test/auto", "--tools", "loads.mjs"];
    const plain = start(["ask", ...words, "go"], { cwd: loading });
    const json = start(["ask", ...words, "--json", "go"], { cwd: loading });
    await Promise.all([printed(plain, /loading/), printed(json, /loading/)]);
    const ends = Promise.all([finish(plain), finish(json)]);
    plain.kill("SIGINT");
    json.kill("SIGINT");
    const [one, other] = await ends;
    expect(one).toMatchObject({ status: 130, stdout: "" });
    expect(other.status).toBe(1);
    expect(lines(other.stdout)).toMatchObject([{ type: "error", code: "aborted", retryable: false }]);
  });

  test("a provider's failure exits with its reason and without a secret", async () => {
    const { status, stderr } = await run(["ask", "--model", "test/script/keys.json", "q"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toContain("bad key [removed]");
    expect(stderr).not.toContain("sk-live");
  });

  test.each([
    ["openai/x", "OPENAI_API_KEY"],
    ["anthropic/x", "ANTHROPIC_API_KEY"],
    ["google/x", "GEMINI_API_KEY"],
  ])("%s without a key names the variable", async (model, variable) => {
    const { status, stderr } = await run(["ask", "--model", model, "q"], { cwd });
    expect(stderr).toMatch(new RegExp(`^callsign: .*there is no API key; set the environment variable ${variable}`));
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(status).toBe(2);
  });

  test("a reader that closes early is no failure", async () => {
    const child = start(["ask", ...made, "--json", "--yes", "count"], { cwd });
    child.stdout?.destroy();
    expect(await finish(child)).toMatchObject({ status: 0, stderr: expect.not.stringContaining("EPIPE") });
  });
});

describe("callsign chat", () => {
  test("takes lines of a pipe as messages and as decisions, and ends with them", async () => {
    const input = "first\nn\n\nsecond\ny\n/exit\nnever\n";
    const { status, stdout } = await run(["chat", ...made], { cwd, input });
    expect(status).toBe(0);
    const answers = stdout.match(/^- wipe: .*$/gm);
    expect(answers).toEqual([expect.stringContaining("refused by a person"), "- wipe: wiped"]);
  });

  test("refuses a call when the lines are over", async () => {
    const { status, stdout } = await run(["chat", ...made], { cwd, input: "only\n" });
    expect(status).toBe(0);
    expect(stdout).toContain("refused by a person");
  });

  test("says what failed, goes on, and tells a script", async () => {
    const { status, stderr } = await run(["chat", "--model", "openai/x"], { cwd, input: "one\ntwo\n" });
    expect(stderr.match(/there is no API key/g)).toHaveLength(2);
    expect(status).toBe(1);
  });

  test("--session carries a conversation on in another process", async () => {
    writeFileSync(join(cwd, "replies.json"), '[{ "text": "first answer" }, { "text": "second answer" }]');
    const words = ["chat", "--model", "test/script/replies.json", "--session", "s1"];
    expect((await run(words, { cwd, input: "a\n" })).stdout).toBe("first answer\n");
    expect((await run(words, { cwd, input: "b\n" })).stdout).toBe("second answer\n");
  });

  test("Ctrl-C stops the answer, and once more leaves", async () => {
    const child = start(["chat", "--module", "agents.mjs", "--agent", "slow"], { cwd, input: "go\n" });
    await printed(child, /→ slow/);
    const ended = finish(child);
    child.kill("SIGINT");
    const { status, stderr } = await ended;
    expect(stderr).toContain("(stopped; this turn is not kept)");
    // The lines were over.
    expect(status).toBe(0);
  });
});
