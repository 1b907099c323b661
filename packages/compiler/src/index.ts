export type { CompileOptions, CompileResult } from "./compile-options.js";
export { compileProject } from "./compile-project.js";
export type { Location, Problem } from "./errors/problem.js";
export { ToolSchemaError } from "./errors/tool-schema-error.js";
export { inspectFile } from "./inspect-file.js";
