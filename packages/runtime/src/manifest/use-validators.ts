import { ManifestError, type ManifestIssue } from "../errors/manifest-error.js";
import { validatorsNotOf, validatorsVersion } from "../errors/messages.js";
import { provideValidators } from "../validation/compile-schema.js";
import { hashJson } from "../validation/hash-json.js";
import type { SchemaValidators, Validators } from "../validation/validators.js";
import type { JsonSchema } from "./json-schema.js";
import type { Manifest } from "./manifest.js";

/**
 * Has the manifest's schemas checked by the functions of `callsign.validators.gen.js` (`callsignc build --validators`):
 * no Ajv is loaded and nothing is evaluated, for places that forbid eval and for a faster first call. Answers and
 * messages are the same. Call it before the first tool call.
 *
 * @param manifest The one that tools are bound with: of `callsign.gen.ts`, or loaded.
 * @throws {ManifestError} code `validators-stale` when they were written for other schemas.
 *
 * @example
 * import { useValidators } from "@callsign/runtime"
 * import { manifest } from "./callsign.gen.js"
 * import { validators } from "./callsign.validators.gen.js"
 * useValidators(manifest, validators)
 */
export function useValidators(manifest: Manifest, validators: Validators): void {
  if (validators.validatorsVersion !== 1) throw new ManifestError([validatorsVersion(validators.validatorsVersion)]);
  const issues: ManifestIssue[] = [];
  const matched: (readonly [JsonSchema, SchemaValidators])[] = [];
  const match = (schema: JsonSchema | undefined, found: SchemaValidators | undefined, pointer: string) => {
    if (schema === undefined) return;
    if (found === undefined || found.hash !== hashJson(schema)) issues.push(validatorsNotOf(pointer));
    else matched.push([schema, found]);
  };
  for (const [index, { name, parameters, returns }] of manifest.tools.entries()) {
    const own = ownValue(validators.tools, name);
    match(parameters, own?.arguments, `/tools/${index}/parameters`);
    match(returns, own?.returns, `/tools/${index}/returns`);
  }
  for (const [index, { name, schema }] of manifest.schemas.entries()) {
    match(schema, ownValue(validators.schemas, name), `/schemas/${index}/schema`);
  }
  for (const [index, { name, input }] of manifest.workflows.entries()) {
    match(input, ownValue(validators.workflows, name), `/workflows/${index}/input`);
  }
  if (issues.length > 0) throw new ManifestError(issues);
  for (const [schema, found] of matched) provideValidators(schema, found);
}

function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
