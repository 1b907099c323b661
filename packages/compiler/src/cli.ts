import { runCommandLine } from "./commands/run-command-line.js";
import { processTerminal } from "./commands/terminal.js";

process.exitCode = await runCommandLine(process.argv.slice(2), processTerminal());
