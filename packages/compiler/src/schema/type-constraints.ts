import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Checker, Type } from "../checker/checker.js";
import { applyKeyword } from "./constraints.js";
import type { MapContext } from "./mapper.js";
import type { TypeSite } from "./type-site.js";

/** The property that the runtime's type-only aliases (`Int`, `Min<0>`, …) hang their keywords on. */
export const CONSTRAINT_KEY = "~constraint";

/** Whether a part of an intersection only says constraints. */
export function isConstraint(type: Type, checker: Checker): boolean {
  if (checker.shape(type).kind !== "object") return false;
  const properties = checker.properties(type);
  return properties.length > 0 && properties.every((property) => property.name === CONSTRAINT_KEY);
}

/** Adds the keywords of constraint parts to a schema. */
export function readConstraints(
  parts: readonly Type[],
  schema: JsonSchema,
  site: TypeSite,
  context: MapContext,
): JsonSchema {
  const { checker } = context;
  let constrained = schema;
  for (const part of parts) {
    for (const holder of checker.properties(part)) {
      for (const type of checker.unionMembers(holder.type, undefined).types) {
        for (const keyword of checker.properties(type)) {
          const shape = checker.shape(keyword.type);
          if (shape.kind !== "literal") continue;
          constrained = applyKeyword(
            constrained,
            { keyword: keyword.name, value: shape.value, tag: keyword.name },
            site,
            context,
          );
        }
      }
    }
  }
  return constrained;
}
