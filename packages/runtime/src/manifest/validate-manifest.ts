import { ManifestError, type ManifestIssue } from "../errors/manifest-error.js";
import { duplicateName, noManifest, wrongShape, wrongVersion } from "../errors/messages.js";
import { isRecord } from "./is-record.js";
import { appendPointer } from "./json-pointer.js";
import { MANIFEST_VERSION, type Manifest } from "./manifest.js";
import { validateSchema } from "./validate-schema.js";

const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

type Check = (value: unknown, pointer: string) => ManifestIssue[];

const check =
  (expected: string, accepts: (value: unknown) => boolean): Check =>
  (value, pointer) =>
    accepts(value) ? [] : [wrongShape(pointer, expected, value)];

const text = check("a string", (value) => typeof value === "string");
const filled = check("a string that is not empty", (value) => typeof value === "string" && value !== "");
const yes = check("true or false", (value) => typeof value === "boolean");
const toolName = check(
  "a name of 1 to 64 letters, digits, _ or -, beginning with a letter or _",
  (value) => typeof value === "string" && TOOL_NAME.test(value),
);

const parameters: Check = (value, pointer) => {
  const issues = validateSchema(value, pointer);
  if (isRecord(value) && value.type !== "object" && issues.length === 0) {
    return [wrongShape(appendPointer(pointer, "type"), '"object": arguments are always an object', value.type)];
  }
  return issues;
};

const callSlot: Check = (value, pointer) => {
  if (!isRecord(value)) return [wrongShape(pointer, "an object", value)];
  switch (value.from) {
    case "property":
      return fields(value, pointer, { required: { from: text, name: text }, optional: {} });
    case "properties":
      return fields(value, pointer, { required: { from: text, names: list(text) }, optional: {} });
    case "arguments":
    case "context":
    case "signal":
      return fields(value, pointer, { required: { from: text }, optional: {} });
    default:
      return [
        wrongShape(
          appendPointer(pointer, "from"),
          "one of property, properties, arguments, context, signal",
          value.from,
        ),
      ];
  }
};

const TOOL = {
  required: { name: toolName, module: filled, export: filled, parameters, call: list(callSlot) },
  optional: {
    summary: text,
    description: text,
    deprecated: yes,
    returns: validateSchema,
    streams: yes,
    once: yes,
    worker: yes,
    sequential: yes,
    requiresApproval: yes,
  },
} as const;
const SCHEMA = {
  required: { name: filled, module: filled, export: filled, schema: validateSchema },
  optional: { summary: text, description: text },
} as const;
const WORKFLOW = {
  required: { name: filled, module: filled },
  optional: { export: filled, summary: text, description: text, input: validateSchema },
} as const;
const MANIFEST = {
  required: {
    manifestVersion: check("1", (value) => value === MANIFEST_VERSION),
    tools: list((value, pointer) => fields(value, pointer, TOOL)),
    schemas: list((value, pointer) => fields(value, pointer, SCHEMA)),
    workflows: list((value, pointer) => fields(value, pointer, WORKFLOW)),
  },
  optional: { $schema: text },
} as const;

/**
 * Checks a value against the manifest's own JSON Schema (`@callsign/runtime/manifest.schema.json`), and what JSON
 * Schema cannot say: names occur once, references resolve and do not run in a circle, patterns compile.
 * Written by hand so that loading a manifest needs no Ajv; a test keeps the two in step.
 *
 * @returns The same value, typed. Nothing is copied.
 * @throws {ManifestError} with all issues; `code` is that of the first: `manifest-not-an-object`, `manifest-version`,
 *   `manifest-shape`, `schema-keyword`, `schema-reference`, `duplicate-name`.
 */
export function validateManifest(value: unknown, options: { readonly file?: string } = {}): Manifest {
  const issues = findIssues(value);
  if (issues.length > 0) throw new ManifestError(issues, options);
  return value as Manifest;
}

function findIssues(value: unknown): ManifestIssue[] {
  if (!isRecord(value)) return [noManifest(value)];
  // A manifest of another version has another shape: its other differences would only mislead.
  if (Object.hasOwn(value, "manifestVersion") && value.manifestVersion !== MANIFEST_VERSION) {
    return [wrongVersion(value.manifestVersion)];
  }
  const issues = fields(value, "", MANIFEST);
  for (const listName of ["tools", "schemas", "workflows"] as const) {
    issues.push(...findDuplicates(value[listName], `/${listName}`));
  }
  return issues;
}

interface Fields {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

function fields(value: unknown, pointer: string, expected: Fields): ManifestIssue[] {
  if (!isRecord(value)) return [wrongShape(pointer, "an object", value)];
  const issues: ManifestIssue[] = [];
  for (const name of Object.keys(expected.required)) {
    if (!Object.hasOwn(value, name)) issues.push(wrongShape(appendPointer(pointer, name), "present", undefined));
  }
  for (const name of Object.keys(value)) {
    const at = appendPointer(pointer, name);
    const field = Object.hasOwn(expected.required, name)
      ? expected.required[name]
      : Object.hasOwn(expected.optional, name)
        ? expected.optional[name]
        : undefined;
    if (field === undefined) issues.push(wrongShape(at, "left out: a manifest has no such property", undefined));
    else issues.push(...field(value[name], at));
  }
  return issues;
}

function list(item: Check): Check {
  return (value, pointer) =>
    Array.isArray(value)
      ? value.flatMap((element, index) => item(element, appendPointer(pointer, index)))
      : [wrongShape(pointer, "a list", value)];
}

function findDuplicates(value: unknown, pointer: string): ManifestIssue[] {
  if (!Array.isArray(value)) return [];
  const seen = new Set<string>();
  return value.flatMap((element, index) => {
    const name: unknown = isRecord(element) ? element.name : undefined;
    if (typeof name !== "string") return [];
    if (seen.has(name)) return [duplicateName(`${pointer}/${index}/name`, name)];
    seen.add(name);
    return [];
  });
}
