import type { Command } from "./command.js";

const COMMON = {
  cwd: { value: "FOLDER", text: "Start from this folder instead of the current one." },
  debug: { text: "Show the stack of what failed." },
} as const;
const MODULE = {
  module: {
    value: "FILE",
    multiple: true,
    text: "The module that exports workflows and agents; may be given repeatedly. Default: see below.",
  },
} as const;
const STORE = {
  store: {
    value: "FILE|URL",
    text: "Where runs are kept: a SQLite file, or postgres://…. Default: CALLSIGN_STORE, else .callsign/runs.db.",
  },
} as const;
const JSON_FLAG = { json: { text: "Print JSON." } } as const;
const EVENTS = {
  json: { text: "Print every event as one line of JSON." },
  quiet: { text: "Print the result alone." },
} as const;
const DETACH = (text: string) => ({ detach: { text } }) as const;
const STATES = ["SCHEDULED", "RUNNING", "PAUSED", "COMPLETED", "FAILED", "CANCELLED"] as const;
const RUN = [{ name: "RUN", required: true }] as const;

const MODULE_DETAILS = [
  'The module is that of --module, else "module" in callsign.config.json (or under callsign in package.json), else',
  "callsign.app.ts (.mts, .js, .mjs) here, in src, or in a folder above. TypeScript needs no build.",
] as const;
const RUN_DETAILS = ["RUN is a run's id, or the beginning of one."] as const;
const EXECUTE_DETAILS = [
  "The run is executed in this process. Exit status 3 when it waits for a person: it is kept, and the way to go on is said.",
] as const;

const AGENT = {
  tools: {
    value: "MODULE",
    multiple: true,
    text: "A module that exports bound tools, such as src/callsign.tools.gen.ts.",
  },
  model: { value: "PROVIDER/MODEL", text: "The model. test/auto works offline." },
  "base-url": { value: "URL", text: "Where the provider is." },
  "api-key-env": { value: "NAME", text: "The environment variable that holds the key. Default: the provider's own." },
  instructions: { value: "TEXT", text: "The system prompt." },
  "max-tool-calls": { value: "N", text: "How many tool calls may run. Default 10." },
  ...MODULE,
  agent: { value: "NAME", text: "An agent that the module exports, instead of --model and --tools." },
  yes: { text: "Let calls run that need a person's approval." },
} as const;
const OUTPUT = {
  output: { value: "SCHEMA", text: "Answer in this format: a type marked @schema, or a file of JSON Schema." },
} as const;
const AGENT_DETAILS = [
  "With --model an agent is made of it and of --tools. Without, the module's agent answers; --model, --base-url and the",
  "like then change that one. Keys come from the environment only: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY.",
] as const;

const decide = (how: "approve" | "reject", summary: string): Command => ({
  summary,
  arguments: RUN,
  options: {
    task: { value: "TASK", text: "Which call, where more than one waits." },
    reason: { value: "TEXT", text: "Why; it is kept in the log." },
    by: { value: "NAME", text: "Who decides. Default: the user who is logged in." },
    ...DETACH("Only decide; whatever serves this store carries the run on."),
    ...MODULE,
    ...STORE,
    ...EVENTS,
    ...COMMON,
  },
  details: [
    "The decision is kept first, once and finally. Then the run is carried on in this process, until it ends or waits",
    "again; not so where no module is found, and on Postgres, where it goes on in whatever process serves the store.",
    ...RUN_DETAILS,
    ...MODULE_DETAILS,
  ],
  load: async () => {
    const { runApprove, runReject } = await import("./commands/run-commands.js");
    return how === "approve" ? runApprove : runReject;
  },
});

/** THE TABLE: every command, in the order that `--help` lists them. Each loads what it needs when it is called. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ask: {
    summary: "Ask an agent one question.",
    arguments: [{ name: "QUESTION", required: true }],
    options: { ...AGENT, ...OUTPUT, ...EVENTS, ...COMMON },
    details: [
      ...AGENT_DETAILS,
      "QUESTION is - for the standard input. With --json the last line is one event done or error, also for wrong use, and",
      "the exit status is 0 or 1.",
    ],
    load: async () => (await import("./commands/agent-commands.js")).runAsk,
  },
  chat: {
    summary: "Talk with an agent at the terminal.",
    arguments: [],
    options: {
      ...AGENT,
      session: { value: "ID", text: "Keep the conversation in .callsign/sessions.db, and carry it on." },
      quiet: { text: "Print answers alone." },
      ...COMMON,
    },
    details: [
      ...AGENT_DETAILS,
      "Calls that need approval are asked for. Ctrl-C stops an answer, once more leaves. Lines may come through a pipe: each",
      "is a message, or the answer to a question.",
    ],
    load: async () => (await import("./commands/agent-commands.js")).runChat,
  },
  "workflow run": {
    summary: "Run a workflow and print its result.",
    arguments: [{ name: "NAME", required: true }, { name: "INPUT" }],
    options: {
      "run-id": {
        value: "ID",
        text: "A second start with the same id and input is the same run. Default: a new UUID.",
      },
      ...DETACH("Only put the run into the store, for `callsign serve`; print its id."),
      ...MODULE,
      ...STORE,
      ...EVENTS,
      ...COMMON,
    },
    details: ["INPUT is JSON, or - for the standard input.", ...EXECUTE_DETAILS, ...MODULE_DETAILS],
    load: async () => (await import("./commands/run-commands.js")).runWorkflowRun,
  },
  "workflow resume": {
    summary: "Carry a run on that waits for a value, or that was interrupted.",
    arguments: [...RUN, { name: "VALUE" }],
    options: {
      name: { value: "PAUSE", text: "Which pause the value is for, where the run waits in more than one." },
      ...MODULE,
      ...STORE,
      ...EVENTS,
      ...COMMON,
    },
    details: [
      "VALUE is JSON, or - for the standard input. Default: null where the run waits in a pause.",
      ...EXECUTE_DETAILS,
      ...RUN_DETAILS,
      ...MODULE_DETAILS,
    ],
    load: async () => (await import("./commands/run-commands.js")).runWorkflowResume,
  },
  "workflow list": {
    summary: "List the workflows of the project.",
    arguments: [],
    options: { ...MODULE, ...JSON_FLAG, ...COMMON },
    details: MODULE_DETAILS,
    load: async () => (await import("./commands/run-commands.js")).runWorkflowList,
  },
  "workflow show": {
    summary: "Show a workflow: what it is for, the schema of its input, its last runs.",
    arguments: [{ name: "NAME", required: true }],
    options: { ...MODULE, ...STORE, ...JSON_FLAG, ...COMMON },
    details: MODULE_DETAILS,
    load: async () => (await import("./commands/run-commands.js")).runWorkflowShow,
  },
  "workflow status": {
    summary: "Show how a run fares, and what it waits for.",
    arguments: RUN,
    options: { ...STORE, ...JSON_FLAG, ...COMMON },
    details: RUN_DETAILS,
    load: async () => (await import("./commands/run-commands.js")).runWorkflowStatus,
  },
  "workflow cancel": {
    summary: "End a run as soon as possible.",
    arguments: RUN,
    options: { ...STORE, ...JSON_FLAG, ...COMMON },
    details: ["Does nothing to a run that has ended.", ...RUN_DETAILS],
    load: async () => (await import("./commands/run-commands.js")).runWorkflowCancel,
  },
  approve: decide("approve", "Let a call run that waits for a person, and carry its run on."),
  reject: decide("reject", "Refuse a call that waits for a person, and carry its run on."),
  "runs list": {
    summary: "List runs, the newest first.",
    arguments: [],
    options: {
      state: { value: "STATE", choices: STATES, text: `One of ${STATES.join(", ")}.` },
      workflow: { value: "NAME", text: "Of this workflow only." },
      limit: { value: "N", text: "How many at most. Default 20." },
      ...STORE,
      ...JSON_FLAG,
      ...COMMON,
    },
    load: async () => (await import("./commands/run-commands.js")).runRunsList,
  },
  "runs show": {
    summary: "Show a run with its log.",
    arguments: RUN,
    options: { ...STORE, ...JSON_FLAG, ...COMMON },
    details: RUN_DETAILS,
    load: async () => (await import("./commands/run-commands.js")).runRunsShow,
  },
  "runs export": {
    summary: "Print a run with its whole log as JSON.",
    arguments: RUN,
    options: { out: { value: "FILE", text: "Write it there instead." }, ...STORE, ...COMMON },
    details: RUN_DETAILS,
    load: async () => (await import("./commands/run-commands.js")).runRunsExport,
  },
  "runs delete": {
    summary: "Delete runs that have ended, with their logs.",
    arguments: [{ name: "RUN", required: true, multiple: true }],
    options: { ...STORE, ...JSON_FLAG, ...COMMON },
    details: RUN_DETAILS,
    load: async () => (await import("./commands/run-commands.js")).runRunsDelete,
  },
  "runs prune": {
    summary: "Delete runs that ended long ago.",
    arguments: [],
    options: {
      "older-than": { value: "AGE", text: "Ended before so long: 30d, 12h, 2w, 90m, 0s. Must be given." },
      state: {
        value: "STATE",
        multiple: true,
        choices: ["COMPLETED", "FAILED", "CANCELLED"],
        text: "That ended so; may be given repeatedly. Default: however they ended.",
      },
      workflow: { value: "NAME", text: "Of this workflow only." },
      "dry-run": { text: "Print what would be deleted, and delete nothing." },
      ...STORE,
      ...JSON_FLAG,
      ...COMMON,
    },
    load: async () => (await import("./commands/run-commands.js")).runRunsPrune,
  },
  serve: {
    summary: "Serve the workflows over HTTP, and execute their runs.",
    arguments: [],
    options: {
      host: { value: "ADDRESS", text: "Default 127.0.0.1. An address that other machines can reach needs a token." },
      port: { value: "N", text: "Default 8000; 0 for any that is free." },
      "token-file": { value: "FILE", text: "The file that holds the token. Default: the variable CALLSIGN_TOKEN." },
      token: { value: "TOKEN", text: "The token itself; every user of the machine can read a command line." },
      "no-inspector": { text: "Serve no page at / that shows runs, workflows and tools." },
      "cors-origin": { value: "ORIGIN", multiple: true, text: "Whose pages may call; may be given repeatedly." },
      ...MODULE,
      ...STORE,
      json: { text: "Print the address as one line of JSON." },
      ...COMMON,
    },
    details: [
      "SIGINT (Ctrl-C) and SIGTERM end it gracefully: runs under way are finished, or kept for the next process.",
      ...MODULE_DETAILS,
    ],
    load: async () => (await import("./commands/serve.js")).runServe,
  },
};
