// One part for all that `build` and `check` do without: each part more would cut the common one into more files, and
// the number of files is most of what starting the command takes.
export { formatCommandHelp, formatHelp } from "./help.js";
export { runInit } from "./init.js";
export { runInspect } from "./inspect.js";
export { runShow } from "./show.js";
export { runWatch } from "./watch.js";
