import type { Json } from "../manifest/json-schema.js";
import { setOwn } from "../validation/set-own.js";
import { bytes } from "./codecs/bytes.js";
import { classOf } from "./codecs/codec.js";

/** A value has no JSON form. The message completes "the result …". */
export class NotJsonError extends Error {
  override readonly name = "NotJsonError";
}

/**
 * The JSON form of a value that no schema describes. As `JSON.stringify` sees it, with more kept: a Map, a Set, bytes
 * and a bigint get the form of their codec, an Error its name and message.
 *
 * @throws {NotJsonError} for a cycle, and for a function or symbol as the whole value.
 */
export function toJson(value: unknown): Json {
  const json = convert(value, []);
  if (json === undefined && value !== undefined) throw new NotJsonError(`is a ${typeof value}`);
  return json ?? null;
}

/** Undefined: left out, as JSON.stringify does. */
function convert(value: unknown, ancestors: readonly unknown[]): Json | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return String(value);
    case "object":
      return value === null ? null : convertObject(value, ancestors);
    default:
      return undefined;
  }
}

function convertObject(value: object, ancestors: readonly unknown[]): Json | undefined {
  if (ancestors.includes(value)) throw new NotJsonError("refers to itself (a cycle)");
  const inside = [...ancestors, value];
  if (Array.isArray(value)) return Array.from(value, (element) => convert(element, inside) ?? null);
  if (value instanceof Uint8Array) return (bytes.encode(value, {}) as { value: string }).value;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return convert(toJSON.call(value), inside);
  switch (classOf(value)) {
    case "Map":
      return convertMap(value as Map<unknown, unknown>, inside);
    case "Set":
      return Array.from(value as Set<unknown>, (element) => convert(element, inside) ?? null);
    case "Error":
      return { name: (value as Error).name, message: (value as Error).message };
    case "RegExp":
      return String(value);
    case "String":
    case "Number":
    case "Boolean":
    case "BigInt":
      return convert(value.valueOf(), inside);
    default:
      return convertEntries(Object.entries(value), inside);
  }
}

function convertMap(map: Map<unknown, unknown>, ancestors: readonly unknown[]): Json {
  const entries = [...map];
  return entries.every(([key]) => typeof key === "string")
    ? convertEntries(entries as [string, unknown][], ancestors)
    : entries.map((entry) => entry.map((part) => convert(part, ancestors) ?? null));
}

function convertEntries(entries: readonly (readonly [string, unknown])[], ancestors: readonly unknown[]): Json {
  const object = {};
  for (const [key, element] of entries) {
    const json = convert(element, ancestors);
    if (json !== undefined) setOwn(object, key, json);
  }
  return object;
}
