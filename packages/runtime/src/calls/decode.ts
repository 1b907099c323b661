import { showValue } from "../errors/show-value.js";
import { isRecord } from "../manifest/is-record.js";
import type { CompiledSchema, SchemaSite } from "../validation/compile-schema.js";
import { elementSite, propertySites } from "../validation/property-site.js";
import { setOwn } from "../validation/set-own.js";
import { codecs } from "./codecs/index.js";
import type { Refusal } from "./refusal.js";

type Path = readonly (string | number)[];

/**
 * Replaces what the schema names a codec for by the class that the function declares.
 *
 * @param value JSON that the schema accepts. Not modified; what holds no codec is returned as it is.
 * @returns The decoded value, and what could not be decoded: a date in the right format that no calendar has.
 */
export function decode(compiled: CompiledSchema, value: unknown): { value: unknown; refusals: readonly Refusal[] } {
  if (!compiled.hasCodecs) return { value, refusals: [] };
  const refusals: Refusal[] = [];
  return { value: decodeAt({ compiled, refusals }, compiled.root, { value, path: [] }), refusals };
}

interface Walk {
  readonly compiled: CompiledSchema;
  readonly refusals: Refusal[];
}

interface Place {
  readonly value: unknown;
  readonly path: Path;
}

function decodeAt(walk: Walk, site: SchemaSite, place: Place): unknown {
  const { compiled, refusals } = walk;
  const target = compiled.referenced(site);
  if (target !== undefined) return decodeAt(walk, target, place);
  if (site.schema.anyOf !== undefined) {
    const branch = chooseBranch(compiled, site, place.value);
    return branch === undefined ? place.value : decodeAt(walk, branch, place);
  }
  const inner = decodeParts(walk, site, place);
  const name = site.schema["x-codec"];
  if (name === undefined) return inner;
  const result = codecs[name].decode(inner, site.schema);
  if (result.ok) return result.value;
  refusals.push({ path: place.path, message: `${result.problem}; got ${showValue(place.value)}` });
  return place.value;
}

function decodeParts(walk: Walk, site: SchemaSite, { value, path }: Place): unknown {
  if (Array.isArray(value)) {
    return value.map((element, index) => {
      const item = elementSite(walk.compiled, site, index);
      return item === undefined ? element : decodeAt(walk, item, { value: element, path: [...path, index] });
    });
  }
  if (!isRecord(value)) return value;
  const decoded = {};
  for (const [name, element] of Object.entries(value)) {
    const [property] = propertySites(walk.compiled, site, name);
    const part = property === undefined ? element : decodeAt(walk, property, { value: element, path: [...path, name] });
    setOwn(decoded, name, part);
  }
  return decoded;
}

/** The branch of a union that takes the value. One that takes it as it is goes before one that would decode it. */
function chooseBranch(compiled: CompiledSchema, site: SchemaSite, value: unknown): SchemaSite | undefined {
  const fitting = (site.schema.anyOf ?? [])
    .map((_, index) => compiled.child(site, "anyOf", index))
    .filter((branch) => branch !== undefined && compiled.accepts(branch, value)) as SchemaSite[];
  return fitting.length < 2 ? fitting[0] : (fitting.find((branch) => isPlain(compiled, branch)) ?? fitting[0]);
}

function isPlain(compiled: CompiledSchema, start: SchemaSite): boolean {
  const seen = new Set<unknown>();
  const pending: unknown[] = [start.schema];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (isRecord(node)) {
      if (typeof node["x-codec"] === "string") return false;
      if (typeof node.$ref === "string") pending.push(compiled.referenced({ schema: node, pointer: "" })?.schema);
    }
    pending.push(...Object.values(node).filter((child) => child !== undefined));
  }
  return true;
}
