/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The names of the JSON types that callsign emits. */
export type JsonTypeName = "string" | "number" | "integer" | "boolean" | "null" | "object" | "array";

/**
 * Turns a JSON value into the class that the function declares, and back. Named in a schema by the keyword `x-codec`.
 *
 * - `date` Date ⇄ string (RFC 3339 date-time)
 * - `url` URL ⇄ string (absolute)
 * - `bigint` bigint ⇄ string of decimal digits
 * - `map` Map ⇄ object when its keys are strings, else an array of `[key, value]` pairs
 * - `set` Set ⇄ array
 * - `bytes` Uint8Array ⇄ base64 string
 */
export type CodecName = "date" | "url" | "bigint" | "map" | "set" | "bytes";

/**
 * The neutral schema: exactly the JSON Schema (draft 2020-12) keywords that callsign emits, and `x-codec`.
 * References are local: `#/$defs/NAME`, resolved against the root schema that holds `$defs`.
 */
export interface JsonSchema {
  $ref?: string;
  $defs?: { [name: string]: JsonSchema };
  type?: JsonTypeName | readonly JsonTypeName[];
  const?: Json;
  enum?: readonly Json[];
  anyOf?: readonly JsonSchema[];
  title?: string;
  description?: string;
  default?: Json;
  examples?: readonly Json[];
  deprecated?: boolean;
  properties?: { [name: string]: JsonSchema };
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  patternProperties?: { [pattern: string]: JsonSchema };
  propertyNames?: JsonSchema;
  minProperties?: number;
  maxProperties?: number;
  items?: boolean | JsonSchema;
  prefixItems?: readonly JsonSchema[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  contentEncoding?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  not?: JsonSchema;
  "x-codec"?: CodecName;
}
