// Each part that is loaded by itself cuts what the package shares with it into more files, which everybody who imports the
// package reads. So there are three parts for all commands: this one, run-commands.ts, and serve.ts with its HTTP server.
export { JsonEvents, runAsk } from "./ask.js";
export { runChat } from "./chat.js";
