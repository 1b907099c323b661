import type { Checker, Type } from "../../checker/checker.js";

/**
 * Whether every JSON value of a type fits the type of an index signature. The checker's own answer is too narrow here:
 * it has an interface, or an object with an optional member, fit no dictionary, though each of its values does.
 */
export function fitsIndex(type: Type, index: Type, checker: Checker): boolean {
  return fits({ type, index }, { checker, open: new Set() });
}

interface Comparison {
  readonly checker: Checker;
  /** Objects that are being compared: one that contains itself fits when the rest of it does. */
  readonly open: Set<Type>;
}

function fits({ type, index }: { type: Type; index: Type }, comparison: Comparison): boolean {
  const { checker, open } = comparison;
  if (checker.isAssignable(type, index)) return true;
  const parts = partsOf(type, checker);
  if (parts.length !== 1 || parts[0] !== type) return parts.every((part) => fits({ type: part, index }, comparison));
  const wanted = partsOf(index, checker);
  if (wanted.length !== 1 || wanted[0] !== index) return wanted.some((part) => fits({ type, index: part }, comparison));
  const shape = checker.shape(type);
  const dictionary = checker.shape(index);
  if (shape.kind === "array" && dictionary.kind === "array") {
    return fits({ type: shape.element, index: dictionary.element }, comparison);
  }
  const values = checker.indexSignatures(index).find(({ keyKind }) => keyKind === "string");
  const plain = shape.kind === "object" && !checker.isCallable(type) && checker.libraryType(type) === undefined;
  if (!plain || values === undefined || checker.properties(index).length > 0) return false;
  if (open.has(type)) return true;
  open.add(type);
  const members = [...checker.properties(type), ...checker.indexSignatures(type)];
  return members.every((member) => fits({ type: member.type, index: values.type }, comparison));
}

function partsOf(type: Type, checker: Checker): readonly Type[] {
  return checker.unionMembers(type, undefined).types;
}
