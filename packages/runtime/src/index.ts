export type {
  CallSlot,
  CodecName,
  Json,
  JsonSchema,
  JsonTypeName,
  Manifest,
  ManifestSchema,
  ManifestTool,
  ManifestWorkflow,
} from "./manifest/index.js";
