import type { Json, JsonSchema } from "../../manifest/json-schema.js";
import { isArray, isObject, schemaFits } from "./schema-fits.js";

/** How the wire's form of a value differs from the neutral one. Data, so that two shapes can be compared. */
export type Shape =
  | { readonly kind: "same" }
  /** `rest` is the shape of the properties that are not named. */
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, Field>; readonly rest?: Shape }
  | { readonly kind: "array"; readonly items: Shape }
  /** `[a, b, ...rest]` as `{"0": a, "1": b, "rest": […]}`. */
  | { readonly kind: "tuple"; readonly items: readonly Field[]; readonly rest?: Shape }
  /** A tuple that stays an array. */
  | { readonly kind: "list"; readonly items: readonly Shape[]; readonly rest: Shape }
  /** `{[key]: value}` as `[{"key": …, "value": …}]`. */
  | { readonly kind: "pairs"; readonly value: Shape }
  /** Any value as JSON text. */
  | { readonly kind: "text" }
  /** `value` as `{"value": value}`: wires want an object at the root. */
  | { readonly kind: "wrapped"; readonly value: Shape }
  | { readonly kind: "union"; readonly branches: readonly Branch[] }
  | { readonly kind: "reference"; readonly name: string };

export interface Field {
  readonly shape: Shape;
  /**
   * - `plain` present or absent as in the neutral form
   * - `null-is-absent` an optional one that is required on the wire, whose null means absent
   * - `absent-as-null` optional and nullable: null stays null, since nobody can say which one the model meant
   */
  readonly presence: "plain" | "null-is-absent" | "absent-as-null";
}

export interface Branch {
  readonly shape: Shape;
  readonly neutral: JsonSchema;
  readonly wire: JsonSchema;
}

/** What the references in shapes and in branch schemas point to. */
export interface ShapeScope {
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly neutralRoot: JsonSchema;
  readonly wireRoot: JsonSchema;
}

export const SAME: Shape = { kind: "same" };

/** Wire value → neutral value. What does not have the wire's shape is left as it is. */
export function restoreValue(shape: Shape, value: Json, scope: ShapeScope): Json {
  switch (shape.kind) {
    case "same":
      return value;
    case "object":
      return isObject(value) ? restoreObject(shape, value, scope) : value;
    case "array":
      return isArray(value) ? value.map((item) => restoreValue(shape.items, item, scope)) : value;
    case "list":
      return isArray(value)
        ? value.map((item, index) => restoreValue(shape.items[index] ?? shape.rest, item, scope))
        : value;
    case "tuple":
      return isObject(value) ? restoreTuple(shape, value, scope) : value;
    case "pairs":
      return isArray(value) ? restorePairs(shape.value, value, scope) : value;
    case "text":
      return typeof value === "string" ? parseText(value) : value;
    case "wrapped":
      return isObject(value) && Object.hasOwn(value, "value") && Object.keys(value).length === 1
        ? restoreValue(shape.value, value.value!, scope)
        : value;
    case "union": {
      const branch = shape.branches.find(({ wire }) => schemaFits(wire, value, scope.wireRoot));
      return branch === undefined ? value : restoreValue(branch.shape, value, scope);
    }
    case "reference":
      return restoreValue(scope.shapes.get(shape.name) ?? SAME, value, scope);
  }
}

/** Neutral value → wire value, for values that the neutral schema accepts. */
export function encodeValue(shape: Shape, value: Json, scope: ShapeScope): Json {
  switch (shape.kind) {
    case "same":
      return value;
    case "object":
      return isObject(value) ? encodeObject(shape, value, scope) : value;
    case "array":
      return isArray(value) ? value.map((item) => encodeValue(shape.items, item, scope)) : value;
    case "list":
      return isArray(value)
        ? value.map((item, index) => encodeValue(shape.items[index] ?? shape.rest, item, scope))
        : value;
    case "tuple":
      return isArray(value) ? encodeTuple(shape, value, scope) : value;
    case "pairs":
      return isObject(value)
        ? Object.entries(value).map(([key, item]) => ({ key, value: encodeValue(shape.value, item, scope) }))
        : value;
    case "text":
      return JSON.stringify(value);
    case "wrapped":
      return { value: encodeValue(shape.value, value, scope) };
    case "union": {
      const branch = shape.branches.find(({ neutral }) => schemaFits(neutral, value, scope.neutralRoot));
      return branch === undefined ? value : encodeValue(branch.shape, value, scope);
    }
    case "reference":
      return encodeValue(scope.shapes.get(shape.name) ?? SAME, value, scope);
  }
}

/** Whether a shape changes nothing, through references too. */
export function changesNothing(shape: Shape, shapes: ReadonlyMap<string, Shape>, seen: ReadonlySet<string>): boolean {
  switch (shape.kind) {
    case "same":
      return true;
    case "object":
      return (
        changesNothing(shape.rest ?? SAME, shapes, seen) &&
        [...shape.fields.values()].every(
          (field) => field.presence === "plain" && changesNothing(field.shape, shapes, seen),
        )
      );
    case "array":
      return changesNothing(shape.items, shapes, seen);
    case "list":
      return [...shape.items, shape.rest].every((item) => changesNothing(item, shapes, seen));
    case "union":
      return shape.branches.every((branch) => changesNothing(branch.shape, shapes, seen));
    case "reference":
      return (
        seen.has(shape.name) || changesNothing(shapes.get(shape.name) ?? SAME, shapes, new Set([...seen, shape.name]))
      );
    default:
      return false;
  }
}

/** Sets an own property also where the name is `__proto__`, which an assignment would take for the prototype. */
export function setOwn(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

type ObjectShape = Extract<Shape, { kind: "object" }>;

function restoreObject(shape: ObjectShape, value: { readonly [key: string]: Json }, scope: ShapeScope): Json {
  const restored: { [key: string]: Json } = {};
  for (const [key, item] of Object.entries(value)) {
    const field = shape.fields.get(key);
    if (field === undefined) setOwn(restored, key, restoreValue(shape.rest ?? SAME, item, scope));
    else if (item === null && field.presence === "absent-as-null") setOwn(restored, key, null);
    else if (item !== null || field.presence !== "null-is-absent") {
      setOwn(restored, key, restoreValue(field.shape, item, scope));
    }
  }
  return restored;
}

function encodeObject(shape: ObjectShape, value: { readonly [key: string]: Json }, scope: ShapeScope): Json {
  const encoded: { [key: string]: Json } = {};
  for (const [key, field] of shape.fields) {
    if (!Object.hasOwn(value, key)) {
      if (field.presence !== "plain") setOwn(encoded, key, null);
    } else if (value[key] === null && field.presence === "absent-as-null") setOwn(encoded, key, null);
    else setOwn(encoded, key, encodeValue(field.shape, value[key]!, scope));
  }
  for (const [key, item] of Object.entries(value)) {
    if (!shape.fields.has(key)) setOwn(encoded, key, encodeValue(shape.rest ?? SAME, item, scope));
  }
  return encoded;
}

type TupleShape = Extract<Shape, { kind: "tuple" }>;

function restoreTuple(shape: TupleShape, value: { readonly [key: string]: Json }, scope: ShapeScope): Json {
  const known = Object.keys(value).every((key) => key === "rest" || /^\d+$/.test(key));
  const rest = value.rest ?? [];
  if (!known || !isArray(rest)) return value;
  const items: Json[] = [];
  let ended = false;
  for (const [index, field] of shape.items.entries()) {
    const item = Object.hasOwn(value, String(index)) ? value[String(index)] : undefined;
    if (item === undefined || (item === null && field.presence === "null-is-absent")) {
      ended = true;
      continue;
    }
    // An element after a missing one has no place in an array: the validation has to say so.
    if (ended) return value;
    items.push(item === null && field.presence === "absent-as-null" ? null : restoreValue(field.shape, item, scope));
  }
  if (ended && rest.length > 0) return value;
  const restShape = shape.rest;
  return restShape === undefined ? items : [...items, ...rest.map((item) => restoreValue(restShape, item, scope))];
}

function encodeTuple(shape: TupleShape, value: readonly Json[], scope: ShapeScope): Json {
  const encoded: { [key: string]: Json } = {};
  for (const [index, field] of shape.items.entries()) {
    if (index < value.length) {
      const item = value[index]!;
      encoded[index] =
        item === null && field.presence === "absent-as-null" ? null : encodeValue(field.shape, item, scope);
    } else if (field.presence !== "plain") encoded[index] = null;
  }
  const restShape = shape.rest;
  if (restShape !== undefined) {
    encoded.rest = value.slice(shape.items.length).map((item) => encodeValue(restShape, item, scope));
  }
  return encoded;
}

function restorePairs(shape: Shape, value: readonly Json[], scope: ShapeScope): Json {
  const restored: { [key: string]: Json } = {};
  for (const pair of value) {
    if (!isObject(pair) || typeof pair.key !== "string" || !Object.hasOwn(pair, "value")) return value;
    // Refused here: code that copies the object later would set its prototype.
    if (pair.key === "__proto__") return value;
    restored[pair.key] = restoreValue(shape, pair.value!, scope);
  }
  return restored;
}

function parseText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
