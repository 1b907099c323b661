import type { ErrorObject } from "ajv";
import { ManifestError } from "../errors/manifest-error.js";
import { schemaNotUsable } from "../errors/messages.js";
import { isRecord } from "../manifest/is-record.js";
import { appendPointer, readReference, resolveKeys } from "../manifest/json-pointer.js";
import type { JsonSchema } from "../manifest/json-schema.js";
import { ajvOptionsFor } from "./ajv-options.js";
import { mentionsCodec, prepareSchema } from "./prepare-schema.js";
import type { SchemaValidators, StandaloneValidator } from "./validators.js";

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
const provided = new WeakMap<JsonSchema, SchemaValidators>();

/** Has a schema checked by functions that were written at build time; Ajv is not loaded for it then. */
export function provideValidators(schema: JsonSchema, validators: SchemaValidators): void {
  provided.set(schema, validators);
}

/**
 * Compiles a schema at its first use; Ajv is loaded then and not before. The same object is compiled once.
 *
 * @param name For the message when the schema is no schema.
 * @throws {ManifestError} code `schema-not-usable`.
 */
export function compileSchema(schema: JsonSchema, name: string): Promise<CompiledSchema> {
  let result = compiled.get(schema);
  if (result === undefined) {
    const validators = provided.get(schema);
    result = validators === undefined ? compile(schema, name) : Promise.resolve(compiledFrom(schema, validators));
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
  const prepared = prepareSchema(schema);
  const ajv = new Ajv2020(ajvOptionsFor([prepared]));
  addFormats(ajv);
  const validators = new Map<string, StandaloneValidator>();
  const validatorAt = (pointer: string): StandaloneValidator => {
    let validator = validators.get(pointer);
    if (validator === undefined) {
      validator = ajv.getSchema(`root#${encodeFragment(pointer)}`) as StandaloneValidator | undefined;
      if (validator === undefined) throw noSchemaAt(pointer);
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
  return withWalks(prepared, validatorAt);
}

function compiledFrom(schema: JsonSchema, { at }: SchemaValidators): CompiledSchema {
  return withWalks(prepareSchema(schema), (pointer) => {
    const validator = at[pointer];
    if (validator === undefined) throw noSchemaAt(pointer);
    return validator;
  });
}

function noSchemaAt(pointer: string): Error {
  return new Error(`there is no schema at ${pointer || "the root"}`);
}

function withWalks(prepared: JsonSchema, validatorAt: (pointer: string) => StandaloneValidator): CompiledSchema {
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
      return validator(value) ? undefined : (validator.errors?.[0] as ErrorObject | undefined);
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
