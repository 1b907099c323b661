import type { Json, JsonSchema } from "../manifest/json-schema.js";

/** How one property of an input is written in a form. */
export type FieldKind = "text" | "number" | "boolean" | "choice" | "json";

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  /** What may be chosen, of `choice`. */
  readonly choices: readonly Json[];
}

/** The fields of an input, if it is an object with named properties; else it is written as JSON. */
export function fieldsOf(root: JsonSchema | undefined): readonly Field[] | undefined {
  if (root === undefined) return undefined;
  const schema = resolved(root, root);
  const names = Object.keys(schema.properties ?? {});
  const isOpen = typeof schema.additionalProperties === "object" || schema.patternProperties !== undefined;
  if (schema.type !== "object" || names.length === 0 || isOpen || schema.anyOf !== undefined) return undefined;
  const required = new Set(schema.required ?? []);
  return names.map((name) => {
    const own = schema.properties?.[name] ?? {};
    const property = {
      ...resolved(own, root),
      ...(own.description === undefined ? {} : { description: own.description }),
    };
    return { name, isRequired: required.has(name), schema: property, ...kindOf(property) };
  });
}

function kindOf(schema: JsonSchema): Pick<Field, "kind" | "choices"> {
  if (schema.enum !== undefined) return { kind: "choice", choices: schema.enum };
  if (schema.const !== undefined) return { kind: "choice", choices: [schema.const] };
  const choices: readonly Json[] = [];
  if (schema.anyOf !== undefined) return { kind: "json", choices };
  if (schema.type === "string") return { kind: "text", choices };
  if (schema.type === "number" || schema.type === "integer") return { kind: "number", choices };
  return { kind: schema.type === "boolean" ? "boolean" : "json", choices };
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let found = schema;
  // A reference to a reference; one that goes round in circles is written as JSON.
  for (let hops = 0; found.$ref !== undefined && hops < 20; hops += 1) {
    const name = found.$ref
      .replace(/^#\/\$defs\//, "")
      .replaceAll("~1", "/")
      .replaceAll("~0", "~");
    found = root.$defs?.[name] ?? {};
  }
  return found;
}

/** What is asked for, in a few words: `whole number, 1 to 9`. */
export function hintOf({ schema, kind }: Pick<Field, "schema" | "kind">): string {
  const { type, format, minimum, maximum, minLength, maxLength, pattern } = schema;
  const words: string[] = [];
  if (kind === "json") words.push("JSON");
  if (type === "integer") words.push("whole number");
  else if (kind === "number") words.push("number");
  if (format !== undefined) words.push(format);
  words.push(...range(minimum, maximum, ""), ...range(minLength, maxLength, " characters"));
  if (pattern !== undefined) words.push(`like ${pattern}`);
  return words.join(", ");
}

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from === undefined && to === undefined) return [];
  if (to === undefined) return [`at least ${from}${unit}`];
  return [from === undefined ? `at most ${to}${unit}` : `${from} to ${to}${unit}`];
}
