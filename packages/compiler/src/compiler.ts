// What needs TypeScript, or comes after it: loaded at once, and only when there is work to do.
export { compileAndWrite, countsOf } from "./build.js";
export { check } from "./check/check-manifest.js";
export { checkProblems, formatDifferences } from "./check/describe-differences.js";
export { addWireForms, inspectFile } from "./inspect-file.js";
