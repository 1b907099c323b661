export { ManifestError, type ManifestIssue } from "../errors/manifest-error.js";
export type { CodecName, Json, JsonSchema, JsonTypeName } from "./json-schema.js";
export type { CallSlot, Manifest, ManifestSchema, ManifestTool, ManifestWorkflow } from "./manifest.js";
export { MANIFEST_VERSION } from "./manifest.js";
export { validateManifest } from "./validate-manifest.js";
