import type { JsonSchema } from "../manifest/json-schema.js";
import type { Manifest } from "../manifest/manifest.js";
import { ajvOptionsFor } from "../validation/ajv-options.js";
import { hashJson } from "../validation/hash-json.js";
import { prepareSchema } from "../validation/prepare-schema.js";
import { SchemaGraph } from "./schema-graph.js";

/** How Ajv's own code names what `@callsign/runtime/validators` gives. */
const RUNTIME_PARTS = [
  ['require("ajv/dist/runtime/equal").default', "equal"],
  ['require("ajv/dist/runtime/ucs2length").default', "ucs2length"],
] as const;

/**
 * The statements of a module that exports `validators`: functions for every schema of a manifest, which need neither
 * Ajv nor eval. The same manifest gives the same text.
 */
export async function writeValidators(manifest: Manifest): Promise<string> {
  const graph = new SchemaGraph();
  const table = writeTable(manifest, graph);
  const code = await writeFunctions(graph);
  return [
    'import { equal, formats, ucs2length } from "@callsign/runtime/validators";',
    "",
    code.trim(),
    "",
    "/** For `useValidators`, by name. */",
    `export const validators = ${table};`,
    "",
  ].join("\n");
}

async function writeFunctions(graph: SchemaGraph): Promise<string> {
  if (graph.nodes.length === 0) return "";
  const [{ Ajv2020, _ }, { default: formats }, { default: standalone }] = await Promise.all([
    import("ajv/dist/2020.js"),
    import("ajv-formats"),
    import("ajv/dist/standalone/index.js"),
  ]);
  const ajv = new Ajv2020({
    ...ajvOptionsFor(graph.nodes),
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  });
  formats.default(ajv);
  // Ajv does not know that the formats come from elsewhere when ajv-formats has set them.
  ajv.opts.code.formats = _`formats`;
  const exported: Record<string, string> = {};
  for (const [number, schema] of graph.nodes.entries()) {
    ajv.addSchema(schema ?? {}, String(number));
    exported[`v${number}`] = String(number);
  }
  let code = standalone.default(ajv, exported).replace('"use strict";', "");
  for (const [theirs, ours] of RUNTIME_PARTS) code = code.replaceAll(theirs, ours);
  return code.replaceAll(/^export const (v\d+ = )/gm, "const $1");
}

function writeTable({ tools, schemas, workflows }: Manifest, graph: SchemaGraph): string {
  const one = (schema: JsonSchema, indent: string): string => {
    const places = [...graph.add(prepareSchema(schema))].map(
      ([pointer, number]) => `${indent}    ${JSON.stringify(pointer)}: v${number},`,
    );
    return [
      "{",
      `${indent}  hash: ${JSON.stringify(hashJson(schema))},`,
      `${indent}  at: {`,
      ...places,
      `${indent}  },`,
      `${indent}}`,
    ].join("\n");
  };
  // Computed keys: `"__proto__": …` in a literal would set the prototype.
  const toolRows = tools.map(({ name, parameters, returns }) =>
    [
      `    [${JSON.stringify(name)}]: {`,
      `      arguments: ${one(parameters, "      ")},`,
      ...(returns === undefined ? [] : [`      returns: ${one(returns, "      ")},`]),
      "    },",
    ].join("\n"),
  );
  const rows = (named: readonly { readonly name: string; readonly schema: JsonSchema }[]) =>
    named.map(({ name, schema }) => `    [${JSON.stringify(name)}]: ${one(schema, "    ")},`);
  const inputs = workflows.flatMap(({ name, input }) => (input === undefined ? [] : [{ name, schema: input }]));
  return [
    "{",
    "  validatorsVersion: 1,",
    "  tools: {",
    ...toolRows,
    "  },",
    "  schemas: {",
    ...rows(schemas),
    "  },",
    "  workflows: {",
    ...rows(inputs),
    "  },",
    "}",
  ].join("\n");
}
