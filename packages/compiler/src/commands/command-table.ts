import { TARGET_NAMES } from "../config/target-names.js";
import { REPORT_FORMATS } from "../reports/report-format.js";
import { runBuild } from "./build.js";
import { runCheck } from "./check.js";
import type { Command } from "./command.js";

const FOLDER = { cwd: { value: "FOLDER", text: "Start from this folder instead of the current one." } } as const;
const PROJECT = {
  project: { value: "TSCONFIG", text: "The tsconfig, or its folder. Default: the nearest tsconfig.json." },
} as const;
const OUTPUT = {
  "out-dir": { value: "FOLDER", text: "Where the generated files go. Default: src, or beside the tsconfig." },
} as const;
const JSON_FLAG = { json: { text: "Short for --format json." } } as const;

/** For whom the wire form is. */
const target = (text: string) =>
  ({ target: { value: "TARGET", multiple: true, choices: TARGET_NAMES, text } }) as const;
const TARGET_LIST = `Targets: ${TARGET_NAMES.join(", ")}.`;

const COMPILE = {
  ...PROJECT,
  entry: { value: "GLOB", multiple: true, text: "Source files that may hold tools; may be given repeatedly." },
  ...OUTPUT,
  strict: { text: "A missing description is an error." },
  description: { value: "first-line|full", choices: ["first-line", "full"], text: "How much JSDoc text models get." },
  ...target("Report what this provider would refuse or lose; may be given repeatedly."),
  validators: { text: "Also write callsign.validators.gen.js, which needs neither Ajv nor eval." },
  format: { value: REPORT_FORMATS.join("|"), choices: REPORT_FORMATS, text: "The form of the report. Default: text." },
  ...JSON_FLAG,
  ...FOLDER,
} as const;

/** THE TABLE: every command, in the order that `--help` lists them. Those that may have nothing to do are at hand. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  init: {
    summary: "Set up callsign in this folder: configuration, scripts and a first tool. Overwrites nothing.",
    arguments: [],
    options: {
      ignore: { text: "Keep the generated files out of Git, by a line each in .gitignore." },
      ...FOLDER,
    },
    details: [
      "The generated files are meant to be committed: a change of what models see then shows in review, `callsignc check`",
      "can tell that they are stale, and a clone works without a build. With --ignore they are made anew by each build.",
    ],
    load: async () => (await import("./other-commands.js")).runInit,
  },
  build: {
    summary: "Compile the tools and write the manifest and the generated modules.",
    arguments: [],
    options: COMPILE,
    details: [
      "A file is written only when its content changes. Nothing is written when the source holds an error.",
      TARGET_LIST,
    ],
    load: async () => runBuild,
  },
  check: {
    summary: "Tell whether the generated files are current, and what a build would change. Writes nothing.",
    arguments: [],
    options: COMPILE,
    details: [
      "Exit status 1 when they are stale. Differences that can break a caller are marked `breaking`.",
      TARGET_LIST,
    ],
    load: async () => runCheck,
  },
  watch: {
    summary: "Build, and build again on each change.",
    arguments: [],
    options: COMPILE,
    details: [
      "Ends on SIGINT (Ctrl+C) or SIGTERM, with exit status 0. With --json each build is one line of JSON.",
      TARGET_LIST,
    ],
    load: async () => (await import("./other-commands.js")).runWatch,
  },
  inspect: {
    summary: "Show what callsign makes of the exports of a file, marked or not.",
    arguments: [
      { name: "FILE", required: true },
      { name: "EXPORT", multiple: true },
    ],
    options: {
      ...PROJECT,
      ...target("Add what this provider would get; may be given repeatedly."),
      ...JSON_FLAG,
      ...FOLDER,
    },
    details: ["Exit status 0 whenever FILE could be read, also when an export cannot be compiled.", TARGET_LIST],
    load: async () => (await import("./other-commands.js")).runInspect,
  },
  show: {
    summary: "Show a tool, schema or workflow of the manifest, or list them all.",
    arguments: [{ name: "NAME" }],
    options: {
      ...PROJECT,
      ...OUTPUT,
      ...target("Show what this provider gets, what of the schema is lost, and the size; may be given repeatedly."),
      ...JSON_FLAG,
      ...FOLDER,
    },
    details: [TARGET_LIST],
    load: async () => (await import("./other-commands.js")).runShow,
  },
};
