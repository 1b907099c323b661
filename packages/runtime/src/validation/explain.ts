import type { ErrorObject } from "ajv";
import type { Refusal } from "../calls/refusal.js";
import { showValue } from "../errors/show-value.js";
import { isRecord } from "../manifest/is-record.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import type { CompiledSchema, SchemaSite } from "./compile-schema.js";
import { elementSite, propertySites } from "./property-site.js";

const MOST_REFUSALS = 12;

type Path = readonly (string | number)[];

/**
 * Says everything that keeps `value` from fitting, each at its own place. Of a union it explains the branch that was
 * meant, where a fixed value (a discriminator) tells which that is.
 *
 * @param value JSON that the schema refuses.
 */
export function explain(compiled: CompiledSchema, value: unknown): Refusal[] {
  const refusals: Refusal[] = [];
  explainAt({ compiled, refusals }, compiled.root, { value, path: [] });
  return refusals.slice(0, MOST_REFUSALS);
}

interface Walk {
  readonly compiled: CompiledSchema;
  readonly refusals: Refusal[];
}

interface Place {
  readonly value: unknown;
  readonly path: Path;
}

function explainAt(walk: Walk, site: SchemaSite, place: Place): void {
  const { compiled, refusals } = walk;
  if (refusals.length >= MOST_REFUSALS || compiled.accepts(site, place.value)) return;
  const before = refusals.length;
  const target = compiled.referenced(site);
  if (target !== undefined) explainAt(walk, target, place);
  if (site.schema.anyOf !== undefined && refusals.length === before) explainUnion(walk, site, place);
  if (isRecord(place.value) && allows(site.schema, "object")) explainObject(walk, site, place);
  if (Array.isArray(place.value) && allows(site.schema, "array")) {
    for (const [index, element] of place.value.entries()) {
      const item = elementSite(compiled, site, index);
      if (item !== undefined) explainAt(walk, item, { value: element, path: [...place.path, index] });
    }
  }
  // Nothing found below: it is a rule of this very schema.
  if (refusals.length === before) {
    refusals.push({ path: place.path, message: describe(compiled.firstError(site, place.value), site, place.value) });
  }
}

function allows(schema: JsonSchema, type: "object" | "array"): boolean {
  if (schema.type === undefined) return true;
  return typeof schema.type === "string" ? schema.type === type : schema.type.includes(type);
}

function explainObject(walk: Walk, site: SchemaSite, { value, path }: Place): void {
  const { compiled, refusals } = walk;
  const object = value as Record<string, unknown>;
  for (const name of site.schema.required ?? []) {
    if (!Object.hasOwn(object, name)) {
      const [declared] = propertySites(compiled, site, name);
      const expected = declared === undefined ? "" : `; it must be ${expectation(compiled, declared)}`;
      refusals.push({ path: [...path, name], message: `is required, but missing${expected}` });
    }
  }
  for (const name of Object.keys(object)) {
    const sites = propertySites(compiled, site, name);
    if (sites.length === 0 && site.schema.additionalProperties === false) {
      const known = knownNames(site.schema);
      refusals.push({
        path: [...path, name],
        message: `is not a property here${known.length === 0 ? "; there are none" : `; the properties are ${known.join(", ")}`}`,
      });
    }
    for (const property of sites) explainAt(walk, property, { value: object[name], path: [...path, name] });
  }
}

function knownNames(schema: JsonSchema): string[] {
  const patterns = Object.keys(schema.patternProperties ?? {});
  return [
    ...Object.keys(schema.properties ?? {}),
    ...patterns.map((pattern) => (pattern === "^__proto__$" ? "__proto__" : `those that match /${pattern}/u`)),
  ];
}

function explainUnion(walk: Walk, site: SchemaSite, place: Place): void {
  const { compiled, refusals } = walk;
  const branches = unionBranches(compiled, site);
  const ofThisType = branches.filter((branch) => typeFits(compiled, branch, place.value));
  const meant = isRecord(place.value) ? ofThisType.filter((branch) => fixedValuesFit(branch, place.value)) : ofThisType;
  const [only] = meant;
  if (meant.length === 1 && only !== undefined) {
    explainAt(walk, only, place);
    return;
  }
  const fixed = meant.length === 0 && isRecord(place.value) ? discriminator(ofThisType) : undefined;
  if (fixed !== undefined) {
    const value = (place.value as Record<string, unknown>)[fixed.name];
    refusals.push({
      path: [...place.path, fixed.name],
      message: `must be one of ${fixed.values.map(showValue).join(", ")}; got ${showValue(value)}`,
    });
    return;
  }
  const expected = branches.map((branch) => expectation(compiled, branch));
  refusals.push({
    path: place.path,
    message: `must be ${[...new Set(expected)].join(", or ")}; got ${showValue(place.value)}`,
  });
}

/** The branches of a union with references followed and unions inside it opened. */
function unionBranches(compiled: CompiledSchema, site: SchemaSite, depth = 0): SchemaSite[] {
  const target = compiled.referenced(site);
  if (target !== undefined && depth < 20) return unionBranches(compiled, target, depth + 1);
  if (site.schema.anyOf === undefined || depth >= 20) return [site];
  return site.schema.anyOf.flatMap((_, index) => {
    const branch = compiled.child(site, "anyOf", index);
    return branch === undefined ? [] : unionBranches(compiled, branch, depth + 1);
  });
}

function typeFits(compiled: CompiledSchema, { schema }: SchemaSite, value: unknown): boolean {
  void compiled;
  const type = schema.type;
  if (type === undefined) return !isRecord(value) || schema.const === undefined;
  const types = typeof type === "string" ? [type] : type;
  return types.includes(jsonType(value)) || (typeof value === "number" && types.includes("integer"));
}

function jsonType(value: unknown): "null" | "array" | "object" | "string" | "number" | "boolean" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as "object" | "string" | "number" | "boolean";
}

function fixedValuesFit({ schema }: SchemaSite, value: unknown): boolean {
  const object = value as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).every(([name, property]) => {
    const allowed = fixedValues(property);
    return allowed === undefined || (Object.hasOwn(object, name) && allowed.includes(object[name] as Json));
  });
}

function fixedValues(schema: JsonSchema): readonly Json[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** The property that has a fixed value in every branch. */
function discriminator(branches: readonly SchemaSite[]): { name: string; values: Json[] } | undefined {
  for (const name of Object.keys(branches[0]?.schema.properties ?? {})) {
    const values = branches.map(({ schema }) =>
      Object.hasOwn(schema.properties ?? {}, name) ? fixedValues(schema.properties?.[name] ?? {}) : undefined,
    );
    if (values.every((allowed) => allowed !== undefined)) return { name, values: values.flat() as Json[] };
  }
  return undefined;
}

/** What a schema asks for, in a few words. */
function expectation(compiled: CompiledSchema, site: SchemaSite, depth = 0): string {
  const { schema } = site;
  const target = compiled.referenced(site);
  if (target !== undefined && depth < 5) return expectation(compiled, target, depth + 1);
  if (schema.const !== undefined) return showValue(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.map(showValue).join(", ")}`;
  if (schema.anyOf !== undefined && depth < 5) {
    const words = schema.anyOf.map((_, index) => {
      const branch = compiled.child(site, "anyOf", index);
      return branch === undefined ? "a value" : expectation(compiled, branch, depth + 1);
    });
    return [...new Set(words)].join(", or ");
  }
  const types = schema.type === undefined ? [] : typeof schema.type === "string" ? [schema.type] : schema.type;
  const words = types.map((type) => {
    if (type === "string" && schema.format !== undefined) return `a string in the format ${schema.format}`;
    if (type === "object" && Object.keys(schema.properties ?? {}).length > 0) {
      return `an object with ${Object.keys(schema.properties ?? {}).join(", ")}`;
    }
    return TYPE_WORDS[type];
  });
  return words.length === 0 ? "another value" : words.join(" or ");
}

const TYPE_WORDS = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  null: "null",
  object: "an object",
  array: "an array",
} as const;

function describe(error: ErrorObject | undefined, site: SchemaSite, value: unknown): string {
  const got = `; got ${showValue(value)}`;
  const params = (error?.params ?? {}) as Record<string, unknown>;
  switch (error?.keyword) {
    case "type": {
      const types = [params.type].flat() as (keyof typeof TYPE_WORDS)[];
      return `must be ${types.map((type) => TYPE_WORDS[type]).join(" or ")}${got}`;
    }
    case "const":
      return `must be ${showValue(params.allowedValue)}${got}`;
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[]).map(showValue).join(", ")}${got}`;
    case "format":
      return `must be a string in the format ${String(params.format)}${got}`;
    case "pattern":
      return `must match the pattern /${String(params.pattern)}/u${got}`;
    case "additionalProperties":
      return `must not have the property ${showValue(params.additionalProperty)}`;
    case "uniqueItems":
      return `must not hold the same value twice, as at ${String(params.j)} and ${String(params.i)}${got}`;
    case "propertyNames":
      return `must not have the name ${showValue(params.propertyName)}: it does not fit the rule for names`;
    case "not":
      return `must not be what its schema excludes${site.schema.description === undefined ? "" : ` (${site.schema.description})`}${got}`;
    case "false schema":
      return `must not be there${got}`;
    case undefined:
      return `does not fit${got}`;
    default:
      return `${error?.message?.replace("must NOT", "must not") ?? "does not fit"}${got}`;
  }
}
