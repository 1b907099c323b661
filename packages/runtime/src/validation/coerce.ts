import { isRecord } from "../manifest/is-record.js";
import type { CompiledSchema, SchemaSite } from "./compile-schema.js";
import { elementSite, propertySites } from "./property-site.js";
import { setOwn } from "./set-own.js";

/** How many schemas are tried before the value is left as it is: nested unions would else cost exponentially. */
const MOST_STEPS = 5000;

/**
 * Reads a refused value as what it can only have meant: `"5"` where a number is due, `"[1]"` where an array is due and
 * no string is allowed, null for an optional property that takes no null, a number for a bigint. What the schema takes
 * as it is stays as it is, and so does everything with two readings.
 *
 * @returns The value to check again. The argument is not changed.
 */
export function coerce(compiled: CompiledSchema, value: unknown): unknown {
  return coerceAt({ compiled, stepsLeft: MOST_STEPS }, compiled.root, value);
}

interface Walk {
  readonly compiled: CompiledSchema;
  stepsLeft: number;
}

function coerceAt(walk: Walk, site: SchemaSite, value: unknown): unknown {
  const { compiled } = walk;
  walk.stepsLeft -= 1;
  if (walk.stepsLeft < 0 || compiled.accepts(site, value)) return value;
  const target = compiled.referenced(site);
  if (target !== undefined) return coerceAt(walk, target, value);
  if (site.schema.anyOf !== undefined) return coerceUnion(walk, site, value);
  if (typeof value === "string") {
    const parsed = readLiteral(value);
    if (parsed === undefined) return value;
    const coerced = coerceAt(walk, site, parsed);
    return compiled.accepts(site, coerced) ? coerced : value;
  }
  if (typeof value === "number" && site.schema["x-codec"] === "bigint" && Number.isSafeInteger(value)) {
    return String(value);
  }
  if (Array.isArray(value)) {
    return value.map((element, index) => {
      const item = elementSite(compiled, site, index);
      return item === undefined ? element : coerceAt(walk, item, element);
    });
  }
  return isRecord(value) ? coerceObject(walk, site, value) : value;
}

function coerceObject(walk: Walk, site: SchemaSite, object: Record<string, unknown>): Record<string, unknown> {
  const coerced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const sites = propertySites(walk.compiled, site, name);
    const declared = Object.hasOwn(site.schema.properties ?? {}, name);
    const optional = declared && !site.schema.required?.includes(name);
    if (value === null && optional && sites.some((property) => !walk.compiled.accepts(property, null))) continue;
    const [only] = sites;
    setOwn(coerced, name, sites.length === 1 && only !== undefined ? coerceAt(walk, only, value) : value);
  }
  return coerced;
}

function coerceUnion(walk: Walk, site: SchemaSite, value: unknown): unknown {
  const readings = new Map<string, unknown>();
  for (const index of (site.schema.anyOf ?? []).keys()) {
    const branch = walk.compiled.child(site, "anyOf", index);
    if (branch === undefined) continue;
    const coerced = coerceAt(walk, branch, value);
    if (walk.compiled.accepts(branch, coerced)) readings.set(JSON.stringify(coerced), coerced);
  }
  const [only] = readings.values();
  return readings.size === 1 && walk.stepsLeft >= 0 ? only : value;
}

/** The number, boolean, object or array that a string spells as JSON; a number only when nothing of it is lost. */
function readLiteral(text: string): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed === "number") {
    const exact = Number.isInteger(parsed) ? Number.isSafeInteger(parsed) : Number.isFinite(parsed);
    return exact ? parsed : undefined;
  }
  return parsed === null || typeof parsed === "string" ? undefined : parsed;
}
