import type { JsonSchema } from "../../manifest/json-schema.js";
import type { ManifestTool } from "../../manifest/manifest.js";
import type { LoweredOutput, LoweredTool, OutputFormat, WireObject } from "../../model/lowered.js";
import type { Dialect } from "../lowering/dialect.js";
import { type LoweredParts, lowerWith } from "../lowering/lower-with.js";

/** The JSON-Schema form (`parametersJsonSchema`, `responseJsonSchema`), as the types of @google/genai 3.3.0 list it. */
const JSON_SCHEMA: Dialect = {
  target: "gemini",
  keywords: new Set(["title", "minimum", "maximum", "maxItems"]),
  minItems: Number.POSITIVE_INFINITY,
  references: "wrap",
  recursion: "optional-properties",
  optional: "not-required",
  tuples: "prefix-items",
  records: "keyword",
  unknown: "text",
  constants: "enum",
  enums: "text-and-number",
  closed: "sent",
  propertyOrdering: true,
};

const UNTYPED: Dialect = { ...JSON_SCHEMA, unknown: "untyped" };

export function lowerGeminiTool(tool: ManifestTool): LoweredTool {
  const { misfits: _, ...parts } = lowerJsonSchema(tool.parameters);
  const hasParameters = Object.keys((parts.schema.properties as object | undefined) ?? {}).length > 0;
  const isOpen = parts.schema.additionalProperties !== false;
  const wire = {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    // An object without properties is refused by some models; leaving the field out says the same.
    ...(hasParameters || isOpen ? { parametersJsonSchema: parts.schema } : {}),
  };
  return { ...parts, name: tool.name, wire, tool };
}

export function lowerGeminiOutput(format: OutputFormat): LoweredOutput {
  const { misfits: _, ...parts } = lowerJsonSchema(format.schema);
  const description = format.description ?? format.schema.description;
  return {
    ...parts,
    name: format.name,
    ...(description === undefined ? {} : { description }),
    neutral: format.schema,
  };
}

/** The two fields of `config` for it. */
export function geminiOutputWire({ schema }: LoweredOutput): WireObject {
  return { responseMimeType: "application/json", responseJsonSchema: schema };
}

function lowerJsonSchema(neutral: JsonSchema): LoweredParts {
  const parts = lowerWith(neutral, JSON_SCHEMA);
  // JSON text beside plain text cannot be told apart: then a schema without a type.
  return parts.misfits.length === 0 ? parts : lowerWith(neutral, UNTYPED);
}
