import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/command-table.js";
import { runCommandLine } from "../../src/cli/run-command-line.js";
import { lines, makeProject, type Outcome, run } from "./command.js";

/** What is decided from the words alone needs no process of its own; that the bin does the same is seen below. */
async function say(words: readonly string[]): Promise<Outcome> {
  let [stdout, stderr] = ["", ""];
  const status = await runCommandLine(words, {
    out: (text) => {
      stdout += text;
    },
    error: (text) => {
      stderr += text;
    },
    paint: (_where, _style, text) => text,
    isTerminal: { in: false, out: false, error: false },
    readAll: async () => "",
    flush: async () => {},
  });
  return { status, stdout, stderr };
}

const names = Object.keys(COMMANDS);
const cwd = makeProject({
  "src/callsign.app.mjs": `import { agent, workflow } from "@callsign/runtime";
    export const helper = agent("Help.", { model: "test/auto" });
    export const greet = workflow("greet", async () => "hello");`,
});

describe("callsign", () => {
  test("--help lists every command and the exit statuses", async () => {
    const { status, stdout, stderr } = await run(["--help"], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ {2}${name} +\\w`, "m"));
    expect(stdout).toContain("Exit status: 0 done, 1 failed, 2 cannot be carried out as written, 3 the run waits");
  });

  test.each(names)("%s --help says how it is called, and every option of it", async (name) => {
    const { status, stdout } = await say([...name.split(" "), "--help"]);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: callsign ${name} `, "m"));
    for (const option of Object.keys(COMMANDS[name]?.options ?? {})) expect(stdout).toContain(`--${option}`);
    expect(stdout).not.toMatch(/npx callsign\b/);
  });

  test("help COMMAND prints the same, and a group alone prints its commands", async () => {
    const [asked, helped, group, groupHelp] = await Promise.all([
      run(["runs", "show", "--help"], { cwd }),
      run(["help", "runs", "show"], { cwd }),
      run(["workflow"], { cwd }),
      run(["workflow", "--help"], { cwd }),
    ]);
    expect(helped).toEqual(asked);
    expect(group).toMatchObject({ status: 2, stdout: "" });
    expect(groupHelp).toMatchObject({ status: 0, stdout: group.stderr });
    expect(group.stderr).toContain("workflow resume");
  });

  test("--version prints the version of the package; without a command the help goes to the error stream", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await run(["--version"], { cwd })).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
    const { status, stdout, stderr } = await run([], { cwd });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Usage: callsign COMMAND");
  });

  const fromWords: [what: string, words: string[], message: RegExp, hint: RegExp][] = [
    ["an unknown command", ["aks", "hi"], /has no command "aks"/, /did you mean `callsign ask`\?/],
    [
      "an unknown command of a group",
      ["runs", "lst"],
      /has no command "runs lst"/,
      /did you mean `callsign runs list`/,
    ],
    ["a command of the compiler", ["build"], /has no command "build"/, /callsignc, the compiler/],
    ["an option before the command", ["--json", "ask"], /has no option --json/, /behind a command/],
    ["an unknown option", ["ask", "--modl", "x", "q"], /ask has no option --modl/, /did you mean --model\?/],
    ["a short option", ["ask", "-m", "q"], /ask has no option -m/, /ask --help/],
    ["an option without its value", ["ask", "q", "--model"], /--model needs a value: PROVIDER\/MODEL/, /ask --help/],
    ["an option instead of a value", ["ask", "q", "--model", "--yes"], /--model needs a value/, /ask --help/],
    ["a switch with a value", ["ask", "q", "--yes=no"], /--yes takes no value/, /ask --help/],
    [
      "an option given twice",
      ["ask", "q", "--model", "a/b", "--model", "c/d"],
      /--model was given twice/,
      /ask --help/,
    ],
    [
      "a value that is none of the choices",
      ["runs", "list", "--state", "PAUSD"],
      /does not take "PAUSD"/,
      /mean PAUSED\?/,
    ],
    ["a value for --help", ["ask", "--help=1"], /--help takes no value/, /ask --help/],
    ["a question in many words", ["ask", "what", "is", "this"], /does not take the argument "is"/, /put quotes around/],
    ["a missing argument", ["workflow", "run"], /workflow run needs NAME/, /workflow run --help/],
  ];
  test.each(fromWords)("%s is wrong use, and what to type instead is said", async (_, words, message, hint) => {
    const { status, stdout, stderr } = await say(words);
    expect(stderr).toMatch(/^callsign: /);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  const wrong: [what: string, words: string[], message: RegExp, hint: RegExp][] = [
    ["an unknown command", ["aks", "hi"], /has no command "aks"/, /did you mean `callsign ask`\?/],
    ["an option instead of a value", ["ask", "q", "--model", "--yes"], /--model needs a value/, /ask --help/],
    ["a folder that is not there", ["workflow", "list", "--cwd", "nowhere"], /--cwd nowhere is not a folder/, /exists/],
    ["a module that is not there", ["workflow", "list", "--module", "x.ts"], /there is no module x\.ts/, /path of a/],
    [
      "an unknown workflow",
      ["workflow", "run", "gerte"],
      /exports no workflow "gerte"/,
      /workflows: greet|mean greet\?/,
    ],
    ["an unknown agent", ["ask", "q", "--agent", "helpr"], /exports no agent "helpr"/, /did you mean helper\?/],
    ["an unknown provider", ["ask", "q", "--model", "opnai/x"], /"opnai\/x" is not known/, /did you mean openai\/…\?/],
    ["tools without a model", ["ask", "q", "--tools", "src/callsign.app.mjs"], /--tools needs --model/, /test\/auto/],
    [
      "tools that are none",
      ["ask", "q", "--model", "test/auto", "--tools", "src/callsign.app.mjs"],
      /no bound tool/,
      /callsignc/,
    ],
    ["an unknown schema", ["ask", "q", "--model", "test/auto", "--output", "Day"], /no schema "Day"/, /answer\.json/],
    ["an address that is none", ["ask", "q", "--model", "test/auto", "--base-url", "x"], /is no address/, /https?:/],
    [
      "the name of a variable that is not set",
      ["ask", "q", "--api-key-env", "NO_KEY"],
      /NO_KEY .* not set/,
      /never the key/,
    ],
    ["an empty question", ["ask", " "], /the question is empty/, /in quotes/],
    [
      "a store that is not there",
      ["runs", "list"],
      /there is no store \.callsign\/runs\.db/,
      /--store or CALLSIGN_STORE/,
    ],
    ["a folder as a module", ["workflow", "list", "--module", "src"], /there is no module src/, /path of a/],
    ["a folder as a store", ["runs", "list", "--store", "src"], /the store src is a folder/, /src\/runs\.db/],
    [
      "a store of no kind",
      ["workflow", "run", "greet", "--store", "mysql://u:pw@h/x"],
      /no kind of store for mysql:\/\/u@h\/x/,
      /postgres:/,
    ],
    [
      "a run id that no address can hold",
      ["workflow", "run", "greet", "--run-id", ".."],
      /--run-id must not/,
      /another/,
    ],
    ["an age that is none", ["runs", "prune", "--older-than", "soon"], /"soon" is no age/, /30d/],
    ["a prune without an age", ["runs", "prune"], /needs --older-than/, /--dry-run/],
    ["a port that is none", ["serve", "--port", "http"], /--port is "http"/, /65535/],
    ["an open address without a token", ["serve", "--host", "0.0.0.0"], /there is no token/, /CALLSIGN_TOKEN/],
    ["a token that is too short", ["serve", "--token", "abc"], /too short/, /openssl/],
    ["a token file that is not there", ["serve", "--token-file", "none"], /none cannot be read/, /holds the token/],
  ];
  test.each(wrong)("%s exits with 2 and says what to type instead", async (_, words, message, hint) => {
    const { status, stdout, stderr } = await run(words, { cwd });
    expect(stderr).toMatch(/^callsign: /);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });

  test.each([
    ["without a question", []],
    ["with an unknown option", ["q", "--modl", "x"]],
    ["with an unknown model", ["q", "--model", "opnai/x"]],
    ["with a folder that is not there", ["q", "--cwd", "nowhere"]],
  ])("ask --json %s prints one error event and exits with 1", async (_, words) => {
    const { status, stdout, stderr } = await run(["ask", "--json", ...words], { cwd });
    expect(lines(stdout)).toEqual([
      { type: "error", code: expect.any(String), message: expect.any(String), retryable: false },
    ]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  });

  test("a module that ends the process is no success, and one that holds what refuses to be looked at no failure", async () => {
    const odd = makeProject({
      "exits.mjs": "process.exit(0)",
      "refuses.mjs": `import { workflow } from "@callsign/runtime";
        export const env = new Proxy({}, { ownKeys() { throw new Error("not here"); } });
        export const greet = workflow("greet", async () => "hello");`,
      file: "",
    });
    const [exits, refuses, blocked] = await Promise.all([
      run(["workflow", "run", "greet", "--module", "exits.mjs"], { cwd: odd }),
      run(["workflow", "run", "greet", "--module", "refuses.mjs"], { cwd: odd }),
      run(["workflow", "run", "greet", "--module", "refuses.mjs", "--store", "file/runs.db"], { cwd: odd }),
    ]);
    expect(exits).toMatchObject({ status: 1, stderr: expect.stringMatching(/code of the project ended the process/) });
    expect(refuses).toMatchObject({ status: 0, stdout: "hello\n" });
    expect(blocked).toMatchObject({ status: 1, stderr: expect.stringMatching(/a file is in its place/) });
  });

  test("where there is no module, the ways to name one are said", async () => {
    const { status, stderr } = await run(["workflow", "list"], { cwd: makeProject({}) });
    expect(status).toBe(2);
    expect(stderr).toContain("--module FILE");
    expect(stderr).toContain("src/callsign.app.ts");
  });

  test("--debug shows the stack", async () => {
    const { status, stderr } = await run(["ask", "q", "--agent", "none", "--debug"], { cwd });
    expect(status).toBe(2);
    expect(stderr).toMatch(/\n {4}at /);
  });

  test.each([
    ["NO_COLOR", { NO_COLOR: "1" }, false],
    ["nothing, in a pipe", {}, false],
    ["FORCE_COLOR", { FORCE_COLOR: "1" }, true],
  ])("with %s colour is as that says", async (_, env, isColoured) => {
    const { stderr } = await run(["workflow", "run", "greet"], {
      cwd: cwd,
      env: { ...env, CALLSIGN_STORE: ":memory:" },
    });
    expect(stderr.includes("\u001b[")).toBe(isColoured);
  });
});
