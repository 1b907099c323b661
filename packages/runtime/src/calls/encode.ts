import { isRecord } from "../manifest/is-record.js";
import type { CompiledSchema, SchemaSite } from "../validation/compile-schema.js";
import { elementSite, propertySites } from "../validation/property-site.js";
import { setOwn } from "../validation/set-own.js";
import { codecs } from "./codecs/index.js";
import { NotJsonError, toJson } from "./to-json.js";

/**
 * The JSON form of a value by its schema: the reverse of `decode`. Where the value is not what the schema says, its
 * own JSON form is taken: a tool whose type promises more than it keeps is no reason to lose its result.
 *
 * @throws {NotJsonError} for what has no JSON form: a cycle, an invalid Date, a function as the whole value.
 */
export function encode(compiled: CompiledSchema, value: unknown): unknown {
  return encodeAt({ compiled, ancestors: [] }, compiled.root, value);
}

interface Walk {
  readonly compiled: CompiledSchema;
  readonly ancestors: readonly unknown[];
}

function encodeAt(walk: Walk, site: SchemaSite, value: unknown): unknown {
  const { compiled } = walk;
  const target = compiled.referenced(site);
  if (target !== undefined) return encodeAt(walk, target, value);
  if (site.schema.anyOf !== undefined) return encodeUnion(walk, site, value);
  const name = site.schema["x-codec"];
  if (name !== undefined && codecs[name].is(value)) {
    const result = codecs[name].encode(value, site.schema);
    if (!result.ok) throw new NotJsonError(result.problem);
    return typeof result.value === "object" ? encodeParts(enter(walk, value), site, result.value) : result.value;
  }
  return encodeParts(walk, site, value);
}

function encodeParts(walk: Walk, site: SchemaSite, value: unknown): unknown {
  if (Array.isArray(value)) {
    const inside = enter(walk, value);
    // Array.from, since map() would pass over the holes of a sparse array.
    return Array.from(value, (element, index) => {
      const item = elementSite(walk.compiled, site, index);
      return element === undefined ? null : item === undefined ? toJson(element) : encodeAt(inside, item, element);
    });
  }
  if (!isDescribed(site, value)) return toJson(value);
  const inside = enter(walk, value);
  const encoded = {};
  for (const name of namesOf(site, value)) {
    const element = value[name];
    if (element === undefined || typeof element === "function" || typeof element === "symbol") continue;
    const [property] = propertySites(walk.compiled, site, name);
    setOwn(encoded, name, property === undefined ? toJson(element) : encodeAt(inside, property, element));
  }
  return encoded;
}

/** Whether the schema says something about the parts of this object. */
function isDescribed({ schema }: SchemaSite, value: unknown): value is Record<string, unknown> {
  const parts = [schema.properties, schema.patternProperties, schema.additionalProperties];
  return isRecord(value) && parts.some(isRecord) && !isForeign(value);
}

/** An object with a JSON form of its own. */
function isForeign(value: unknown): boolean {
  const known = Object.values(codecs).some((codec) => codec.is(value));
  return known || typeof (value as { toJSON?: unknown }).toJSON === "function";
}

/** Own names, and declared ones that a class provides by a getter on its prototype. */
function namesOf({ schema }: SchemaSite, value: Record<string, unknown>): Set<string> {
  const declared = Object.keys(schema.properties ?? {});
  return new Set([
    ...declared.filter((name) => name in value && !(name in Object.prototype && !Object.hasOwn(value, name))),
    ...Object.keys(value),
  ]);
}

function encodeUnion(walk: Walk, site: SchemaSite, value: unknown): unknown {
  for (const index of (site.schema.anyOf ?? []).keys()) {
    const branch = walk.compiled.child(site, "anyOf", index);
    if (branch === undefined) continue;
    const name = branch.schema["x-codec"];
    // `Date | string`: the codec's branch is not for a string, although the string may look like a date.
    if (name !== undefined && !codecs[name].is(value)) continue;
    try {
      const encoded = encodeAt(walk, branch, value);
      if (walk.compiled.accepts(branch, encoded) && (name !== undefined || !changesClass(value, encoded)))
        return encoded;
    } catch (error) {
      if (!(error instanceof NotJsonError)) throw error;
    }
  }
  return toJson(value);
}

/** Whether a plain branch took a class only because its own JSON form happens to fit, as `string` does a Date's. */
function changesClass(value: unknown, encoded: unknown): boolean {
  return typeof value !== typeof encoded;
}

function enter({ compiled, ancestors }: Walk, value: unknown): Walk {
  if (ancestors.includes(value)) throw new NotJsonError("refers to itself (a cycle)");
  return { compiled, ancestors: [...ancestors, value] };
}
