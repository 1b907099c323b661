import { runCommandLine } from "./commands/run-command-line.js";
import { processTerminal } from "./commands/terminal.js";

// Without await at the top level: this is built as CommonJS, which starts faster.
void runCommandLine(process.argv.slice(2), processTerminal()).then((status) => {
  process.exitCode = status;
});
