import { isReceived, type Received } from "../reading.js";

/** Names that every provider takes. */
export const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** What any provider finds wrong with the schema of a tool that is not strict. */
export function plainSchemaProblems(schema: unknown): string[] {
  if (!isReceived(schema)) return ["the schema of a tool must be an object"];
  const problems: string[] = [];
  if (schema.type !== "object") problems.push(`the root must have type 'object', got '${String(schema.type)}'`);
  for (const keyword of ["anyOf", "oneOf", "allOf", "enum", "not"]) {
    if (schema[keyword] !== undefined) problems.push(`'${keyword}' is not supported at the root`);
  }
  visit(schema, "#", (found, at) => {
    if (found["x-codec"] !== undefined) problems.push(`${at}: unknown keyword 'x-codec'`);
    if (found.type === "array" && found.items === undefined && found.prefixItems === undefined) {
      problems.push(`${at}: array schema missing items`);
    }
    const types = Array.isArray(found.type) ? found.type : found.type === undefined ? [] : [found.type];
    for (const type of types) if (!TYPES.has(type as string)) problems.push(`${at}: unknown type '${String(type)}'`);
    if (typeof found.$ref === "string" && !resolves(found.$ref, schema)) {
      problems.push(`${at}: reference ${found.$ref} can not be resolved`);
    }
  });
  return problems;
}

const GEMINI_KEYWORDS = new Set([
  ...["$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"],
  ...["minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"],
  "propertyOrdering",
]);

/** What Gemini's `parametersJsonSchema` and `responseJsonSchema` do not take. */
export function geminiSchemaProblems(schema: unknown): string[] {
  if (!isReceived(schema)) return ["the schema must be an object"];
  const problems: string[] = [];
  visit(schema, "#", (found, at) => {
    for (const keyword of Object.keys(found)) {
      if (!GEMINI_KEYWORDS.has(keyword)) problems.push(`Unknown name "${keyword}" at '${at}'`);
    }
    if (typeof found.$ref === "string") {
      if (!resolves(found.$ref, schema)) problems.push(`${at}: reference ${found.$ref} not found`);
      if (Object.keys(found).some((keyword) => !keyword.startsWith("$"))) {
        problems.push(`${at}: no keyword may stand beside $ref but those that begin with $`);
      }
    }
    for (const value of Array.isArray(found.enum) ? found.enum : []) {
      if (typeof value !== "string" && typeof value !== "number") {
        problems.push(`${at}: only strings and numbers are supported in enum, got ${JSON.stringify(value)}`);
      }
    }
    if (typeof found.items === "boolean") problems.push(`${at}: items must be a schema`);
  });
  for (const name of requiredCycles(schema))
    problems.push(`#/$defs/${name}: recursion is only supported through properties that are not required`);
  return problems;
}

const OLLAMA_ROOT = new Set(["type", "$defs", "items", "required", "properties"]);
const OLLAMA_PROPERTY = new Set(["type", "anyOf", "items", "description", "enum", "properties", "required"]);

/** What Ollama's server would forget of a tool's schema without a word; a kit for tests had better refuse it. */
export function ollamaSchemaProblems(schema: unknown): string[] {
  if (!isReceived(schema)) return ["the schema must be an object"];
  const problems: string[] = [];
  visit(schema, "#", (found, at) => {
    const known = at === "#" ? OLLAMA_ROOT : OLLAMA_PROPERTY;
    for (const keyword of Object.keys(found)) {
      if (!known.has(keyword)) problems.push(`${at}: the server forgets '${keyword}'`);
    }
  });
  return problems;
}

function visit(schema: unknown, at: string, each: (schema: Received, at: string) => void): void {
  if (!isReceived(schema)) return;
  each(schema, at);
  for (const keyword of ["properties", "patternProperties", "$defs"]) {
    const children = schema[keyword];
    if (isReceived(children)) {
      for (const [name, child] of Object.entries(children)) visit(child, `${at}/${keyword}/${name}`, each);
    }
  }
  for (const keyword of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const children = schema[keyword];
    for (const [index, child] of (Array.isArray(children) ? children : []).entries()) {
      visit(child, `${at}/${keyword}/${index}`, each);
    }
  }
  for (const keyword of ["items", "additionalProperties", "propertyNames", "not"]) {
    visit(schema[keyword], `${at}/${keyword}`, each);
  }
}

function resolves(reference: string, root: Received): boolean {
  if (!reference.startsWith("#/$defs/")) return false;
  const name = reference.slice("#/$defs/".length).replaceAll("~1", "/").replaceAll("~0", "~");
  return isReceived(root.$defs) && Object.hasOwn(root.$defs, name);
}

/** Definitions that reach themselves without passing through a property that may be absent. */
function requiredCycles(root: Received): string[] {
  const definitions = isReceived(root.$defs) ? root.$defs : {};
  const needs = (schema: unknown): string[] => {
    if (!isReceived(schema)) return [];
    if (typeof schema.$ref === "string") {
      return [schema.$ref.slice("#/$defs/".length).replaceAll("~1", "/").replaceAll("~0", "~")];
    }
    const required = Array.isArray(schema.required) ? schema.required : [];
    const properties = isReceived(schema.properties) ? Object.entries(schema.properties) : [];
    return [
      ...properties.filter(([name]) => required.includes(name)).flatMap(([, child]) => needs(child)),
      ...["anyOf", "oneOf", "prefixItems"].flatMap((keyword) =>
        Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]).flatMap(needs) : [],
      ),
      ...needs(schema.items),
      ...needs(schema.additionalProperties),
    ];
  };
  const reach = (name: string, seen: Set<string>): Set<string> => {
    for (const next of needs(definitions[name])) {
      if (seen.has(next)) continue;
      seen.add(next);
      reach(next, seen);
    }
    return seen;
  };
  return Object.keys(definitions).filter((name) => reach(name, new Set()).has(name));
}
