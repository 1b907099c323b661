import type { Type } from "../../checker/checker.js";
import * as messages from "../../errors/messages.js";
import type { Candidate, TypeMapper } from "../mapper.js";

/** Whether the type is the library's own of one of these names. */
export function isLibraryType({ type, shape, checker }: Candidate, ...names: readonly string[]): boolean {
  return shape.kind === "object" && names.includes(checker.libraryType(type)?.name ?? "");
}

/** The type arguments of a library type. */
export function libraryArguments({ type, checker }: Candidate): readonly Type[] {
  return checker.libraryType(type)?.typeArguments ?? [];
}

const INSTEAD: Record<string, string> = {
  RegExp: "take the pattern as a string",
  Promise: "take the value that it resolves to",
  String: "use string",
  Number: "use number",
  Boolean: "use boolean",
  BigInt: "use bigint",
  Symbol: "use a string",
  Object: "name its members, or use Record<string, unknown>",
  Error: "take the message as a string",
  ArrayBuffer: "use Uint8Array",
  Buffer: "use Uint8Array",
  Blob: "use Uint8Array",
  File: "use Uint8Array and a name",
  AbortSignal: "take it as a parameter of the function itself; the runtime fills it in",
  WeakMap: "use Map or Record<string, …>",
  WeakSet: "use Set or an array",
};

/** A class of the library or the platform that has no JSON form: anything of theirs that can do something. */
export const libraryClassMapper: TypeMapper = {
  name: "library-class",
  accepts: ({ type, shape, checker }) =>
    shape.kind === "object" &&
    checker.libraryType(type) !== undefined &&
    (checker.libraryType(type)?.hasValue === true ||
      checker.isCallable(type) ||
      checker.properties(type).some((property) => property.method)),
  toSchema: ({ type, checker }, site, context) => {
    const name = checker.libraryType(type)?.name ?? "";
    if (name === "Function") return context.fail(messages.functionMember(checker.print(type)), site);
    return context.fail(messages.noJsonForm(checker.print(type), INSTEAD[name] ?? "use plain data in its place"), site);
  },
};
