import type { ErrorObject, ValidateFunction } from "ajv";
import { ManifestError } from "../errors/manifest-error.js";
import { schemaNotUsable } from "../errors/messages.js";
import { isRecord } from "../manifest/is-record.js";
import { appendPointer, readReference, resolveKeys } from "../manifest/json-pointer.js";
import type { JsonSchema } from "../manifest/json-schema.js";

/** A schema inside a compiled root, with its place. */
export interface SchemaSite {
  readonly schema: JsonSchema;
  readonly pointer: string;
}

/** A neutral schema that is ready to check values. */
export interface CompiledSchema {
  readonly root: SchemaSite;
  /** True when a codec occurs anywhere in it; else values are the same encoded and decoded. */
  readonly hasCodecs: boolean;
  /** Whether `value` (JSON) fits the schema at `site`. */
  accepts(site: SchemaSite, value: unknown): boolean;
  /** What Ajv says first against `value`; undefined when it fits. */
  firstError(site: SchemaSite, value: unknown): ErrorObject | undefined;
  /** A schema below `site`, by keywords and keys. */
  child(site: SchemaSite, ...keys: readonly (string | number)[]): SchemaSite | undefined;
  /** What `$ref` at `site` points to; undefined where there is none. */
  referenced(site: SchemaSite): SchemaSite | undefined;
}

const compiled = new WeakMap<JsonSchema, Promise<CompiledSchema>>();

/**
 * Compiles a schema at its first use; Ajv is loaded then and not before. The same object is compiled once.
 *
 * @param name For the message when the schema is no schema.
 * @throws {ManifestError} code `schema-not-usable`.
 */
export function compileSchema(schema: JsonSchema, name: string): Promise<CompiledSchema> {
  let result = compiled.get(schema);
  if (result === undefined) {
    result = compile(schema, name);
    compiled.set(schema, result);
  }
  return result;
}

async function loadAjv() {
  const [{ Ajv2020 }, { default: formats }] = await Promise.all([import("ajv/dist/2020.js"), import("ajv-formats")]);
  return { Ajv2020, addFormats: formats.default };
}

async function compile(schema: JsonSchema, name: string): Promise<CompiledSchema> {
  const { Ajv2020, addFormats } = await loadAjv();
  // One instance a schema: it is collected together with the schema, also for tools that live for one session only.
  const ajv = new Ajv2020({
    strict: false,
    ownProperties: true,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    logger: false,
  });
  addFormats(ajv);
  const prepared = prepare(schema) as JsonSchema;
  const validators = new Map<string, ValidateFunction>();
  const validatorAt = (pointer: string): ValidateFunction => {
    let validator = validators.get(pointer);
    if (validator === undefined) {
      validator = ajv.getSchema(`root#${encodeFragment(pointer)}`);
      if (validator === undefined) throw new Error(`there is no schema at ${pointer || "the root"}`);
      validators.set(pointer, validator);
    }
    return validator;
  };
  try {
    ajv.addSchema(prepared, "root");
    validatorAt("");
  } catch (cause) {
    throw new ManifestError([schemaNotUsable(name, cause)], { cause });
  }
  const child = (site: SchemaSite, ...keys: readonly (string | number)[]): SchemaSite | undefined => {
    const found = resolveKeys(site.schema, keys.map(String));
    return isRecord(found) ? { schema: found, pointer: keys.reduce<string>(appendPointer, site.pointer) } : undefined;
  };
  const root = { schema: prepared, pointer: "" };
  return {
    root,
    hasCodecs: mentionsCodec(prepared),
    accepts: (site, value) => validatorAt(site.pointer)(value) === true,
    firstError: (site, value) => {
      const validator = validatorAt(site.pointer);
      return validator(value) ? undefined : validator.errors?.[0];
    },
    child,
    referenced: (site) => {
      const keys = site.schema.$ref === undefined ? undefined : readReference(site.schema.$ref);
      return keys === undefined ? undefined : child(root, ...keys);
    },
  };
}

function encodeFragment(pointer: string): string {
  return pointer.split("/").map(encodeURIComponent).join("/");
}

const NAMES_TO_SCHEMAS = new Set(["properties", "patternProperties", "$defs"]);
const NO_SCHEMAS = new Set(["const", "enum", "default", "examples", "required"]);

/**
 * A copy that Ajv reads rightly and quickly:
 * - Ajv passes over a property named `__proto__`, so that it would neither be allowed nor checked: as a pattern it is.
 * - Ajv takes an absent required property named `""` for none absent: the same said by names.
 * - Properties with a fixed value are checked first (`allOf` goes before `properties`), so that a branch of a
 *   discriminated union is left at its discriminator and a recursive one does not check each child once for each branch.
 */
function prepare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prepare);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [keyword, held] of Object.entries(value)) {
    if (NO_SCHEMAS.has(keyword)) copy[keyword] = held;
    else if (NAMES_TO_SCHEMAS.has(keyword) && isRecord(held)) {
      copy[keyword] = Object.fromEntries(Object.entries(held).map(([name, schema]) => [name, prepare(schema)]));
    } else copy[keyword] = prepare(held);
  }
  const first: unknown[] = [];
  if (Array.isArray(copy.required) && copy.required.includes("")) {
    first.push({ not: { type: "object", propertyNames: { minLength: 1 } } });
  }
  if (isRecord(copy.properties)) {
    const { ["__proto__"]: hidden, ...properties } = copy.properties;
    if (Object.hasOwn(copy.properties, "__proto__")) {
      copy.properties = properties;
      copy.patternProperties = { ...(copy.patternProperties as object | undefined), "^__proto__$": hidden };
    }
    const fixed = Object.entries(properties).filter(([, schema]) => isRecord(schema) && "const" in schema);
    if (fixed.length > 0) first.push({ properties: Object.fromEntries(fixed) });
  }
  if (first.length > 0) copy.allOf = [...((copy.allOf as unknown[] | undefined) ?? []), ...first];
  return copy;
}

/** Whether a codec occurs anywhere in a schema. */
export function mentionsCodec(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsCodec);
  if (!isRecord(value)) return false;
  return Object.entries(value).some(([keyword, held]) =>
    keyword === "x-codec" ? typeof held === "string" : !NO_SCHEMAS.has(keyword) && mentionsCodec(held),
  );
}
