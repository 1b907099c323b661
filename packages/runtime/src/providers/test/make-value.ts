import type { CompiledSchema, SchemaSite } from "../../validation/compile-schema.js";
import { elementSite, propertySites } from "../../validation/property-site.js";
import { setOwn } from "../../validation/set-own.js";
import { FORMAT_SAMPLES } from "./format-samples.js";
import { stringsMatching } from "./strings-matching.js";

/** Below this depth only what must be there is made, so that recursive schemas end. */
const DEEPEST_OPTIONAL = 3;

/** A schema that asks for more gets less: what is made does not fit then, which ends sooner than the memory does. */
const MOST_ELEMENTS = 100_000;
const LONGEST_TEXT = 1_000_000;

/** A value that the schema takes, always the same one. */
export function makeValue(compiled: CompiledSchema): unknown {
  return make({ compiled, heights: new Map(), elementsLeft: MOST_ELEMENTS }, compiled.root, {
    depth: 0,
    name: "text",
    variant: 0,
  });
}

interface Maker {
  readonly compiled: CompiledSchema;
  readonly heights: Map<string, number>;
  /** Of all lists together. */
  elementsLeft: number;
}

interface Wish {
  readonly depth: number;
  /** The property's name, which makes a telling string. */
  readonly name: string;
  /** Different numbers ask for different values, for lists without repeats. */
  readonly variant: number;
}

function make(maker: Maker, site: SchemaSite, wish: Wish): unknown {
  const { compiled } = maker;
  let first: { value: unknown } | undefined;
  for (const value of candidates(maker, site, wish)) {
    first ??= { value };
    if (compiled.accepts(site, value)) return value;
  }
  return first?.value ?? null;
}

function* candidates(maker: Maker, site: SchemaSite, wish: Wish): Generator<unknown> {
  const { schema } = site;
  if (schema.const !== undefined) yield schema.const;
  if (wish.variant === 0) {
    yield* schema.examples ?? [];
    if (schema.default !== undefined) yield schema.default;
  }
  if (schema.enum !== undefined) yield* rotate(schema.enum, wish.variant);
  const target = maker.compiled.referenced(site);
  if (target !== undefined) yield make(maker, target, wish);
  if (schema.anyOf !== undefined) {
    for (const branch of branchesByHeight(maker, site)) yield make(maker, branch, wish);
  }
  for (const type of typesOf(site)) yield* ofType(type, maker, site, wish);
}

function rotate<T>(list: readonly T[], by: number): T[] {
  const start = by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

/** Null last: a value tells more. */
function typesOf({ schema }: SchemaSite): string[] {
  const declared = schema.type === undefined ? [] : [schema.type].flat();
  if (declared.length > 0)
    return [...declared].sort((left, right) => Number(left === "null") - Number(right === "null"));
  if (schema.properties !== undefined || schema.additionalProperties !== undefined) return ["object"];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ["array"];
  return ["string", "number", "boolean", "object", "array", "null"];
}

function* ofType(type: string, maker: Maker, site: SchemaSite, wish: Wish): Generator<unknown> {
  switch (type) {
    case "string":
      yield* strings(site, wish);
      break;
    case "number":
    case "integer":
      yield* numbers(site, { ...wish, whole: type === "integer" });
      break;
    case "boolean":
      yield* rotate([true, false], wish.variant);
      break;
    case "object":
      yield makeObject(maker, site, wish);
      break;
    case "array":
      yield* makeArrays(maker, site, wish);
      break;
    case "null":
      yield null;
  }
}

function* strings({ schema }: SchemaSite, { name, variant }: Wish): Generator<string> {
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  const minLength = Math.min(schema.minLength ?? 0, LONGEST_TEXT);
  if (schema.format !== undefined) yield* rotate(FORMAT_SAMPLES[schema.format] ?? [], variant);
  if (schema["x-codec"] === "bytes") yield Buffer.from(`bytes ${variant}`).toString("base64");
  if (schema["x-codec"] === "bigint") yield `${42 + variant}`;
  if (schema.pattern !== undefined) {
    const fitting: string[] = [];
    for (const text of stringsMatching(schema.pattern)) {
      const length = [...text].length;
      if (length >= minLength && length <= maxLength && !fitting.includes(text)) fitting.push(text);
      if (fitting.length > variant) break;
    }
    yield* rotate(fitting, Math.min(variant, Math.max(fitting.length - 1, 0)));
  }
  const text = variant === 0 ? name : `${name} ${variant + 1}`;
  yield [...text.padEnd(minLength, "x")].slice(0, maxLength).join("");
  const short = String(variant).padStart(Math.max(minLength, 1), "a");
  yield [...short].slice(-Math.min(maxLength, short.length)).join("");
}

function* numbers({ schema }: SchemaSite, { variant, whole }: Wish & { whole: boolean }): Generator<number> {
  const step = schema.multipleOf ?? (whole ? 1 : 0);
  const low = Math.max(schema.minimum ?? Number.NEGATIVE_INFINITY, schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const high = Math.min(
    schema.maximum ?? Number.POSITIVE_INFINITY,
    schema.exclusiveMaximum ?? Number.POSITIVE_INFINITY,
  );
  const fits = (value: number): boolean => value >= low && value <= high;
  yield* [1 + variant, step * (1 + variant), 0, -1 - variant].filter(fits);
  if (step > 0) {
    const onGrid = Number.isFinite(low) ? Math.ceil(low / step) : Math.floor(high / step) - variant - 2;
    for (const offset of [variant, variant + 1]) yield (onGrid + offset) * step;
    // A bound such as 0.1 is on no exact binary grid: the last step below the upper one may be all that is left.
    if (Number.isFinite(high)) yield Math.floor(high / step) * step;
  }
  if (Number.isFinite(low) && Number.isFinite(high)) yield low + ((high - low) * (variant + 1)) / (variant + 2);
  if (Number.isFinite(low)) yield* [low, low + 1 + variant];
  if (Number.isFinite(high)) yield* [high, high - 1 - variant];
}

function makeObject(maker: Maker, site: SchemaSite, { depth, variant }: Wish): Record<string, unknown> {
  const { schema } = site;
  const made: Record<string, unknown> = {};
  const add = (name: string, shown = name): void => {
    const [property] = propertySites(maker.compiled, site, name);
    const value =
      property === undefined ? `${shown}` : make(maker, property, { depth: depth + 1, name: shown, variant });
    setOwn(made, name, value);
  };
  const required = new Set(schema.required ?? []);
  // In the order of the declaration, in which people write and read.
  for (const name of Object.keys(schema.properties ?? {})) {
    if (required.has(name) || isWelcome(maker, site, { name, depth })) add(name);
  }
  for (const name of required) if (!Object.hasOwn(made, name)) add(name);
  const least = Math.max(schema.minProperties ?? 0, Object.keys(made).length === 0 && depth < DEEPEST_OPTIONAL ? 1 : 0);
  for (const key of freeNames(maker, site)) {
    if (Object.keys(made).length >= least) break;
    if (!Object.hasOwn(made, key)) add(key);
  }
  return made;
}

/** An optional property is made where it does not lead deeper and deeper. */
function isWelcome(maker: Maker, site: SchemaSite, { name, depth }: { name: string; depth: number }): boolean {
  const [property] = propertySites(maker.compiled, site, name);
  return property !== undefined && depth < DEEPEST_OPTIONAL && height(maker, property) < Number.POSITIVE_INFINITY;
}

/** Names for properties that the schema does not name itself, as far as it allows any. */
function* freeNames(maker: Maker, site: SchemaSite): Generator<string> {
  const { schema } = site;
  for (const pattern of Object.keys(schema.patternProperties ?? {})) yield* stringsMatching(pattern).slice(0, 20);
  if (schema.additionalProperties === false || schema.additionalProperties === undefined) {
    if (schema.minProperties === undefined) return;
  }
  const names = maker.compiled.child(site, "propertyNames");
  for (let variant = 0; variant < 20; variant += 1) {
    const key =
      names === undefined
        ? `key${variant === 0 ? "" : variant + 1}`
        : make(maker, names, { depth: 9, name: "key", variant });
    if (typeof key === "string") yield key;
  }
}

function* makeArrays(maker: Maker, site: SchemaSite, { depth, name }: Wish): Generator<unknown[]> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, prefixItems = [], items } = site.schema;
  const free = items === false ? 0 : depth < DEEPEST_OPTIONAL && height(maker, site) < Number.POSITIVE_INFINITY ? 1 : 0;
  const wanted = Math.min(Math.max(minItems, prefixItems.length + (prefixItems.length === 0 ? free : 0)), maxItems);
  for (const fitting of new Set([wanted, minItems])) {
    const length = Math.min(fitting, maker.elementsLeft);
    maker.elementsLeft -= length;
    yield Array.from({ length }, (_, index) => {
      const item = elementSite(maker.compiled, site, index);
      return item === undefined
        ? index
        : make(maker, item, { depth: depth + 1, name: name.replace(/(?<=\w)s$/, ""), variant: index });
    });
  }
}

function branchesByHeight(maker: Maker, site: SchemaSite): SchemaSite[] {
  const branches = (site.schema.anyOf ?? []).map((_, index) => maker.compiled.child(site, "anyOf", index));
  const rank = (branch: SchemaSite): number => height(maker, branch) + (branch.schema.type === "null" ? 0.5 : 0);
  return branches.filter((branch) => branch !== undefined).sort((left, right) => rank(left) - rank(right) || 0);
}

/** How deep the smallest value of a schema is; Infinity while it leads only back to itself. */
function height(maker: Maker, site: SchemaSite, path: ReadonlySet<string> = new Set()): number {
  if (path.has(site.pointer)) return Number.POSITIVE_INFINITY;
  const known = maker.heights.get(site.pointer);
  if (known !== undefined) return known;
  const inside = new Set(path).add(site.pointer);
  const target = maker.compiled.referenced(site);
  const branches = site.schema.anyOf?.map((_, index) => maker.compiled.child(site, "anyOf", index));
  let result: number;
  if (target !== undefined) result = height(maker, target, inside);
  else if (branches !== undefined) {
    result = Math.min(...branches.map((branch) => (branch === undefined ? 0 : height(maker, branch, inside))));
  } else result = 1 + Math.max(0, ...neededParts(maker, site).map((part) => height(maker, part, inside)));
  // Infinity may only mean that the way back is being measured right now.
  if (result < Number.POSITIVE_INFINITY) maker.heights.set(site.pointer, result);
  return result;
}

function neededParts(maker: Maker, site: SchemaSite): SchemaSite[] {
  const { required = [], minItems = 0 } = site.schema;
  const properties = required.flatMap((name) => propertySites(maker.compiled, site, name));
  const elements = Array.from({ length: Math.min(minItems, 100) }, (_, index) =>
    elementSite(maker.compiled, site, index),
  );
  return [...properties, ...elements.filter((element) => element !== undefined)];
}
