import type { ManifestIssue } from "./manifest-error.js";
import { showValue } from "./show-value.js";

const BUILD = "run `npx callsignc build`";

/** Whether a stopped read was for a missing file, without the path, which the error names already. */
function reason(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  if (code === "ENOENT") return "there is no such file";
  return cause instanceof Error ? cause.message : String(cause);
}

export const manifestUnreadable = (cause: unknown): ManifestIssue => ({
  code: "manifest-unreadable",
  message: `the manifest cannot be read: ${reason(cause)}; ${BUILD}, or give the path that it writes to`,
  pointer: "",
});

export const manifestNotJson = (cause: unknown): ManifestIssue => ({
  code: "manifest-not-json",
  message: `the manifest is not JSON: ${reason(cause)}; ${BUILD} to write it anew`,
  pointer: "",
});

export const noManifest = (value: unknown): ManifestIssue => ({
  code: "manifest-not-an-object",
  message: `a manifest is a JSON object, not ${showValue(value)}; ${BUILD} to write one`,
  pointer: "",
});

export const wrongVersion = (version: unknown): ManifestIssue => ({
  code: "manifest-version",
  message: `manifest version ${showValue(version)} cannot be read by this runtime, which reads version 1; ${BUILD} with the @callsign/compiler of the same version as @callsign/runtime`,
  pointer: "/manifestVersion",
});

export const validatorsVersion = (version: unknown): ManifestIssue => ({
  code: "validators-version",
  message: `validators of version ${showValue(version)} cannot be used by this runtime, which knows version 1; ${BUILD} --validators with the @callsign/compiler of the same version as @callsign/runtime`,
  pointer: "",
});

export const validatorsNotOf = (pointer: string): ManifestIssue => ({
  code: "validators-stale",
  message: `callsign.validators.gen.js was written for another schema, or not for this one; ${BUILD} --validators to write both anew`,
  pointer,
});

export const wrongShape = (pointer: string, expected: string, value: unknown): ManifestIssue => ({
  code: "manifest-shape",
  message: value === undefined ? `must be ${expected}` : `must be ${expected}, not ${showValue(value)}`,
  pointer,
});

export const wrongKeyword = (pointer: string, expected: string, value: unknown): ManifestIssue => ({
  code: "schema-keyword",
  message: value === undefined ? `must be ${expected}` : `must be ${expected}, not ${showValue(value)}`,
  pointer,
});

export const badReference = (pointer: string, reference: string): ManifestIssue => ({
  code: "schema-reference",
  message: `${showValue(reference)} leads to no schema; a reference is local, such as #/$defs/Name, from the schema that holds $defs`,
  pointer,
});

export const endlessReference = (pointer: string, reference: string): ManifestIssue => ({
  code: "schema-reference",
  message: `${showValue(reference)} leads back to itself without describing anything`,
  pointer,
});

export const duplicateName = (pointer: string, name: string): ManifestIssue => ({
  code: "duplicate-name",
  message: `the name ${showValue(name)} occurs twice; give one of the two another name`,
  pointer,
});

export const unknownImplementation = (key: string, known: readonly string[]): ManifestIssue => ({
  code: "implementation-unknown",
  message: `${showValue(key)} was given, but the manifest has no such tool; it has ${known.join(", ") || "none"}. Mark the function with @tool and ${BUILD}`,
  pointer: "",
});

export const missingImplementation = (name: string, exported: string, pointer: string): ManifestIssue => ({
  code: "implementation-missing",
  message: `the tool ${showValue(name)} has no implementation; give its function as ${showValue(exported)}`,
  pointer,
});

export const implementationNoFunction = (
  name: string,
  key: string,
  options: { readonly value: unknown; readonly pointer: string },
): ManifestIssue => ({
  code: "implementation-not-a-function",
  message: `the tool ${showValue(name)} needs a function at ${key}, but there is ${typeof options.value === "object" ? "an object" : typeof options.value}`,
  pointer: options.pointer,
});

export const instanceNeeded = (name: string, className: string, pointer: string): ManifestIssue => ({
  code: "instance-needed",
  message: `the tool ${showValue(name)} is an instance method; give an instance: { ${className}: new ${className}(…) }`,
  pointer,
});

export const workerNeedsExport = (name: string, pointer: string): ManifestIssue => ({
  code: "worker-instance-method",
  message: `the tool ${showValue(name)} is marked @worker, but a thread has no instance to call it on; make it a function or a static method`,
  pointer,
});

export const workerModuleUnknown = (name: string, module: string, pointer: string): ManifestIssue => ({
  code: "worker-module-unknown",
  message: `the tool ${showValue(name)} is marked @worker, but where a thread loads ${module} from is not known; bind it by the module that callsignc build writes, or give bindTools the option workers: { from: import.meta.url, modules: { ${JSON.stringify(module)}: "./…" } }`,
  pointer,
});

export const ambiguousImplementation = (key: string, names: readonly string[]): ManifestIssue => ({
  code: "implementation-ambiguous",
  message: `${showValue(key)} is an export of several modules; give the functions by tool name: ${names.join(", ")}`,
  pointer: "",
});

export const toolNotCompiled = (functionName: string): ManifestIssue => ({
  code: "tool-not-compiled",
  message: `the function ${functionName === "" ? "without a name" : functionName} is not bound to a compiled tool; mark it with @tool, ${BUILD}, and bind it: import { bind } from "./callsign.gen.js"; bind({ ${functionName === "" ? "name" : functionName} })`,
  pointer: "",
});

export const toolNeedsInstance = (functionName: string): ManifestIssue => ({
  code: "tool-needs-instance",
  message: `${functionName} is an instance method, so the function alone does not say on which instance to call it; pass the tool that bind() returned`,
  pointer: "",
});

export const notATool = (value: unknown): ManifestIssue => ({
  code: "not-a-tool",
  message: `${showValue(value)} is no tool; give a function that was bound, or a Tool`,
  pointer: "",
});

export const schemaNotUsable = (name: string, cause: unknown): ManifestIssue => ({
  code: "schema-not-usable",
  message: `the schema of ${name} cannot be compiled: ${reason(cause)}`,
  pointer: "",
});
