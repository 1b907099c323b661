import type { ts } from "@ts-morph/common";
import type { Checker, Place } from "../checker/checker.js";
import { codeFrame } from "../errors/code-frame.js";
import type { Fault } from "../errors/messages.js";
import type { Location, Problem } from "../errors/problem.js";
import { printPath, type TypeSite } from "../schema/type-site.js";

/** Collects the problems of a compile. */
export class Reporter {
  readonly problems: Problem[] = [];
  readonly #checker: Checker;
  readonly #textOf: (file: string) => string | undefined;

  constructor(checker: Checker, textOf: (file: string) => string | undefined) {
    this.#checker = checker;
    this.#textOf = textOf;
  }

  /** A problem of a type inside a signature. */
  atSite(fault: Fault, site: TypeSite): void {
    const foreign = site.foreign === undefined ? undefined : this.#checker.foreignLocation(site.foreign);
    this.#add(fault, this.#checker.location(site.place), {
      toolName: site.owner,
      typePath: printPath(site),
      ...(foreign === undefined ? {} : { notes: [{ message: "declared here", location: foreign }] }),
    });
  }

  /** A problem of a declaration. */
  atNode(fault: Fault, node: ts.Node, owner?: string | { readonly toolName: string; readonly typePath: string }): void {
    const about = typeof owner === "string" ? { toolName: owner } : (owner ?? {});
    this.#add(fault, this.#checker.location(node as unknown as Place), about);
  }

  /** A problem of a stretch of text. */
  atRange(fault: Fault, file: ts.SourceFile, { start, length }: { start: number; length: number }): void {
    this.#add(fault, this.#checker.rangeLocation(file as unknown as Place, { start, length }), {});
  }

  add(problem: Problem): void {
    this.problems.push(problem);
  }

  #add(fault: Fault, location: Location | undefined, rest: Partial<Problem>): void {
    const text = location === undefined ? undefined : this.#textOf(location.file);
    this.problems.push({
      ...fault,
      ...(location === undefined ? {} : { location }),
      ...rest,
      ...(location === undefined || text === undefined ? {} : { frame: codeFrame(text, location) }),
    });
  }

  /** Sorted by place, doubles removed. */
  sorted(): readonly Problem[] {
    const seen = new Set<string>();
    const key = ({ location, code, typePath, message }: Problem) =>
      `${location?.file ?? ""} ${String(location?.line ?? 0).padStart(8, "0")} ${String(location?.column ?? 0).padStart(8, "0")} ${code} ${typePath ?? ""} ${message}`;
    return this.problems
      .map((problem) => ({ problem, key: key(problem) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .filter((entry) => !seen.has(entry.key) && seen.add(entry.key))
      .map((entry) => entry.problem);
  }
}
