import type { JsonSchema } from "../../manifest/json-schema.js";
import type { ManifestTool } from "../../manifest/manifest.js";
import type { LoweredOutput, LoweredSchema, LoweredTool, OutputFormat, WireObject } from "../../model/lowered.js";
import type { Dialect } from "../lowering/dialect.js";
import { type LoweredParts, lowerPlain, lowerWith } from "../lowering/lower-with.js";
import { measureSchema } from "../lowering/measure-schema.js";

/** What strict tools and `output_config.format` take: they share one grammar compiler. */
const STRICT: Dialect = {
  target: "anthropic-strict",
  keywords: new Set(["title"]),
  formats: new Set(["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]),
  patterns: "simple",
  minItems: 1,
  references: "bare",
  recursion: "refused",
  optional: "not-required",
  tuples: "object",
  records: "pairs",
  unknown: "text",
  constants: "const",
  enums: "mixed",
  closed: "required",
};

/** Of all strict schemas of one request together; a request beyond them is refused as too large a grammar. */
const STRICT_LIMITS = { tools: 20, optional: 24, unions: 16 } as const;

/** What one request's strict schemas use up. */
interface StrictBudget {
  readonly tools: number;
  readonly optional: number;
  readonly unions: number;
}

/** Strict where the schema fits and the request has room for it; else not, with the reasons in `notes`. */
export function lowerAnthropicTool(tool: ManifestTool, options: { strict: boolean; used?: StrictBudget }): LoweredTool {
  const { misfits: _, ...parts } = options.strict
    ? strictOrPlain(tool.parameters, options.used ?? NOTHING_USED)
    : lowerPlain(tool.parameters, "anthropic");
  const wire = {
    name: tool.name,
    ...(tool.description === undefined ? {} : { description: tool.description }),
    input_schema: parts.schema,
    ...(parts.strict ? { strict: true } : {}),
  };
  return { ...parts, name: tool.name, wire, tool };
}

/** The tools of one request; what is strict in it beside them (an output format) takes from the same limits. */
export function lowerAnthropicTools(
  tools: readonly ManifestTool[],
  options: { strict: boolean; beside?: readonly LoweredSchema[] },
): readonly LoweredTool[] {
  let used = (options.beside ?? []).reduce((sum, schema) => addToBudget(sum, schema, { tool: false }), NOTHING_USED);
  return tools.map((tool) => {
    const lowered = lowerAnthropicTool(tool, { strict: options.strict, used });
    used = addToBudget(used, lowered, { tool: true });
    return lowered;
  });
}

/** `strict: false` is for a synthetic tool; `output_config.format` has no other form than the strict one. */
export function lowerAnthropicOutput(format: OutputFormat, options: { strict: boolean }): LoweredOutput {
  const { misfits: _, ...parts } = options.strict
    ? strictOrPlain(format.schema, NOTHING_USED)
    : lowerPlain(format.schema, "anthropic");
  const description = format.description ?? format.schema.description;
  return {
    ...parts,
    name: format.name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64),
    ...(description === undefined ? {} : { description }),
    neutral: format.schema,
  };
}

/** As `output_config.format` has it. */
export function anthropicOutputWire({ schema }: LoweredOutput): WireObject {
  return { type: "json_schema", schema };
}

/** Whether a strict format has room beside the strict tools of a request; together they share one grammar. */
export function hasRoomBeside(output: LoweredSchema, tools: readonly LoweredTool[]): boolean {
  const used = tools.reduce((sum, tool) => addToBudget(sum, tool, { tool: true }), NOTHING_USED);
  return beyondLimits(addToBudget(used, output, { tool: false })).length === 0;
}

function beyondLimits(used: StrictBudget): readonly (keyof StrictBudget)[] {
  return (Object.keys(STRICT_LIMITS) as (keyof StrictBudget)[]).filter((limit) => used[limit] > STRICT_LIMITS[limit]);
}

/** Adds what a schema uses up; a schema that is not strict uses nothing. */
function addToBudget(used: StrictBudget, lowered: LoweredSchema, options: { tool: boolean }): StrictBudget {
  if (!lowered.strict) return used;
  const { optional, unions } = measureSchema(lowered.schema as JsonSchema);
  return {
    tools: used.tools + (options.tool ? 1 : 0),
    optional: used.optional + optional,
    unions: used.unions + unions,
  };
}

const NOTHING_USED: StrictBudget = { tools: 0, optional: 0, unions: 0 };

function strictOrPlain(neutral: JsonSchema, used: StrictBudget): LoweredParts {
  const strict = lowerWith(neutral, STRICT);
  const after = addToBudget(used, strict, { tool: true });
  const beyond = beyondLimits(after).map(
    (limit) => `${limit} ${after[limit]} in the request, the provider takes ${STRICT_LIMITS[limit]}`,
  );
  const reasons = [...strict.misfits, ...beyond];
  if (reasons.length === 0) return strict;
  const plain = lowerPlain(neutral, "anthropic");
  return { ...plain, notes: [...plain.notes, ...reasons.map((reason) => `not strict: ${reason}`)] };
}
