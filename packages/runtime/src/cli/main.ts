import type { ExitStatus } from "./command.js";
import { runCommandLine } from "./run-command-line.js";
import { processTerminal, readerIsGone } from "./terminal.js";

const words = process.argv.slice(2);
const terminal = processTerminal();
const isDebug = words.includes("--debug");

/** What Node itself is still trying out, and how a module's format was found out, is nothing for users of a command. */
const OWN_WARNINGS =
  /^(?:SQLite|Type Stripping) is an experimental feature|^Module type of file:|^Failed to load the ES module:/;

process.removeAllListeners("warning");
process.on("warning", ({ name, message }) => {
  if (isDebug || !OWN_WARNINGS.test(message)) terminal.error(`${name}: ${message}\n`);
});

// Code of the project may throw where nobody waits for it. What was promised to `exit` listeners is still done.
process.on("uncaughtException", (error) => {
  void import("./describe-failure.js").then(({ describeFailure }) => {
    terminal.error(describeFailure(error, { debug: isDebug }).text);
    void leave(1);
  });
});

process.once("beforeExit", () => {
  terminal.error(
    "callsign: nothing is left to wait for, and the command has not ended: something in it never answers\n",
  );
  void leave(1);
});

let isLeaving = false;

// Code of the project may end the process, and say that all is well.
process.once("exit", (status) => {
  if (isLeaving || readerIsGone() || status !== 0) return;
  terminal.error("callsign: code of the project ended the process (process.exit) before the command was done\n");
  process.exitCode = 1;
});

// The process ends here and now: a timer or a connection of the project's own is not waited for.
void runCommandLine(words, terminal).then(leave);

async function leave(status: ExitStatus): Promise<void> {
  await terminal.flush();
  isLeaving = true;
  process.exit(status);
}
