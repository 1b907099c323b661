import type { Json, JsonSchema } from "../../manifest/json-schema.js";
import { asSchema, type LowerContext, type Node, place, type Site, type WireSchema } from "./context.js";
import { type Field, SAME, type Shape } from "./shapes.js";

/** A tuple: as it is, as an object with the positions as keys, or as an array of any of its types. */
export function lowerTuple(schema: JsonSchema, context: LowerContext, site: Site): Node {
  const { pointer, remarks } = site;
  const { dialect } = context;
  const prefix = schema.prefixItems ?? [];
  const items = prefix.map((item, index) => context.lower(item, `${pointer}/prefixItems/${index}`));
  const rest = schema.items === false ? undefined : context.lower(asSchema(schema.items), `${pointer}/items`);
  if (dialect.tuples === "object") return tupleObject({ schema, prefix, items, rest }, context, site);
  const all = [...items, ...(rest === undefined ? [] : [rest])];
  const shape: Shape = all.every((item) => item.shape.kind === "same")
    ? SAME
    : { kind: "list", items: items.map((item) => item.shape), rest: rest?.shape ?? SAME };
  if (dialect.tuples === "prefix-items") {
    const wire: WireSchema = { type: "array", prefixItems: items.map((item) => item.wire) };
    // The bound says the same as `items: false`, which the wire does not list.
    const end = rest === undefined ? { maxItems: schema.maxItems ?? prefix.length } : { items: rest.wire };
    return { wire: { ...wire, ...end }, shape };
  }
  const said = items.map((item) => item.wire as Json);
  context.drop(pointer, "prefixItems", { value: prefix, said, remarks });
  if (schema.items === false) context.drop(pointer, "items", { value: false, remarks });
  else if (rest !== undefined && schema.items !== undefined && schema.items !== true) {
    context.drop(pointer, "items", { value: schema.items, said: rest.wire as Json, remarks });
  }
  const distinct = [...new Map(all.map(({ wire }) => [JSON.stringify(wire), wire])).values()];
  return { wire: { type: "array", items: distinct.length === 1 ? distinct[0]! : { anyOf: distinct } }, shape };
}

function tupleObject(
  tuple: {
    readonly schema: JsonSchema;
    readonly prefix: readonly JsonSchema[];
    readonly items: readonly Node[];
    readonly rest: Node | undefined;
  },
  context: LowerContext,
  { pointer, remarks }: Site,
): Node {
  const { schema, prefix, items, rest } = tuple;
  context.note(`the tuple at ${place(pointer)} is sent as an object with the positions as keys`);
  remarks.push("a list, written as an object with the positions as keys");
  const minimum = schema.minItems ?? 0;
  const properties: [string, WireSchema][] = [];
  const required: string[] = [];
  const fields = items.map((item, index): Field => {
    const { wire, ...field } = context.field(item, prefix[index]!, { required: index < minimum });
    properties.push([String(index), wire]);
    if (index < minimum || context.dialect.optional === "nullable") required.push(String(index));
    return field;
  });
  if (rest !== undefined) {
    properties.push(["rest", { type: "array", items: rest.wire }]);
    required.push("rest");
  }
  const wire: WireSchema = {
    type: "object",
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
  return { wire, shape: { kind: "tuple", items: fields, ...(rest === undefined ? {} : { rest: rest.shape }) } };
}
