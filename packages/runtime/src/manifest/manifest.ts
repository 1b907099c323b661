import type { JsonSchema } from "./json-schema.js";

/** Raised only when a manifest of the older number can no longer be read. */
export const MANIFEST_VERSION = 1;

/** What `callsignc build` writes to `callsign.manifest.json`. The same input gives the same bytes. */
export interface Manifest {
  /** Where editors find the JSON Schema of this file. */
  $schema?: string;
  manifestVersion: typeof MANIFEST_VERSION;
  /** Sorted by name (code points). */
  tools: ManifestTool[];
  /** Types marked `@schema`, sorted by name. */
  schemas: ManifestSchema[];
  /** Inputs of `workflow("name", …)`, sorted by name. */
  workflows: ManifestWorkflow[];
}

/** One tool: what the model is told, and how its function is called. */
export interface ManifestTool {
  /** The name that models see. `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, unique in the manifest. */
  name: string;
  /** The source file, relative to the manifest's project root, with `/`. Together with `export` the tool's identity. */
  module: string;
  /** `add`; for members of classes and objects `Service.run` (static or object member) or `Service#run` (instance method). */
  export: string;
  /** The first line of the description. */
  summary?: string;
  /** The JSDoc text, whole. What models get. */
  description?: string;
  deprecated?: boolean;
  /** The neutral schema of the arguments object. Its root is always `type: "object"`. */
  parameters: JsonSchema;
  /** How the function's own parameters are filled, in order. A rest parameter is left out. */
  call: CallSlot[];
  /** The neutral schema of the awaited return value, open (undeclared keys are allowed). Absent: not described. */
  returns?: JsonSchema;
  /** True when the function returns an async iterable; `returns` then describes one element. */
  streams?: boolean;
  /** `@once`: a call whose outcome is unknown is not run again. Absent: it may be (`@idempotent`, the default). */
  once?: boolean;
  /** `@worker`: the function runs in a worker thread. */
  worker?: boolean;
  /** `@sequential`: a call runs alone, after those before it and before those after it in the same reply. */
  sequential?: boolean;
  /** `@requiresApproval`: a person decides before each call. */
  requiresApproval?: boolean;
}

/** Where one parameter of the function comes from. */
export type CallSlot =
  /** The property `name` of the arguments object. */
  | { from: "property"; name: string }
  /** The whole arguments object (a lone object parameter). */
  | { from: "arguments" }
  /** An object made of these properties of the arguments object (a destructured parameter that is not alone). */
  | { from: "properties"; names: string[] }
  /** The runtime's ToolContext. */
  | { from: "context" }
  /** The call's AbortSignal. */
  | { from: "signal" };

/** A type marked `@schema`: a structured-output format. */
export interface ManifestSchema {
  name: string;
  module: string;
  export: string;
  summary?: string;
  description?: string;
  schema: JsonSchema;
}

/** The input of one workflow. */
export interface ManifestWorkflow {
  /** The workflow's own name, as given to `workflow(name, …)`. */
  name: string;
  module: string;
  /** Absent when the workflow is not exported. */
  export?: string;
  summary?: string;
  description?: string;
  /** Absent when the workflow declares no input. */
  input?: JsonSchema;
}
