import type { JsonSchema } from "../../manifest/json-schema.js";
import { jsonEquals, resolveReference, typeNames } from "./schema-fits.js";
import { type Branch, changesNothing, SAME, type Shape } from "./shapes.js";

interface Scope {
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly wireRoot: JsonSchema;
}

/**
 * Whether a wire value could be read back in two ways: it fits two branches of a union, and they turn it into
 * different neutral values. Errs on the side of yes.
 */
export function isAmbiguous(left: Branch, right: Branch, scope: Scope): boolean {
  if (areDisjoint(left.wire, right.wire, scope.wireRoot, 0)) return false;
  return !restoreAlike(left.shape, right.shape, scope);
}

function restoreAlike(left: Shape, right: Shape, scope: Scope): boolean {
  const same = (shape: Shape) => changesNothing(shape, scope.shapes, new Set());
  if (same(left) && same(right)) return true;
  if (left.kind === "reference" && right.kind === "reference") return left.name === right.name;
  if (left.kind === "array" && right.kind === "array") return restoreAlike(left.items, right.items, scope);
  if (left.kind !== "object" || right.kind !== "object") return false;
  if (!same(left.rest ?? SAME) || !same(right.rest ?? SAME)) return false;
  return [...left.fields].every(([key, field]) => {
    const other = right.fields.get(key);
    return other !== undefined && other.presence === field.presence && restoreAlike(field.shape, other.shape, scope);
  });
}

/** Whether no value fits both. Errs on the side of no. */
export function areDisjoint(left: JsonSchema, right: JsonSchema, root: JsonSchema, depth: number): boolean {
  if (depth > 8) return false;
  const next = depth + 1;
  if (left.$ref !== undefined) {
    const target = resolveReference(left.$ref, root);
    return target !== undefined && areDisjoint(target, right, root, next);
  }
  if (left.anyOf !== undefined) return left.anyOf.every((branch) => areDisjoint(branch, right, root, next));
  if (right.$ref !== undefined || right.anyOf !== undefined) return areDisjoint(right, left, root, next);
  const leftValues = listedValues(left);
  const rightValues = listedValues(right);
  if (leftValues !== undefined && rightValues !== undefined) {
    return !leftValues.some((value) => rightValues.some((other) => jsonEquals(value, other)));
  }
  const leftTypes = valueTypes(left);
  const rightTypes = valueTypes(right);
  if (leftTypes === undefined || rightTypes === undefined) return false;
  const shared = leftTypes.filter((type) => rightTypes.includes(type));
  if (shared.length === 0) return true;
  return shared.every((type) => type === "object") && objectsAreDisjoint(left, right, root, next);
}

function objectsAreDisjoint(left: JsonSchema, right: JsonSchema, root: JsonSchema, depth: number): boolean {
  const lacks = (schema: JsonSchema, key: string) =>
    schema.additionalProperties === false && !Object.hasOwn(schema.properties ?? {}, key);
  return (
    (left.required ?? []).some((key) => lacks(right, key)) ||
    (right.required ?? []).some((key) => lacks(left, key)) ||
    (left.required ?? []).some((key) => {
      const mine = left.properties?.[key];
      const other = right.properties?.[key];
      return (
        right.required?.includes(key) === true &&
        mine !== undefined &&
        other !== undefined &&
        areDisjoint(mine, other, root, depth)
      );
    })
  );
}

function listedValues(schema: JsonSchema) {
  return schema.const !== undefined ? [schema.const] : schema.enum;
}

function valueTypes(schema: JsonSchema): readonly string[] | undefined {
  const listed = listedValues(schema);
  const names =
    schema.type === undefined && listed !== undefined
      ? listed.map((value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value))
      : typeNames(schema);
  return names.length === 0 ? undefined : names.map((name) => (name === "integer" ? "number" : name));
}
