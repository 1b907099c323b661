import { writeFileSync } from "node:fs";
import type { Json, JsonSchema } from "@callsign/runtime/manifest";
import { ts } from "@ts-morph/common";
import { compileSchema } from "../../../runtime/src/validation/compile-schema.js";
import { inspectFile } from "../../src/inspect-file.js";
import { isLibFile, LIB_FOLDER, libSourceFile, libText } from "../../src/source/lib-files.js";
import { canConstrain, PRELUDE, type TypeSource } from "./type-source.js";
import { valuesFor } from "./values.js";

/** A pair on which the checker and the schema differ. */
export interface Disagreement {
  readonly type: string;
  readonly value: string;
  readonly checker: boolean;
  readonly schema: boolean | "refused" | "not refused";
  readonly detail: string;
}

/** What a comparison of many types came to. */
export interface Comparison {
  readonly pairs: number;
  readonly accepted: number;
  /** Pairs of types nested at least four deep. */
  readonly deep: number;
  readonly maxDepth: number;
  readonly refusedTypes: number;
  readonly disagreements: readonly Disagreement[];
  /** Pairs for each type, in order. */
  readonly pairsOf: readonly number[];
}

const ROOT = "/soundness";
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

/** Holds the emitted schemas of types against the checker, value by value. */
export async function compare(
  types: readonly TypeSource[],
  { perType, next }: { perType: number; next: () => number },
): Promise<Comparison> {
  const values = types.map((type) => (type.refused ? [] : valuesFor(type, perType, next)));
  const wanted = askChecker(types, values);
  const entries = emit(types);
  const disagreements: Disagreement[] = [];
  let accepted = 0;
  let pairs = 0;
  let refusedTypes = 0;
  const pairsOf: number[] = [];
  for (const [index, type] of types.entries()) {
    const entry = entries[`T${index}`];
    const describe = (value: string, checker: boolean, schema: Disagreement["schema"], detail: string) =>
      disagreements.push({
        type: `${type.declarations.map(({ source }) => source).join("\n")}\n${type.source}`,
        value,
        checker,
        schema,
        detail,
      });
    if (type.refused) {
      // No value of it can be sent: every one of its values is a pair on which the checker says no as well.
      refusedTypes++;
      pairs += perType;
      pairsOf.push(perType);
      if (entry === undefined || !("errors" in entry)) describe("(any)", false, "not refused", JSON.stringify(entry));
      else if (entry.errors.some((error) => error.line === null || error.typePath === null || error.hint === "")) {
        describe("(any)", false, "refused", `an error has no place, path or hint: ${JSON.stringify(entry.errors)}`);
      }
      continue;
    }
    const mine = values[index] ?? [];
    pairs += mine.length;
    pairsOf.push(mine.length);
    if (entry === undefined || !("schema" in entry)) {
      describe("(any)", true, "refused", JSON.stringify(entry));
      continue;
    }
    const compiled = await compileSchema(
      isParameter(type, index) ? parameterOf(entry.schema) : entry.schema,
      type.source,
    );
    for (const [at, value] of mine.entries()) {
      const checker = wanted[index]?.[at] === true;
      const schema = compiled.accepts(compiled.root, value);
      if (checker) accepted++;
      if (checker !== schema) describe(JSON.stringify(value), checker, schema, JSON.stringify(entry.schema));
    }
  }
  const deep = types.reduce((sum, type, index) => sum + (type.depth >= 4 ? (pairsOf[index] ?? 0) : 0), 0);
  const maxDepth = Math.max(...types.map((type) => type.depth));
  disagreements.sort((a, b) => a.type.length + a.value.length - b.type.length - b.value.length);
  return { pairs, accepted, deep, maxDepth, refusedTypes, disagreements, pairsOf };
}

function emit(types: readonly TypeSource[]) {
  const text = [
    PRELUDE,
    ...new Set(types.flatMap((type) => type.declarations.map(({ source }) => source))),
    ...types.map((type, index) =>
      isParameter(type, index)
        ? `/** As a parameter. */ export function T${index}<T extends ${type.source}>(value: T, other?: string): void {}`
        : `export type T${index} = ${type.source};`,
    ),
  ].join("\n");
  if (process.env.SOUNDNESS_DUMP !== undefined) writeFileSync(process.env.SOUNDNESS_DUMP, text);
  const overlay = new Map([
    [
      `${ROOT}/tsconfig.json`,
      JSON.stringify({
        compilerOptions: { target: "es2022", lib: ["es2022", "dom"], strict: true, types: [] },
        files: ["types.ts"],
      }),
    ],
    [`${ROOT}/types.ts`, text],
  ]);
  const { entries, problems } = inspectFile({
    cwd: ROOT,
    project: `${ROOT}/tsconfig.json`,
    file: `${ROOT}/types.ts`,
    overlay,
  });
  if (entries === undefined)
    throw new Error(`the generated file could not be read: ${JSON.stringify(problems)}\n${text}`);
  return entries;
}

/** Every ninth type is asked for as the constraint of a parameter's free type. */
function isParameter(type: TypeSource, index: number): boolean {
  return index % 9 === 8 && canConstrain(type);
}

function parameterOf({ properties, $defs }: JsonSchema): JsonSchema {
  return { ...properties?.value, ...($defs === undefined ? {} : { $defs }) };
}

/** Asks the checker alone, about the type after the named rewrites. */
function askChecker(types: readonly TypeSource[], values: readonly (readonly Json[])[]): boolean[][] {
  const lines: string[] = [
    ...PRELUDE.split("\n"),
    ...new Set(types.flatMap((type) => type.declarations.map(({ oracle }) => oracle))),
  ].flatMap((part) => part.split("\n"));
  const statements: { readonly line: number; readonly type: number; readonly value: number }[] = [];
  for (const [type, of] of types.entries()) {
    if (of.refused) continue;
    const branches = of.oracleBranches ?? [of.oracle];
    for (const [at, branch] of branches.entries()) lines.push(`type T${type}_${at} = ${branch.replace(/\n/g, " ")};`);
    for (const [value, json] of (values[type] ?? []).entries()) {
      for (const at of branches.keys()) {
        statements.push({ line: lines.length, type, value });
        lines.push(`const v${type}_${value}_${at}: T${type}_${at} = ${literalOf(json)};`);
      }
    }
  }
  const path = `${ROOT}/oracle.ts`;
  const file = ts.createSourceFile(path, lines.join("\n"), { languageVersion: ts.ScriptTarget.ES2022 }, false);
  const program = ts.createProgram({
    rootNames: [path],
    options: OPTIONS,
    host: {
      getSourceFile: (name, options) =>
        name === path
          ? file
          : libSourceFile(name, typeof options === "object" ? options : { languageVersion: options }),
      fileExists: (name) => name === path || isLibFile(name),
      readFile: (name) => libText(name),
      getDefaultLibFileName: (using) => `${LIB_FOLDER}/${ts.getDefaultLibFileName(using)}`,
      getDefaultLibLocation: () => LIB_FOLDER,
      getCurrentDirectory: () => ROOT,
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => "\n",
      writeFile: () => {},
    },
  });
  const wrong = new Set<number>();
  const firstStatement = statements[0]?.line ?? 0;
  for (const { start = 0, messageText } of program.getSemanticDiagnostics(file)) {
    const { line } = ts.getLineAndCharacterOfPosition(file, start);
    wrong.add(line);
    if (
      line < firstStatement &&
      !PRELUDE_FAULTS.test(String(typeof messageText === "string" ? messageText : messageText.messageText))
    ) {
      throw new Error(`the oracle itself does not compile: ${JSON.stringify(messageText)} in ${lines[line]}`);
    }
  }
  const answers: boolean[][] = types.map((_, index) => (values[index] ?? []).map(() => false));
  for (const { line, type, value } of statements) {
    const row = answers[type];
    if (row !== undefined && !wrong.has(line)) row[value] = true;
  }
  return answers;
}

const PRELUDE_FAULTS = /declared but|never used|has no initializer/;

/**
 * A fresh literal. A quoted `__proto__` would set the prototype, so that it is written as a computed key; and under the
 * key `constructor` the checker looks at Object's own member for the wanted type, so that what stands there says that it is literal.
 */
function literalOf(value: Json, exact = false): string {
  if (Array.isArray(value))
    return `[${(value as readonly Json[]).map((element) => literalOf(element, exact)).join(", ")}]`;
  if (typeof value !== "object" || value === null)
    return `${JSON.stringify(value)}${exact && value !== null ? " as const" : ""}`;
  const members = Object.entries(value).map(([key, part]) => {
    const literal = literalOf(part as Json, exact || key === "constructor");
    return `${key === "__proto__" ? '["__proto__"]' : JSON.stringify(key)}: ${literal}`;
  });
  return `{ ${members.join(", ")} }`;
}
