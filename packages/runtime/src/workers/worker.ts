/** What the threads of the pool load. */
export { runCall as default } from "./run-call.js";
