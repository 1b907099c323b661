import type { JsonSchema } from "../../manifest/json-schema.js";
import type { ManifestTool } from "../../manifest/manifest.js";
import type { LoweredOutput, LoweredTool, OutputFormat, WireObject } from "../../model/lowered.js";
import type { Dialect } from "../lowering/dialect.js";
import { clipDescription, type LoweredParts, lowerPlain, lowerWith } from "../lowering/lower-with.js";
import { measureSchema } from "../lowering/measure-schema.js";

/** Source: structured-outputs guide and the refusal list in `openai` 7.59.0; `minLength` and `default` differ by server. */
const STRICT: Dialect = {
  target: "openai-strict",
  keywords: new Set(["title", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems"]),
  formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]),
  patterns: "no-look",
  minItems: Number.POSITIVE_INFINITY,
  references: "wrap",
  recursion: "any",
  optional: "nullable",
  tuples: "object",
  records: "pairs",
  unknown: "text",
  constants: "const",
  enums: "typed",
  closed: "required",
  discriminatorFirst: true,
};

/** Of one strict schema. */
const LIMITS = { properties: 5_000, depth: 10, characters: 120_000, enumValues: 1_000, largestEnumCharacters: 15_000 };

/** Enforced on Chat Completions for models of the gpt-4o time and by servers that follow them. */
const CHAT_DESCRIPTION_LIMIT = 1_024;

/** A tool for the Responses API. Strict where the schema fits; else not, with the reasons in `notes`. */
export function lowerResponsesTool(tool: ManifestTool, options: { strict: boolean }): LoweredTool {
  const { misfits: _, ...parts } = strictOrPlain(tool.parameters, { ...options, plain: "openai" });
  const wire = {
    type: "function",
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: emptyWrittenOut(parts.schema),
    // Always said: the server leans to strict where it is left out.
    strict: parts.strict,
  };
  return { ...parts, name: tool.name, wire, tool };
}

/** A tool for Chat Completions, which is for compatible servers: not strict, since many refuse or ignore it. */
export function lowerChatTool(tool: ManifestTool): LoweredTool {
  const { misfits: _, ...parts } = lowerPlain(tool.parameters, "openai-chat");
  const description = clipDescription(tool.description, CHAT_DESCRIPTION_LIMIT);
  const wire = {
    type: "function",
    function: {
      name: tool.name,
      ...(description.text === undefined ? {} : { description: description.text }),
      parameters: emptyWrittenOut(parts.schema),
    },
  };
  const notes =
    description.dropped.length === 0
      ? parts.notes
      : [...parts.notes, `the description is cut at ${CHAT_DESCRIPTION_LIMIT} characters`];
  return { ...parts, notes, dropped: [...parts.dropped, ...description.dropped], name: tool.name, wire, tool };
}

/** A structured-output format for `text.format` and for `response_format`. */
export function lowerOpenaiOutput(
  format: OutputFormat,
  options: { strict: boolean; plain: "openai" | "openai-chat" },
): LoweredOutput {
  const { misfits: _, ...parts } = strictOrPlain(format.schema, options);
  const description = format.description ?? format.schema.description;
  return {
    ...parts,
    name: format.name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64),
    ...(description === undefined ? {} : { description }),
    neutral: format.schema,
  };
}

/** As `text.format` of a Responses request has it. */
export function responsesOutputWire({ name, description, schema, strict }: LoweredOutput): WireObject {
  return { type: "json_schema", name, schema, strict, ...(description === undefined ? {} : { description }) };
}

/** As `response_format` of a Chat Completions request has it. */
export function chatOutputWire({ name, description, schema, strict }: LoweredOutput): WireObject {
  const said = description === undefined ? {} : { description };
  return { type: "json_schema", json_schema: { name, ...said, schema, ...(strict ? { strict } : {}) } };
}

function strictOrPlain(
  neutral: JsonSchema,
  options: { strict: boolean; plain: "openai" | "openai-chat" },
): LoweredParts {
  const plain = () => lowerPlain(neutral, options.plain);
  if (!options.strict) return plain();
  const strict = lowerWith(neutral, STRICT);
  const reasons = [...strict.misfits, ...beyondLimits(strict.schema as JsonSchema)];
  if (reasons.length === 0) return strict;
  const fallback = plain();
  return { ...fallback, notes: [...fallback.notes, ...reasons.map((reason) => `not strict: ${reason}`)] };
}

function beyondLimits(schema: JsonSchema): string[] {
  const size = measureSchema(schema);
  return (Object.keys(LIMITS) as (keyof typeof LIMITS)[])
    .filter((limit) => size[limit] > LIMITS[limit])
    .map((limit) => `${limit} ${size[limit]}, the provider takes ${LIMITS[limit]}`);
}

/** Some servers want all three keywords on a tool without parameters. */
function emptyWrittenOut(schema: LoweredParts["schema"]): LoweredParts["schema"] {
  const { properties } = schema;
  if (properties !== undefined && Object.keys(properties as object).length > 0) return schema;
  return { ...schema, properties: properties ?? {}, ...(schema.required === undefined ? { required: [] } : {}) };
}
