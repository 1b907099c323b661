import type { ManifestTool } from "../../manifest/manifest.js";
import type { LoweredOutput, LoweredTool, OutputFormat } from "../../model/lowered.js";
import { joinDescription } from "../lowering/describe.js";
import type { Dialect } from "../lowering/dialect.js";
import { lowerWith } from "../lowering/lower-with.js";

/** What is left of a tool's schema after the server's own parsing of it (server source of August 2026). */
const TOOLS: Dialect = {
  target: "ollama",
  keywords: new Set(),
  minItems: -1,
  references: "inline",
  recursion: "unrolled",
  optional: "not-required",
  tuples: "any-of-items",
  records: "described",
  unknown: "untyped",
  constants: "enum",
  enums: "mixed",
  closed: "lost",
};

/** `format` becomes a grammar and keeps more. */
const FORMAT: Dialect = {
  ...TOOLS,
  keywords: new Set(["title", "default", "minimum", "maximum", "maxItems"]),
  minItems: Number.POSITIVE_INFINITY,
  records: "keyword",
  closed: "sent",
};

export function lowerOllamaTool(tool: ManifestTool): LoweredTool {
  const { misfits: _, ...parts } = lowerWith(tool.parameters, TOOLS);
  // The root keeps no description: what it says goes to the tool's.
  const { description: remarks, ...parameters } = parts.schema;
  const own = tool.parameters.description;
  const rootText = typeof remarks === "string" && remarks !== own ? [remarks.replace(/^\((.*)\)$/s, "$1")] : [];
  const description = joinDescription(tool.description, rootText);
  const wire = {
    type: "function",
    function: {
      name: tool.name,
      ...(description === undefined ? {} : { description }),
      parameters,
    },
  };
  return { ...parts, schema: parameters, name: tool.name, wire, tool };
}

export function lowerOllamaOutput(format: OutputFormat): LoweredOutput {
  const { misfits: _, ...parts } = lowerWith(format.schema, FORMAT);
  const description = format.description ?? format.schema.description;
  return {
    ...parts,
    name: format.name,
    ...(description === undefined ? {} : { description }),
    neutral: format.schema,
  };
}
