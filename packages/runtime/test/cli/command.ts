// Runs the bin as it is shipped, in child processes.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));
export const bin = join(packageFolder, "bin/callsign.js");

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What comes through the standard input; it is closed afterwards. Default: nothing. */
  readonly input?: string;
  readonly program?: string;
}

export function start(words: readonly string[], { cwd, env, input = "", program = bin }: StartOptions): ChildProcess {
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  });
  child.stdin?.on("error", () => {}).end(input);
  return child;
}

export function finish(child: ChildProcess): Promise<Outcome> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

export function run(words: readonly string[], options: StartOptions): Promise<Outcome> {
  return finish(start(words, options));
}

/** Kept when what a process prints matches. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = "";
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      text += chunk.toString();
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", onData);
    child.on("close", () => reject(new Error(`the process ended before it printed ${pattern}:\n${text}`)));
  });
}

/** A project in a folder of its own, in which this package is installed. Removed at the end of the test file. */
export function makeProject(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "callsign-cli-")));
  mkdirSync(join(folder, "node_modules/@callsign"), { recursive: true });
  symlinkSync(packageFolder, join(folder, "node_modules/@callsign/runtime"));
  for (const [path, text] of Object.entries({ "package.json": '{ "type": "module" }\n', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The JSON lines of an output. */
export function lines(text: string): { readonly type: string; readonly [name: string]: unknown }[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The id that a run was announced with. */
export function runIdIn({ stderr }: Outcome): string {
  const id = /\b[0-9a-f]{8}-[0-9a-f-]{27}\b/.exec(stderr)?.[0];
  if (id === undefined) throw new Error(`no run in:\n${stderr}`);
  return id;
}
