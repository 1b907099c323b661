import {
  MANIFEST_VERSION,
  type Manifest,
  type ManifestSchema,
  type ManifestTool,
  type ManifestWorkflow,
} from "@callsign/runtime/manifest";
import type { ts } from "@ts-morph/common";
import type { Place } from "../checker/checker.js";
import { wrap } from "../checker/ts-morph-checker.js";
import type { Discovered } from "../discover/discover.js";
import type { DiscoveredTool } from "../discover/discovered.js";
import { readSignature, type SignatureContext } from "../discover/read-signature.js";
import { mapWhole, readType } from "../discover/read-type.js";
import * as messages from "../errors/messages.js";
import { describe } from "../schema/apply-doc.js";

const MANIFEST_SCHEMA = "./node_modules/@callsign/runtime/manifest.schema.json";
const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/** Reads everything that was found into a manifest. Problems are reported; the manifest is whole only without errors. */
export function buildManifest(found: Discovered, context: SignatureContext): Manifest {
  checkNames(found, context);
  return {
    $schema: MANIFEST_SCHEMA,
    manifestVersion: MANIFEST_VERSION,
    tools: byName(found.tools.flatMap((tool) => readTool(tool, context))),
    schemas: byName(found.schemas.flatMap((schema) => readSchema(schema, context))),
    workflows: byName(found.workflows.flatMap((workflow) => readWorkflow(workflow, context))),
  };
}

function readTool(tool: DiscoveredTool, context: SignatureContext): ManifestTool[] {
  const parts = readSignature(tool, context);
  if (parts === undefined) return [];
  return [{ name: tool.name, module: context.types.places.relative(tool.file), export: tool.exportPath, ...parts }];
}

function readSchema(found: Discovered["schemas"][number], context: SignatureContext): ManifestSchema[] {
  const { name, file, exportPath, node } = found;
  const doc = context.types.doc(node as unknown as Place);
  if (doc.description === "") {
    context.reporter.atNode(messages.missingDescription("schema", context), node.name ?? node, name);
  }
  const schema = readType(found, context);
  if (schema === undefined) return [];
  const module = context.types.places.relative(file);
  return [{ name, module, export: exportPath, ...texts(describe(doc), context), schema }];
}

function readWorkflow(found: Discovered["workflows"][number], context: SignatureContext): ManifestWorkflow[] {
  const { name, file, exportPath, node, input } = found;
  const doc = context.types.doc(node as unknown as Place);
  const written = input?.written;
  const schema =
    input === undefined
      ? undefined
      : mapWhole(
          wrap(input.type),
          {
            owner: name,
            role: "parameter",
            path: "input",
            place: (written ?? node) as unknown as Place,
            written: written as Place | undefined,
            foreign: undefined,
          },
          { ...context, doc: { description: "", tags: [] } },
        );
  if (input !== undefined && schema === undefined) return [];
  return [
    {
      name,
      module: context.types.places.relative(file),
      ...(exportPath === undefined ? {} : { export: exportPath }),
      ...texts(describe(doc), context),
      ...(schema === undefined ? {} : { input: schema }),
    },
  ];
}

function texts(text: string, { description }: SignatureContext): { summary?: string; description?: string } {
  if (text === "") return {};
  const [summary = ""] = text.split("\n", 1);
  return { summary, description: description === "first-line" ? summary : text };
}

function checkNames({ tools, schemas, workflows }: Discovered, { reporter }: SignatureContext): void {
  for (const { name, nameNode } of tools) {
    if (!TOOL_NAME.test(name)) reporter.atNode(messages.toolName(name, suggestName(name)), nameNode, name);
  }
  for (const { name, nameNode } of repeated(tools)) reporter.atNode(messages.duplicateToolName(name), nameNode, name);
  for (const { name, node } of repeated(schemas)) {
    reporter.atNode(messages.duplicateSchemaName("schema", name), node.name ?? node, name);
  }
  for (const { name, nameNode } of repeated(workflows)) {
    reporter.atNode(messages.duplicateSchemaName("workflow", name), nameNode, name);
  }
}

/** A name near the given one that every provider takes. */
export function suggestName(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^a-zA-Z0-9_-]+/g, "_")
    .replace(/^[^a-zA-Z_]+/, "")
    .slice(0, 64);
  return /[a-zA-Z]/.test(plain) ? plain : "other_name";
}

function repeated<T extends { readonly name: string }>(items: readonly T[]): T[] {
  const counts = new Map<string, number>();
  for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1);
  return items.filter(({ name }) => counts.get(name) !== 1);
}

function byName<T extends { readonly name: string }>(items: T[]): T[] {
  return items.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Whether a source file may hold tools: a module of the project, not a declaration file. */
export function isEntry(file: ts.SourceFile): boolean {
  return !file.isDeclarationFile && !file.fileName.endsWith(".json");
}
