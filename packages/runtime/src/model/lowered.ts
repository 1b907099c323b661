import type { Json, JsonSchema } from "../manifest/json-schema.js";
import type { ManifestTool } from "../manifest/manifest.js";

/** The wire forms that a neutral schema can be lowered to. */
export type TargetName =
  | "openai-strict"
  | "openai"
  | "openai-chat"
  | "anthropic-strict"
  | "anthropic"
  | "gemini"
  | "ollama";

/** A keyword that the wire cannot say. It is written into the description and still checked by Ajv. */
export interface DroppedKeyword {
  /** JSON Pointer into the neutral schema, to the schema that holds the keyword. */
  readonly pointer: string;
  readonly keyword: string;
  readonly value: Json;
}

/** A JSON object as it stands in a request. */
export type WireObject = { readonly [keyword: string]: Json };

/** What lowering makes of one schema. */
export interface LoweredSchema {
  readonly target: TargetName;
  /** The wire schema. */
  readonly schema: WireObject;
  /** Whether the provider is asked to enforce the schema. */
  readonly strict: boolean;
  readonly dropped: readonly DroppedKeyword[];
  /**
   * Wire value → neutral value: strict nulls become absent, object forms of tuples and records become arrays and
   * objects, wrapped roots are unwrapped, JSON text is parsed. A part that does not have the wire's shape is left as
   * it is, for the validation against the neutral schema to judge. Never throws; does not modify its argument.
   */
  restore(value: Json): Json;
  /** Neutral value → wire value: the reverse of `restore`, for valid values. Needed for examples and for tests. */
  encode(value: Json): Json;
  /** Remarks for a person: why strict was not possible, what was reshaped. */
  readonly notes: readonly string[];
}

/** A tool as one provider gets it. */
export interface LoweredTool extends LoweredSchema {
  readonly name: string;
  /** The whole tool object as sent. */
  readonly wire: { readonly [key: string]: Json };
  /** The neutral tool. */
  readonly tool: ManifestTool;
}

/** A structured-output format as one provider gets it. */
export interface LoweredOutput extends LoweredSchema {
  /** `^[A-Za-z0-9_-]{1,64}$` */
  readonly name: string;
  readonly description?: string;
  /** The neutral schema. */
  readonly neutral: JsonSchema;
}

/** A structured-output format before lowering. */
export interface OutputFormat {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonSchema;
}
