import type { Json, JsonSchema } from "../../manifest/json-schema.js";
import type { DroppedKeyword, LoweredSchema, TargetName } from "../../model/lowered.js";
import type { Dialect } from "./dialect.js";
import { lowerSchema } from "./lower-schema.js";
import { resolveReference } from "./schema-fits.js";
import { changesNothing, encodeValue, restoreValue, SAME, type Shape } from "./shapes.js";

export type LoweredParts = LoweredSchema & {
  /** Why the schema cannot be strict in this dialect; empty when it can. */
  readonly misfits: readonly string[];
};

/** An agent lowers its tools for each question anew, always the same schema objects, which nobody changes. */
const known = new WeakMap<JsonSchema, Map<Dialect | TargetName, LoweredParts>>();

function remembered(neutral: JsonSchema, form: Dialect | TargetName, lower: () => LoweredParts): LoweredParts {
  let forms = known.get(neutral);
  if (forms === undefined) {
    forms = new Map();
    known.set(neutral, forms);
  }
  let parts = forms.get(form);
  if (parts === undefined) {
    parts = lower();
    forms.set(form, parts);
  }
  return parts;
}

/** Lowers with a dialect, strict if every object must be closed in it, and binds the way back to the result. */
export function lowerWith(neutral: JsonSchema, dialect: Dialect): LoweredParts {
  return remembered(neutral, dialect, () => bound(neutral, dialect));
}

/** For wires that take every keyword: the schema as it is, without `x-codec`, and with an object at the root. */
export function lowerPlain(neutral: JsonSchema, target: TargetName): LoweredParts {
  return remembered(neutral, target, () => plain(neutral, target));
}

function bound(neutral: JsonSchema, dialect: Dialect): LoweredParts {
  const { schema, shape, scope, ...result } = lowerSchema(neutral, dialect);
  const isSame = changesNothing(shape, scope.shapes, new Set());
  return {
    target: dialect.target,
    schema: schema as LoweredSchema["schema"],
    strict: dialect.closed === "required",
    ...result,
    restore: isSame ? identity : (value) => restoreValue(shape, value, scope),
    encode: isSame ? identity : (value) => encodeValue(shape, value, scope),
  };
}

function plain(neutral: JsonSchema, target: TargetName): LoweredParts {
  const { $defs, ...bare } = neutral;
  const root = writtenOut(bare, neutral);
  const isObject = root.type === "object" && root.anyOf === undefined;
  const schema: JsonSchema = isObject
    ? root
    : { type: "object", properties: { value: root }, required: ["value"], additionalProperties: false };
  const shape: Shape = isObject ? SAME : { kind: "wrapped", value: SAME };
  const scope = { shapes: new Map<string, Shape>(), neutralRoot: neutral, wireRoot: schema };
  return {
    target,
    schema: withoutCodecs({ ...schema, ...($defs === undefined ? {} : { $defs }) }) as LoweredSchema["schema"],
    strict: false,
    dropped: [],
    notes: isObject ? [] : ["the root is sent as the property `value` of an object"],
    misfits: [],
    restore: isObject ? identity : (value) => restoreValue(shape, value, scope),
    encode: isObject ? identity : (value) => encodeValue(shape, value, scope),
  };
}

/** Cuts a description that the wire limits, and says so. */
export function clipDescription(
  text: string | undefined,
  limit: number,
): { readonly text: string | undefined; readonly dropped: readonly DroppedKeyword[] } {
  if (text === undefined || text.length <= limit) return { text, dropped: [] };
  let end = limit - 1;
  // Never between the two halves of a character.
  if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "")) end -= 1;
  return { text: `${text.slice(0, end)}…`, dropped: [{ pointer: "", keyword: "description", value: text }] };
}

/** The root without a `$ref`, since wires want it to be an object that is written out. */
function writtenOut(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let found = schema;
  for (let steps = 0; found.$ref !== undefined && steps < 100; steps += 1) {
    const { $ref: reference, ...siblings } = found;
    const target = resolveReference(reference, root);
    if (target === undefined) return found;
    found = { ...target, ...siblings };
  }
  return found;
}

/** Only where `x-codec` is a keyword: a property of that name is the author's. */
function withoutCodecs(schema: JsonSchema | boolean): Json {
  if (typeof schema === "boolean") return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    switch (keyword) {
      case "x-codec":
        return [];
      case "$defs":
      case "properties":
      case "patternProperties":
        return [[keyword, eachEntry(value)]];
      case "anyOf":
      case "prefixItems":
        return [[keyword, value.map(withoutCodecs)]];
      case "items":
      case "additionalProperties":
      case "propertyNames":
      case "not":
        return [[keyword, withoutCodecs(value)]];
      default:
        return [[keyword, value]];
    }
  });
  return Object.fromEntries(entries);
}

function eachEntry(schemas: { [name: string]: JsonSchema }): Json {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutCodecs(schema)]));
}

function identity(value: Json): Json {
  return value;
}
