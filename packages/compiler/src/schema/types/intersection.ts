import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Type } from "../../checker/checker.js";
import * as messages from "../../errors/messages.js";
import { type MapContext, shapeMapper } from "../mapper.js";
import { isConstraint, readConstraints } from "../type-constraints.js";
import { objectSchema } from "./object.js";

/**
 * Intersections. Objects are merged into one: `allOf` of two closed objects takes nothing. A primitive with object
 * parts is a brand, which exists only for the checker, or carries constraints (`number & Min<0>`).
 */
export const intersectionMapper = shapeMapper("intersection", {
  name: "intersection",
  toSchema: ({ type, shape, checker }, site, context): JsonSchema => {
    const constraints = shape.members.filter((member) => isConstraint(member, checker));
    const members = shape.members.filter((member) => !constraints.includes(member) && !isBrand(member, context));
    const plain = members.filter((member) => !isObject(member, context));
    const apply = (schema: JsonSchema) => readConstraints(constraints, schema, site, context);
    const [core] = plain;
    const special = members.filter((member) => !isPlainObject(member, context));
    const callable = members.some((member) => checker.isCallable(member));
    if (plain.length === 1 && core !== undefined && !callable && special.every((member) => member === core)) {
      return apply(context.map(core, site));
    }
    if (plain.length > 0) return context.fail(messages.unmappedIntersection(checker.print(type)), site);
    const [only] = members;
    if (members.length === 1 && only !== undefined) return apply(context.map(only, site));
    if (special.length > 0) return context.fail(messages.unmappedIntersection(checker.print(type)), site);
    return apply(objectSchema(members, site, context, type));
  },
});

function isObject(type: Type, { checker }: MapContext): boolean {
  const { kind } = checker.shape(type);
  return kind === "object" || kind === "any-object";
}

/** An object that is not one of the library's classes. */
function isPlainObject(type: Type, { checker }: MapContext): boolean {
  return checker.libraryType(type) === undefined || !checker.properties(type).some((property) => property.method);
}

/** A part that has nothing but symbol keys, or nothing at all. */
function isBrand(type: Type, { checker }: MapContext): boolean {
  if (checker.shape(type).kind !== "object" || checker.isCallable(type)) return false;
  if (checker.indexSignatures(type).length > 0) return false;
  return checker.properties(type).every((property) => property.symbolKey);
}
