// Each part that is loaded by itself cuts what the package shares with it into more files, which everybody who imports the
// package reads. So there are two parts for all commands.
export { JsonEvents, runAsk } from "./ask.js";
export { runChat } from "./chat.js";
