import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Type } from "../../checker/checker.js";
import type { MapContext, TypeMapper } from "../mapper.js";
import { slotSite, valueSite } from "../type-site.js";
import { isLibraryType, libraryArguments } from "./library-class.js";

/** Map and ReadonlyMap: an object when every key is a string, else an array of `[key, value]` pairs. */
export const mapMapper: TypeMapper = {
  name: "map",
  accepts: (candidate) => isLibraryType(candidate, "Map", "ReadonlyMap"),
  toSchema: (candidate, site, context) => {
    const { checker } = context;
    const [key, value] = libraryArguments(candidate) as readonly [Type, Type];
    const keyWritten = checker.writtenPart(site.written, 0);
    const valueWritten = checker.writtenPart(site.written, 1);
    const keySchema = context.map(key, slotSite(site, { index: 0, place: keyWritten, written: keyWritten }, checker));
    const valueSchema = context.map(value, valueSite(site, valueWritten, checker));
    const names = stringKeys(keySchema, context);
    if (names !== undefined) {
      return {
        type: "object",
        ...(names === "any" ? {} : { propertyNames: names }),
        additionalProperties: valueSchema,
        "x-codec": "map",
      };
    }
    return {
      type: "array",
      items: { type: "array", prefixItems: [keySchema, valueSchema], items: false, minItems: 2, maxItems: 2 },
      "x-codec": "map",
    };
  },
};

/** What the keys must satisfy as names, "any" when any string will do, undefined when some key is no string. */
function stringKeys(key: JsonSchema, context: MapContext): JsonSchema | "any" | undefined {
  const schema = context.resolve(key);
  if (schema === undefined || schema["x-codec"] !== undefined) return undefined;
  if (typeof schema.const === "string") return schema;
  if (schema.enum !== undefined) return schema.enum.every((value) => typeof value === "string") ? schema : undefined;
  if (schema.type !== "string") return undefined;
  return Object.keys(schema).length === 1 ? "any" : schema;
}
