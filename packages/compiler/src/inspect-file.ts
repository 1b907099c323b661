import { dirname, resolve } from "node:path";
import type { Json, JsonSchema } from "@callsign/runtime/manifest";
import type { TargetName } from "@callsign/runtime/providers";
import { ts } from "@ts-morph/common";
import type { Place } from "./checker/checker.js";
import type { CompileOptions } from "./compile-options.js";
import { reportSyntax, signatureContext } from "./compile-project.js";
import { isTypeDeclaration } from "./discover/discover.js";
import type { DiscoveredTool } from "./discover/discovered.js";
import { exportsOf } from "./discover/export-walk.js";
import { readSignature, type SignatureContext } from "./discover/read-signature.js";
import { readType } from "./discover/read-type.js";
import type { Problem } from "./errors/problem.js";
import { findTsconfig } from "./manifest/output-folder.js";
import { describe } from "./schema/apply-doc.js";
import { openProject, slashed } from "./source/open-project.js";

/** What `callsignc inspect` is asked. */
export interface InspectOptions extends Omit<CompileOptions, "targets" | "maxToolBytes" | "validators"> {
  /** The file, relative to `cwd`. */
  readonly file: string;
  /** Only these exports (`name`, or `Class.method`). Default: all. */
  readonly exports?: readonly string[];
}

/** What callsign would make of one export. */
export type InspectEntry =
  | {
      readonly kind: "tool" | "schema";
      readonly name: string;
      readonly description: string;
      /** The neutral schema; of a tool, that of its arguments. */
      readonly schema: JsonSchema;
      /** The neutral schema of what a tool returns, or null. */
      readonly returns: JsonSchema | null;
      readonly warnings: readonly InspectProblem[];
      /** The whole tool, or the structured-output format, as it is sent to each target; see `addWireForms`. */
      readonly wire?: Readonly<Partial<Record<TargetName, WireForm>>>;
    }
  | { readonly errors: readonly InspectProblem[]; readonly warnings: readonly InspectProblem[] };

/** A JSON object as it stands in a request. */
export type WireForm = { readonly [key: string]: Json };

/** A problem, flat. */
export interface InspectProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly typePath: string | null;
}

/** What an inspection gives: an answer for each export, or why the file could not be read. */
export interface InspectResult {
  readonly entries: Readonly<Record<string, InspectEntry>> | undefined;
  readonly problems: readonly Problem[];
}

/** Answers "what would callsign make of this?" for the exports of one file, marked or not. */
export function inspectFile(options: InspectOptions): InspectResult {
  const path = slashed(resolve(options.cwd ?? process.cwd(), options.file));
  // A file is what its own project makes of it, wherever the question is asked.
  const ownProject = options.project ?? findTsconfig({ cwd: dirname(path) });
  const { project, problems } = openProject({
    ...options,
    ...(ownProject === undefined ? {} : { project: ownProject }),
    extraFiles: [path],
  });
  const file = project?.program.getSourceFile(path);
  if (project === undefined || file === undefined) return { entries: undefined, problems };
  const answers = new Map<string, InspectEntry>();
  const wanted = options.exports === undefined || options.exports.length === 0 ? undefined : new Set(options.exports);
  for (const { name, symbol } of exportsOf(file, project.checker)) {
    for (const subject of subjectsOf(name, symbol, project.checker)) {
      if (wanted !== undefined && !wanted.has(subject.key) && !wanted.has(name)) continue;
      const context = signatureContext(project, options);
      reportSyntax(file, context.reporter);
      const answer = inspectOne(subject, file, context);
      if (!answers.has(subject.key) || subject.kind === "tool") answers.set(subject.key, answer);
    }
  }
  return { entries: Object.fromEntries(answers), problems };
}

/** Adds to each entry what the targets would get of it. The lowerings are loaded for this alone. */
export async function addWireForms(result: InspectResult, targets: readonly TargetName[]): Promise<InspectResult> {
  if (targets.length === 0 || result.entries === undefined) return result;
  const { wireOf } = await import("./check/wire-of.js");
  const entries = Object.entries(result.entries).map(([key, entry]): [string, InspectEntry] => [
    key,
    "errors" in entry ? entry : { ...entry, wire: wireOf(entry, targets) },
  ]);
  return { ...result, entries: Object.fromEntries(entries) };
}

type Subject =
  | { readonly kind: "tool"; readonly key: string; readonly node: ts.Node; readonly callable: ts.Node }
  | { readonly kind: "schema"; readonly key: string; readonly node: Parameters<typeof readType>[0]["node"] };

function subjectsOf(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): Subject[] {
  const subjects: Subject[] = [];
  const tool = (key: string, node: ts.Node) => {
    if (checker.getSignaturesOfType(checker.getTypeAtLocation(node), ts.SignatureKind.Call).length > 0) {
      subjects.push({ kind: "tool", key, node, callable: node });
    }
  };
  for (const declaration of symbol.declarations ?? []) {
    if (isTypeDeclaration(declaration)) {
      if (!subjects.some((subject) => subject.kind === "schema"))
        subjects.push({ kind: "schema", key: name, node: declaration });
      if (ts.isClassDeclaration(declaration)) {
        for (const member of declaration.members) {
          if (!isOpenMethod(member) || member.name === undefined || !isNamed(member.name)) continue;
          tool(`${name}.${member.name.text}`, member);
        }
      }
      continue;
    }
    // The implementation stands last; its signatures are those of all declarations.
    if (ts.isFunctionDeclaration(declaration) && declaration !== symbol.declarations?.at(-1)) continue;
    const value = ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
    if (value !== undefined && ts.isObjectLiteralExpression(value)) {
      for (const member of value.properties) {
        if (member.name !== undefined && isNamed(member.name)) tool(`${name}.${member.name.text}`, member);
      }
    } else if (
      ts.isVariableDeclaration(declaration) ||
      ts.isFunctionDeclaration(declaration) ||
      ts.isExportAssignment(declaration)
    ) {
      tool(name, declaration);
    }
  }
  return subjects;
}

function isNamed(name: ts.PropertyName): name is ts.Identifier | ts.StringLiteral | ts.NumericLiteral {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name);
}

function isOpenMethod(member: ts.ClassElement): boolean {
  if (!ts.isMethodDeclaration(member) && !ts.isPropertyDeclaration(member)) return false;
  const flags = ts.getCombinedModifierFlags(member);
  return (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) === 0;
}

function inspectOne(subject: Subject, file: ts.SourceFile, context: SignatureContext): InspectEntry {
  const name = subject.key.split(".").at(-1) ?? subject.key;
  const { reporter, types } = context;
  let made: { description: string; schema: JsonSchema; returns: JsonSchema | null } | undefined;
  if (subject.kind === "schema") {
    const schema = readType({ name: subject.key, node: subject.node }, context);
    const description = describe(types.doc(subject.node as unknown as Place));
    made = schema === undefined ? undefined : { description, schema, returns: null };
  } else {
    const tool: DiscoveredTool = {
      kind: "tool",
      name,
      file,
      exportPath: subject.key,
      node: subject.node,
      callable: subject.callable,
      description: undefined,
      marks: [],
      nameNode: (subject.node as { name?: ts.Node }).name ?? subject.node,
    };
    const parts = readSignature(tool, context);
    made =
      parts === undefined
        ? undefined
        : { description: parts.description ?? "", schema: parts.parameters, returns: parts.returns ?? null };
  }
  const problems = reporter.sorted();
  const warnings = problems.filter((problem) => problem.severity === "warning").map(flat);
  const errors = problems.filter((problem) => problem.severity === "error").map(flat);
  if (made === undefined || errors.length > 0) return { errors, warnings };
  return { kind: subject.kind, name, ...made, warnings };
}

function flat({ code, message, hint, location, typePath }: Problem): InspectProblem {
  return {
    code,
    message,
    hint,
    file: location?.file ?? null,
    line: location?.line ?? null,
    column: location?.column ?? null,
    typePath: typePath ?? null,
  };
}
