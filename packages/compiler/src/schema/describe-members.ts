import type { Checker, Type } from "../checker/checker.js";
import { describe } from "./apply-doc.js";

/** The JSDoc of the members of an enum, a line for each member that has one: `- "low": Can wait.` */
export function describeMembers(members: readonly Type[], checker: Checker): string {
  return members.flatMap((member) => describeMember(member, checker)).join("\n");
}

function describeMember(member: Type, checker: Checker): string[] {
  const shape = checker.shape(member);
  const place = shape.kind === "literal" ? checker.declaration(member)?.place : undefined;
  const text = place === undefined ? "" : describe(checker.doc(place));
  return shape.kind !== "literal" || text === ""
    ? []
    : [`- ${JSON.stringify(shape.value)}: ${text.replaceAll(/\s*\n\s*/g, " ")}`];
}
