import type { Json } from "@callsign/runtime/manifest";
import { KEYS, NUMBERS, STRINGS, type TypeSource } from "./type-source.js";

/** A small seeded generator (mulberry32): the same seed gives the same pairs on every machine. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SCALARS: readonly Json[] = [...STRINGS, ...NUMBERS, true, false, null];
const COMPOSITES: readonly Json[] = [
  [],
  {},
  ["a"],
  [1],
  [null],
  { a: "a" },
  { a: 1 },
  { kind: "on" },
  { "1": "a" },
  { "data-x": 1 },
  [["a", 1]],
  [[1, "a"]],
  { value: "a", children: [] },
  { a: { a: [] } },
];

/** About `count` different values: some meant to fit, some a change away from that, some from anywhere. */
export function valuesFor(type: TypeSource, count: number, next: () => number): Json[] {
  const values = new Map<string, Json>();
  const add = (value: Json) => {
    if (type.unique !== true || !repeatsElements(value)) values.set(JSON.stringify(value), value);
  };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  for (const value of type.good) add(value);
  for (let tries = 0; values.size < count && tries < count * 4; tries++) {
    const roll = next();
    const base = type.good.length > 0 ? pick(type.good) : pick(COMPOSITES);
    if (roll < 0.68) add(grown(base, type.good, next));
    else if (roll < 0.93) add(changed(base, next, 0));
    else add(roll < 0.97 ? pick(SCALARS) : pick(COMPOSITES));
  }
  return [...values.values()];
}

/** A value of the same shape with parts exchanged for parts of other good values. */
function grown(value: Json, good: readonly Json[], next: () => number): Json {
  if (Array.isArray(value) && value.length > 0 && next() < 0.5) {
    const other = good[Math.floor(next() * good.length)];
    return Array.isArray(other)
      ? [...other, ...(value as Json[])].slice(0, 1 + Math.floor(next() * 4))
      : [...(value as Json[])];
  }
  if (isObject(value)) {
    const other = good[Math.floor(next() * good.length)];
    if (!isObject(other)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        next() < 0.5 && Object.hasOwn(other, key) ? (other[key] as Json) : part,
      ]),
    );
  }
  return good[Math.floor(next() * good.length)] ?? value;
}

/** One change: a leaf exchanged, a key or an element added or taken away. */
function changed(value: Json, next: () => number, depth: number): Json {
  const scalar = () => SCALARS[Math.floor(next() * SCALARS.length)] as Json;
  if (Array.isArray(value)) {
    const elements = [...(value as Json[])];
    const at = Math.floor(next() * elements.length);
    const roll = next();
    if (roll < 0.25) return [...elements, elements[at] ?? scalar()];
    if (roll < 0.35) return [...elements, scalar()];
    if (roll < 0.5) return elements.filter((_, index) => index !== at);
    if (elements.length === 0) return scalar();
    return elements.map((element, index) => (index === at ? changed(element, next, depth + 1) : element));
  }
  if (isObject(value)) {
    const entries = Object.entries(value);
    const at = Math.floor(next() * entries.length);
    const roll = next();
    if (roll < 0.2)
      return Object.fromEntries([...entries, [KEYS[Math.floor(next() * KEYS.length)] as string, scalar()]]);
    if (roll < 0.4) return Object.fromEntries(entries.filter((_, index) => index !== at));
    if (entries.length === 0) return scalar();
    return Object.fromEntries(
      entries.map(([key, part], index) => [key, index === at ? changed(part, next, depth + 1) : part]),
    );
  }
  if (next() < 0.15) return next() < 0.5 ? [value] : { a: value };
  return scalar();
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function repeatsElements(value: Json): boolean {
  if (Array.isArray(value)) {
    const elements = value as readonly Json[];
    return (
      new Set(elements.map((element) => JSON.stringify(element))).size !== elements.length ||
      elements.some(repeatsElements)
    );
  }
  return isObject(value) && Object.values(value).some(repeatsElements);
}
