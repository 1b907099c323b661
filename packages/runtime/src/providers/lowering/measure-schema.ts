import type { JsonSchema } from "../../manifest/json-schema.js";
import { resolveReference, typeNames } from "./schema-fits.js";

/** What providers limit in a schema. */
export interface SchemaSize {
  /** Of all objects together. */
  readonly properties: number;
  /** Levels of objects and arrays; a reference counts as what it points to, a recursion once. */
  readonly depth: number;
  /** Properties that are not required. */
  readonly optional: number;
  /** Properties whose type is a union. */
  readonly unions: number;
  readonly enumValues: number;
  /** Characters of names of properties and definitions and of string values in enum and const. */
  readonly characters: number;
  /** Characters of the strings of the largest single enum of more than 250 values. */
  readonly largestEnumCharacters: number;
}

export function measureSchema(root: JsonSchema): SchemaSize {
  let size = measured.get(root);
  if (size === undefined) {
    size = measure(root);
    measured.set(root, size);
  }
  return size;
}

const measured = new WeakMap<JsonSchema, SchemaSize>();

function measure(root: JsonSchema): SchemaSize {
  const size = { properties: 0, optional: 0, unions: 0, enumValues: 0, characters: 0, largestEnumCharacters: 0 };
  for (const name of Object.keys(root.$defs ?? {})) size.characters += name.length;
  visit(root);
  return { ...size, depth: depthOf(root, root, new Set()) };

  function visit(schema: JsonSchema | boolean | undefined): void {
    if (schema === undefined || typeof schema === "boolean") return;
    if (schema.enum !== undefined) {
      const characters = schema.enum.reduce<number>(
        (sum, item) => sum + (typeof item === "string" ? item.length : 0),
        0,
      );
      size.enumValues += schema.enum.length;
      size.characters += characters;
      if (schema.enum.length > 250) size.largestEnumCharacters = Math.max(size.largestEnumCharacters, characters);
    }
    if (typeof schema.const === "string") size.characters += schema.const.length;
    if (schema.anyOf !== undefined || typeNames(schema).length > 1) size.unions += 1;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      size.properties += 1;
      size.characters += name.length;
      if (schema.required?.includes(name) !== true) size.optional += 1;
      visit(property);
    }
    for (const child of childrenOf(schema)) visit(child);
    for (const definition of Object.values(schema.$defs ?? {})) visit(definition);
  }
}

function depthOf(schema: JsonSchema | boolean | undefined, root: JsonSchema, open: ReadonlySet<string>): number {
  if (schema === undefined || typeof schema === "boolean") return 0;
  if (schema.$ref !== undefined) {
    if (open.has(schema.$ref)) return 0;
    return depthOf(resolveReference(schema.$ref, root), root, new Set([...open, schema.$ref]));
  }
  const inside = (children: readonly (JsonSchema | boolean | undefined)[]) =>
    Math.max(0, ...children.map((child) => depthOf(child, root, open)));
  const nested = [...Object.values(schema.properties ?? {}), ...childrenOf(schema, { branches: false })];
  const types = typeNames(schema);
  const own = types.includes("object") || types.includes("array") ? 1 : 0;
  return Math.max(own + inside(nested), inside(schema.anyOf ?? []));
}

function childrenOf(schema: JsonSchema, options: { branches: boolean } = { branches: true }) {
  return [
    ...(options.branches ? (schema.anyOf ?? []) : []),
    ...(schema.prefixItems ?? []),
    schema.items,
    schema.additionalProperties,
    ...Object.values(schema.patternProperties ?? {}),
  ];
}
