import { isReceived, type Received } from "../reading.js";

/** What one API's strict mode takes. Written from the provider's own list, not from our lowering. */
interface StrictRules {
  readonly keywords: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  readonly everyPropertyRequired: boolean;
  readonly recursion: boolean;
  readonly largestMinItems: number;
  readonly siblingsOfReference: boolean;
}

const COMMON_FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
const STRUCTURE = ["type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref"];

const OPENAI: StrictRules = {
  keywords: new Set([
    ...[...STRUCTURE, "$defs", "description", "title", "pattern", "format", "minItems", "maxItems"],
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ]),
  formats: new Set(COMMON_FORMATS),
  everyPropertyRequired: true,
  recursion: true,
  largestMinItems: Number.POSITIVE_INFINITY,
  siblingsOfReference: false,
};

const ANTHROPIC: StrictRules = {
  keywords: new Set([
    ...STRUCTURE,
    "$defs",
    "allOf",
    "default",
    "description",
    "title",
    "pattern",
    "format",
    "minItems",
  ]),
  formats: new Set([...COMMON_FORMATS, "uri"]),
  everyPropertyRequired: false,
  recursion: false,
  largestMinItems: 1,
  siblingsOfReference: false,
};

/** What OpenAI's strict mode finds wrong with a schema, in the order in which it is met. */
export function openaiStrictProblems(schema: unknown): string[] {
  const problems = strictProblems(schema, OPENAI);
  if (isReceived(schema)) {
    if (schema.type !== "object")
      problems.push(`schema must be a JSON Schema of 'type: "object"', got 'type: "${String(schema.type)}"'`);
    if (schema.anyOf !== undefined) problems.push("'anyOf' is not permitted at the root");
    const size = sizeOf(schema);
    if (size.properties > 5_000) problems.push(`too many properties: ${size.properties}, the limit is 5000`);
    if (size.enumValues > 1_000) problems.push(`too many enum values: ${size.enumValues}, the limit is 1000`);
    if (size.characters > 120_000) problems.push(`too many characters in names and enum values: ${size.characters}`);
    if (size.objectDepth > 10) problems.push(`nested too deep: ${size.objectDepth} levels, the limit is 10`);
  }
  return problems;
}

/** What Anthropic's grammar compiler finds wrong with one schema. */
export function anthropicStrictProblems(schema: unknown): string[] {
  return strictProblems(schema, ANTHROPIC);
}

/** What the limits of all strict schemas of a request are counted by. */
export function anthropicSize(schema: unknown): { readonly optional: number; readonly unions: number } {
  const { optional, unions } = sizeOf(schema);
  return { optional, unions };
}

function strictProblems(root: unknown, rules: StrictRules): string[] {
  const problems: string[] = [];
  visit(root, "#");
  if (!rules.recursion && isRecursive(root)) problems.push("recursive schemas are not supported");
  return problems;

  function visit(schema: unknown, at: string): void {
    if (!isReceived(schema)) {
      problems.push(`${at}: a schema must be an object, got ${JSON.stringify(schema)}`);
      return;
    }
    for (const keyword of Object.keys(schema)) {
      if (!rules.keywords.has(keyword)) problems.push(`${at}: '${keyword}' is not permitted`);
    }
    if (typeof schema.$ref === "string") {
      if (resolve(schema.$ref, root) === undefined)
        problems.push(`${at}: reference ${schema.$ref} can not be resolved`);
      const siblings = Object.keys(schema).filter((keyword) => keyword !== "$ref" && keyword !== "$defs");
      if (!rules.siblingsOfReference && siblings.length > 0) {
        problems.push(`${at}: $ref cannot have keywords ${siblings.map((name) => `'${name}'`).join(", ")}`);
      }
      return;
    }
    visitKeywords(schema, at);
    for (const [name, child] of entries(schema.properties)) visit(child, `${at}/properties/${name}`);
    for (const [name, child] of entries(schema.$defs)) visit(child, `${at}/$defs/${name}`);
    for (const [index, child] of list(schema.anyOf).entries()) visit(child, `${at}/anyOf/${index}`);
    for (const [index, child] of list(schema.allOf).entries()) visit(child, `${at}/allOf/${index}`);
    if (schema.items !== undefined) visit(schema.items, `${at}/items`);
  }

  function visitKeywords(schema: Received, at: string): void {
    const types = list(schema.type).concat(typeof schema.type === "string" ? [schema.type] : []);
    const hasForm = ["anyOf", "allOf", "enum", "const"].some((keyword) => schema[keyword] !== undefined);
    if (types.length === 0 && !hasForm) problems.push(`${at}: schema must have a 'type' key`);
    if (types.includes("object")) {
      const names = entries(schema.properties).map(([name]) => name);
      if (schema.additionalProperties !== false) {
        problems.push(`${at}: 'additionalProperties' is required to be supplied and to be false`);
      }
      const missing = names.filter((name) => !list(schema.required).includes(name));
      if (rules.everyPropertyRequired && (missing.length > 0 || !Array.isArray(schema.required))) {
        problems.push(
          `${at}: 'required' is required to be supplied and to hold every key; missing '${missing.join("', '")}'`,
        );
      }
      const unknown = list(schema.required).filter((name) => !names.includes(String(name)));
      if (unknown.length > 0)
        problems.push(`${at}: 'required' names keys that are no properties: ${unknown.join(", ")}`);
    }
    if (types.includes("array") && schema.items === undefined) problems.push(`${at}: array schema missing items`);
    if (typeof schema.minItems === "number" && schema.minItems > rules.largestMinItems) {
      problems.push(`${at}: 'minItems' ${schema.minItems} is not supported`);
    }
    if (typeof schema.format === "string" && !rules.formats.has(schema.format)) {
      problems.push(`${at}: '${schema.format}' is not a valid format`);
    }
    if (typeof schema.pattern === "string" && /\(\?[=!<]|\\[1-9]/.test(schema.pattern)) {
      problems.push(`${at}: look-around and back-references are not supported in 'pattern'`);
    }
    for (const value of [...list(schema.enum), ...(schema.const === undefined ? [] : [schema.const])]) {
      if (typeof value === "object" && value !== null)
        problems.push(`${at}: only primitive values are supported in enum`);
    }
  }
}

function sizeOf(root: unknown) {
  const size = { properties: 0, optional: 0, unions: 0, enumValues: 0, characters: 0, objectDepth: 0 };
  visit(root, 0);
  return size;

  function visit(schema: unknown, depth: number): void {
    if (!isReceived(schema)) return;
    const properties = entries(schema.properties);
    const inside = schema.type === "object" || properties.length > 0 ? depth + 1 : depth;
    size.objectDepth = Math.max(size.objectDepth, inside);
    if (schema.anyOf !== undefined || Array.isArray(schema.type)) size.unions += 1;
    size.enumValues += list(schema.enum).length;
    for (const value of [...list(schema.enum), schema.const]) {
      if (typeof value === "string") size.characters += value.length;
    }
    for (const [name, child] of properties) {
      size.properties += 1;
      size.characters += name.length;
      if (!list(schema.required).includes(name)) size.optional += 1;
      visit(child, inside);
    }
    for (const [name, child] of entries(schema.$defs)) {
      size.characters += name.length;
      visit(child, 0);
    }
    for (const child of [...list(schema.anyOf), ...list(schema.allOf), schema.items]) visit(child, inside);
  }
}

function isRecursive(root: unknown): boolean {
  const reaches = (schema: unknown, open: readonly string[]): boolean => {
    if (Array.isArray(schema)) return schema.some((item) => reaches(item, open));
    if (!isReceived(schema)) return false;
    if (typeof schema.$ref === "string") {
      return open.includes(schema.$ref) || reaches(resolve(schema.$ref, root), [...open, schema.$ref]);
    }
    return Object.entries(schema).some(([keyword, child]) => keyword !== "$defs" && reaches(child, open));
  };
  return (
    reaches(root, []) || entries(isReceived(root) ? root.$defs : undefined).some(([, child]) => reaches(child, []))
  );
}

function resolve(reference: string, root: unknown): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const token of reference.slice(2).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isReceived(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

function entries(value: unknown): [string, unknown][] {
  return isReceived(value) ? Object.entries(value) : [];
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
