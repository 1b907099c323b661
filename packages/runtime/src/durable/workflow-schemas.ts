import type { JsonSchema } from "../manifest/json-schema.js";
import type { Manifest } from "../manifest/manifest.js";

const schemas = new Map<string, JsonSchema | undefined>();

/** Remembers the inputs' schemas of a manifest that was loaded: a workflow is found by its name. */
export function registerWorkflowSchemas(manifest: Manifest): void {
  for (const { name, input } of manifest.workflows ?? []) schemas.set(name, input);
}

export function workflowSchema({
  name,
}: {
  readonly name: string;
  readonly namespace: string;
}): JsonSchema | undefined {
  return schemas.get(name);
}
