import type { ManifestIssue } from "../errors/manifest-error.js";
import { badReference, endlessReference, wrongKeyword } from "../errors/messages.js";
import { isRecord } from "./is-record.js";
import { appendPointer, readReference, resolveKeys } from "./json-pointer.js";

const TYPE_NAMES = new Set(["string", "number", "integer", "boolean", "null", "object", "array"]);
const CODECS = new Set(["date", "url", "bigint", "map", "set", "bytes"]);

const isSchema = isRecord;
const isString = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isTypeName = (value: unknown): boolean => typeof value === "string" && TYPE_NAMES.has(value);
const isUniqueList = (value: unknown, accepts: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && new Set(value).size === value.length && value.every(accepts);

/** What each keyword may hold. `children` says where its subschemas are. */
interface KeywordRule {
  readonly expected: string;
  accepts(value: unknown): boolean;
  readonly children?: "one" | "list" | "map";
}

const rule = (
  expected: string,
  accepts: (value: unknown) => boolean,
  children?: KeywordRule["children"],
): KeywordRule => ({ expected, accepts, ...(children === undefined ? {} : { children }) });

const text = rule("a string", isString);
const count = rule("a whole number from 0", isCount);
const number = rule("a number", isNumber);
const flag = rule("true or false", isBoolean);
const anything = rule("a JSON value", () => true);
const schemaMap = rule("an object of schemas", isRecord, "map");
const schemaList = rule(
  "a list of schemas with at least one",
  (value) => Array.isArray(value) && value.length > 0,
  "list",
);
const schemaOrFlag = rule("a schema, true or false", (value) => isBoolean(value) || isSchema(value), "one");
const schema = rule("a schema", isSchema, "one");

const RULES: Readonly<Record<string, KeywordRule>> = {
  $ref: rule("a local reference such as #/$defs/Name", isString),
  $defs: schemaMap,
  type: rule(
    "a JSON type name or a list of them",
    (value) => isTypeName(value) || (isUniqueList(value, isTypeName) && (value as unknown[]).length > 0),
  ),
  const: anything,
  enum: rule("a list with at least one value", (value) => Array.isArray(value) && value.length > 0),
  anyOf: schemaList,
  title: text,
  description: text,
  default: anything,
  examples: rule("a list", Array.isArray),
  deprecated: flag,
  properties: schemaMap,
  required: rule("a list of different property names", (value) => isUniqueList(value, isString)),
  additionalProperties: schemaOrFlag,
  patternProperties: schemaMap,
  propertyNames: schema,
  minProperties: count,
  maxProperties: count,
  items: schemaOrFlag,
  prefixItems: schemaList,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minLength: count,
  maxLength: count,
  pattern: text,
  format: text,
  contentEncoding: text,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: rule("a number above 0", (value) => isNumber(value) && (value as number) > 0),
  not: schema,
  "x-codec": rule(`one of ${[...CODECS].join(", ")}`, (value) => typeof value === "string" && CODECS.has(value)),
};

/**
 * Checks one neutral schema: known keywords with fitting values, references that resolve, none that runs in a circle
 * without taking anything from the value, regular expressions that compile. Iterative, so that depth costs nothing.
 */
export function validateSchema(root: unknown, rootPointer: string): ManifestIssue[] {
  const issues: ManifestIssue[] = [];
  const pending: { value: unknown; pointer: string }[] = [{ value: root, pointer: rootPointer }];
  for (let site = pending.pop(); site !== undefined; site = pending.pop()) {
    const { value, pointer } = site;
    if (!isRecord(value)) {
      issues.push(wrongKeyword(pointer, "a schema", value));
      continue;
    }
    const children: typeof pending = [];
    for (const keyword of Object.keys(value)) {
      const at = appendPointer(pointer, keyword);
      const held = value[keyword];
      const keywordRule = Object.hasOwn(RULES, keyword) ? RULES[keyword] : undefined;
      if (keywordRule === undefined) {
        issues.push(wrongKeyword(at, "one of the keywords of callsign's neutral schema", undefined));
      } else if (!keywordRule.accepts(held)) {
        issues.push(wrongKeyword(at, keywordRule.expected, held));
      } else if (keywordRule.children === "one" && isRecord(held)) {
        children.push({ value: held, pointer: at });
      } else if (keywordRule.children === "list" || keywordRule.children === "map") {
        for (const [key, child] of Object.entries(held as object)) {
          children.push({ value: child, pointer: appendPointer(at, key) });
        }
      }
    }
    issues.push(...checkExpressions(value, pointer), ...checkReference(root, value, pointer));
    pending.push(...children.reverse());
  }
  return issues;
}

function checkExpressions(schemaNode: Record<string, unknown>, pointer: string): ManifestIssue[] {
  const issues: ManifestIssue[] = [];
  const check = (source: string, at: string): void => {
    try {
      new RegExp(source, "u");
    } catch {
      issues.push(wrongKeyword(at, "a regular expression (ECMA-262, flag u)", source));
    }
  };
  if (typeof schemaNode.pattern === "string") check(schemaNode.pattern, appendPointer(pointer, "pattern"));
  if (isRecord(schemaNode.patternProperties)) {
    const at = appendPointer(pointer, "patternProperties");
    for (const source of Object.keys(schemaNode.patternProperties)) check(source, appendPointer(at, source));
  }
  return issues;
}

function checkReference(root: unknown, schemaNode: Record<string, unknown>, pointer: string): ManifestIssue[] {
  const reference = schemaNode.$ref;
  if (typeof reference !== "string") return [];
  const at = appendPointer(pointer, "$ref");
  const keys = readReference(reference);
  if (keys === undefined || !isRecord(resolveKeys(root, keys))) return [badReference(at, reference)];
  return leadsBack(root, schemaNode) ? [endlessReference(at, reference)] : [];
}

/** Whether following references and unions from `start` comes back to it without going into a part of the value. */
function leadsBack(root: unknown, start: Record<string, unknown>): boolean {
  const seen = new Set<unknown>();
  const pending: unknown[] = sameValueSchemas(root, start);
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node === start) return true;
    if (!isRecord(node) || seen.has(node)) continue;
    seen.add(node);
    pending.push(...sameValueSchemas(root, node));
  }
  return false;
}

function sameValueSchemas(root: unknown, node: Record<string, unknown>): unknown[] {
  const found: unknown[] = Array.isArray(node.anyOf) ? [...node.anyOf] : [];
  if (node.not !== undefined) found.push(node.not);
  const keys = typeof node.$ref === "string" ? readReference(node.$ref) : undefined;
  if (keys !== undefined) found.push(resolveKeys(root, keys));
  return found.filter((schemaNode) => schemaNode !== undefined);
}
