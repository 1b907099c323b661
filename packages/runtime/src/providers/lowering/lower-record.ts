import type { Json, JsonSchema } from "../../manifest/json-schema.js";
import { asSchema, type LowerContext, type Node, place, type Site, type WireSchema } from "./context.js";
import { encodePointer } from "./schema-fits.js";
import { SAME, type Shape } from "./shapes.js";
import { isUnknown } from "./wire-forms.js";

/** An object with an index signature where every object must be closed: a list of its keys and values. */
export function lowerRecord(schema: JsonSchema, context: LowerContext, site: Site): Node {
  const { pointer, remarks } = site;
  const patterns = Object.entries(schema.patternProperties ?? {});
  if (Object.keys(schema.properties ?? {}).length > 0) {
    context.misfit(`the object at ${place(pointer)} takes properties that are not declared beside those that are`);
  } else if (patterns.length > 1 || (patterns.length === 1 && schema.additionalProperties !== false)) {
    context.misfit(`the object at ${place(pointer)} has more than one index signature`);
  }
  const [pattern, value] = patterns[0] ?? [undefined, asSchema(schema.additionalProperties)];
  if (pattern === undefined && isUnknown(value)) {
    context.note(`the object at ${place(pointer)} is sent as JSON text`);
    if (schema.propertyNames !== undefined)
      context.drop(pointer, "propertyNames", { value: schema.propertyNames, remarks });
    if (saysAnything(value)) context.drop(pointer, "additionalProperties", { value, remarks });
    remarks.push("JSON text of an object");
    return { wire: { type: "string" }, shape: { kind: "text" } };
  }
  context.note(`the record at ${place(pointer)} is sent as a list of its keys and values`);
  remarks.push("a record, written as a list of its keys and values");
  const at = pattern === undefined ? "additionalProperties" : `patternProperties/${encodePointer(pattern)}`;
  const item = context.lower(value, `${pointer}/${at}`);
  const key = context.lower(
    { ...schema.propertyNames, type: "string", ...(pattern === undefined ? {} : { pattern }) },
    pattern === undefined ? `${pointer}/propertyNames` : pointer,
  );
  const pair: WireSchema = {
    type: "object",
    properties: { key: key.wire, value: item.wire },
    required: ["key", "value"],
    additionalProperties: false,
  };
  return { wire: { type: "array", items: pair }, shape: { kind: "pairs", value: item.shape } };
}

/**
 * What an object says about properties without a name of their own, where objects may be open.
 *
 * @returns The keyword to add to the wire's object, and the shape of those properties.
 */
export function lowerFurther(
  schema: JsonSchema,
  context: LowerContext,
  { pointer, remarks }: Site,
): { readonly additionalProperties?: boolean | WireSchema; readonly shape: Shape } {
  const { additionalProperties, patternProperties, propertyNames } = schema;
  if (propertyNames !== undefined) context.drop(pointer, "propertyNames", { value: propertyNames, remarks });
  if (patternProperties !== undefined) {
    const said = Object.entries(patternProperties).map(([pattern, value]): [string, Json] => [
      pattern,
      context.lower(value, `${pointer}/patternProperties/${encodePointer(pattern)}`).wire as Json,
    ]);
    context.drop(pointer, "patternProperties", { value: patternProperties, said: Object.fromEntries(said), remarks });
  }
  if (context.dialect.records === "described") {
    if (additionalProperties === false) context.drop(pointer, "additionalProperties", { value: false, remarks });
    else if (typeof additionalProperties === "object") {
      const said = context.lower(additionalProperties, `${pointer}/additionalProperties`).wire as Json;
      context.drop(pointer, "additionalProperties", { value: additionalProperties, said, remarks });
    }
    return { shape: SAME };
  }
  const values = Object.values(patternProperties ?? {});
  const pointers = Object.keys(patternProperties ?? {}).map(
    (name) => `${pointer}/patternProperties/${encodePointer(name)}`,
  );
  const others = additionalProperties ?? true;
  if (others === false && values.length === 0) return { additionalProperties: false, shape: SAME };
  if (typeof others === "object") {
    values.push(others);
    pointers.push(`${pointer}/additionalProperties`);
  }
  if (others === true || values.some(isUnknown)) {
    // An open object takes any value already; what is written about the values is said in words.
    if (typeof others === "object" && saysAnything(others)) {
      context.drop(pointer, "additionalProperties", { value: others, remarks });
    }
    return { shape: SAME };
  }
  const item =
    values.length === 1
      ? context.lower(values[0]!, pointers[0]!)
      : context.lowerUnion(values, { pointer, at: (index) => pointers[index] ?? pointer });
  return { additionalProperties: item.wire, shape: item.shape };
}

function saysAnything(schema: JsonSchema): boolean {
  return Object.keys(schema).some((keyword) => keyword !== "x-codec");
}
