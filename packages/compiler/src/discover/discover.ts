import { ts } from "@ts-morph/common";
import { readDoc } from "../checker/read-doc.js";
import * as messages from "../errors/messages.js";
import type { Project } from "../source/open-project.js";
import { CallOptions } from "./call-options.js";
import { type DiscoveredSchema, type DiscoveredTool, type DiscoveredWorkflow, TOOL_TAGS } from "./discovered.js";
import { ExportIdentity } from "./export-walk.js";
import { literalText } from "./literal-value.js";
import { RuntimeSymbols } from "./runtime-symbols.js";
import { unwrapExpression } from "./unwrap-expression.js";

/** What discovery found, and what it has to complain about. */
export interface Discovered {
  readonly tools: readonly DiscoveredTool[];
  readonly schemas: readonly DiscoveredSchema[];
  readonly workflows: readonly DiscoveredWorkflow[];
}

/** Takes a complaint about a node. */
export type ReportAt = (fault: messages.Fault, node: ts.Node, toolName?: string) => void;

/** Finds the tools, schemas and workflows of the entry files. */
export function discover(files: readonly ts.SourceFile[], project: Project, report: ReportAt): Discovered {
  const calls = callsOf(files);
  const marked = files.filter((file) => TAGS.test(file.text) || calls.test(file.text) || passesOn(file));
  const runtime = new RuntimeSymbols(project.checker);
  const tools: DiscoveredTool[] = [];
  const schemas: DiscoveredSchema[] = [];
  const seen = new Map<ts.SourceFile, Set<ts.Node>>();
  const search: Search = { project, runtime, report, seen, calls };
  for (const { symbol, file, name } of new ExportIdentity(marked, project).all()) {
    for (const declaration of symbol.declarations ?? []) {
      const at = { file, exportPath: name };
      tools.push(...toolsOf(declaration, at, search));
      schemas.push(...schemasOf(declaration, at, search));
    }
  }
  const workflows = marked.flatMap((file) => workflowsOf(file, search));
  for (const file of marked) complainOfUnexported(file, search);
  return { tools, schemas, workflows };
}

const TAGS = /@(?:tool|schema)\b/;

/** What a call of the runtime's functions looks like, under the names that the project gives them. */
function callsOf(files: readonly ts.SourceFile[]): RegExp {
  const names = new Set(["tool", "task", "workflow"]);
  for (const { text } of files) {
    for (const [, name] of text.matchAll(/\b(?:tool|task|workflow)\s+as\s+([\w$]+)/g)) names.add(name ?? "");
  }
  return new RegExp(`(?<![\\w$])(?:${[...names].map((name) => name.replaceAll("$", "\\$")).join("|")})\\s*[(<]`);
}

function passesOn(file: ts.SourceFile): boolean {
  return file.statements.some(
    (statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined,
  );
}

interface Search {
  readonly project: Project;
  readonly runtime: RuntimeSymbols;
  readonly report: ReportAt;
  /** Finds files that may call the runtime. */
  readonly calls: RegExp;
  /** Declarations that were looked at as an export. */
  readonly seen: Map<ts.SourceFile, Set<ts.Node>>;
}

function noteSeen(node: ts.Node, { seen }: Search): void {
  const file = node.getSourceFile();
  const nodes = seen.get(file) ?? new Set();
  seen.set(file, nodes.add(node));
}

interface At {
  readonly file: ts.SourceFile;
  readonly exportPath: string;
}

function toolsOf(declaration: ts.Node, at: At, search: Search): DiscoveredTool[] {
  noteSeen(declaration, search);
  if (ts.isClassDeclaration(declaration)) return membersOf(declaration.members, declaration, at, search);
  const value = initialValue(declaration);
  const wrapped = value === undefined ? undefined : wrappedTool(value, declaration, at, search);
  if (wrapped !== undefined) return [wrapped];
  if (value !== undefined && ts.isObjectLiteralExpression(value)) {
    return membersOf(value.properties, declaration, at, search);
  }
  const mark = toolMark(declaration);
  if (mark === undefined) return [];
  complainOfNested(value, search);
  const [signature] = signaturesOf(declaration, search);
  if (signature === undefined) {
    search.report(messages.notATool(at.exportPath), nameOf(declaration) ?? declaration);
    return [];
  }
  if (ts.isFunctionDeclaration(declaration) && !standsForOverloads(declaration, overloadsOf(declaration, search)))
    return [];
  return [toolFrom(declaration, { ...at, mark })];
}

function overloadsOf(declaration: ts.FunctionDeclaration, { project }: Search): readonly ts.Node[] {
  const symbol = declaration.name === undefined ? undefined : project.checker.getSymbolAtLocation(declaration.name);
  return symbol?.declarations?.filter(ts.isFunctionDeclaration) ?? [declaration];
}

/** Of several declarations of one function, one is the tool: the marked one, else the one that is described. */
function standsForOverloads(declaration: ts.Node, overloads: readonly ts.Node[]): boolean {
  const chosen =
    overloads.findLast((each) => toolMark(each) !== undefined) ??
    overloads.findLast((each) => readDoc(each).description !== "") ??
    overloads.at(-1);
  return declaration === chosen;
}

function toolFrom(declaration: ts.Node, { file, exportPath, mark }: At & { mark: Mark }): DiscoveredTool {
  const own = nameOf(declaration);
  const fallback = exportPath.split(/[.#]/).at(-1) ?? exportPath;
  const declared = own !== undefined && (ts.isIdentifier(own) || ts.isStringLiteralLike(own)) ? own.text : fallback;
  return {
    kind: "tool",
    name: mark.name ?? (exportPath === "default" ? declared : fallback),
    file,
    exportPath,
    node: declaration,
    callable: declaration,
    description: undefined,
    marks: [],
    nameNode: mark.node ?? own ?? declaration,
  };
}

type Member = ts.ClassElement | ts.ObjectLiteralElementLike;

/** Functions among the members of a class or an object. A bare mark on the whole marks each of them. */
function membersOf(
  members: ts.NodeArray<Member> | readonly Member[],
  whole: ts.Node,
  at: At,
  search: Search,
): DiscoveredTool[] {
  const mark = toolMark(whole);
  if (mark?.name !== undefined) {
    search.report(messages.notATool(at.exportPath), nameOf(whole) ?? whole);
    return [];
  }
  return members.flatMap((member): DiscoveredTool[] => {
    noteSeen(member, search);
    const name = member.name;
    const own = toolMark(member);
    const unreachable = whyUnreachable(member);
    if (own !== undefined && unreachable !== undefined) {
      search.report(messages.notPublic(name?.getText() ?? at.exportPath, unreachable), name ?? member);
      return [];
    }
    if (name === undefined || ts.isComputedPropertyName(name) || ts.isPrivateIdentifier(name)) return [];
    const instance = ts.isClassLike(member.parent) && !hasModifier(member, ts.SyntaxKind.StaticKeyword);
    const inner: At = { file: at.file, exportPath: `${at.exportPath}${instance ? "#" : "."}${name.text}` };
    const value = initialValue(member);
    const wrapped = value === undefined ? undefined : wrappedTool(value, member, inner, search);
    if (wrapped !== undefined) return [wrapped];
    const inherited = mark !== undefined && isPublicFunction(member, search) ? mark : undefined;
    const effective = own ?? inherited;
    if (effective === undefined) return [];
    complainOfNested(value, search);
    if (signaturesOf(member, search).length === 0) {
      search.report(messages.notATool(inner.exportPath), name);
      return [];
    }
    if (ts.isMethodDeclaration(member) && ts.isClassLike(member.parent)) {
      const isStatic = hasModifier(member, ts.SyntaxKind.StaticKeyword);
      const overloads = member.parent.members.filter(
        (other) =>
          ts.isMethodDeclaration(other) &&
          other.name.getText() === name.getText() &&
          hasModifier(other, ts.SyntaxKind.StaticKeyword) === isStatic,
      );
      if (!standsForOverloads(member, overloads)) return [];
    }
    return [toolFrom(member, { ...inner, mark: own ?? {} })];
  });
}

/** Why nobody outside can name a member, or undefined where they can. */
function whyUnreachable(member: Member): string | undefined {
  const { name } = member;
  if (name === undefined || ts.isComputedPropertyName(name)) return "has a computed name";
  if (ts.isPrivateIdentifier(name) || hasModifier(member, ts.SyntaxKind.PrivateKeyword)) return "is private";
  return hasModifier(member, ts.SyntaxKind.ProtectedKeyword) ? "is protected" : undefined;
}

function isPublicFunction(member: Member, search: Search): boolean {
  if (ts.isConstructorDeclaration(member)) return false;
  if (hasModifier(member, ts.SyntaxKind.PrivateKeyword) || hasModifier(member, ts.SyntaxKind.ProtectedKeyword))
    return false;
  return !ts.isAccessor(member) && signaturesOf(member, search).length > 0;
}

/** `tool(fn)`, `tool({ … }, fn)`, `task(fn)`, `task({ … }, fn)`. */
function wrappedTool(value: ts.Expression, declaration: ts.Node, at: At, search: Search): DiscoveredTool | undefined {
  const call = unwrapExpression(value);
  if (!ts.isCallExpression(call)) return undefined;
  const called = search.runtime.calledBy(call);
  if (called !== "tool" && called !== "task") return undefined;
  const first = call.arguments[0];
  const second = call.arguments[1];
  const fn = second ?? first;
  if (fn === undefined || first === undefined) return undefined;
  if (ts.isSpreadElement(first) || ts.isSpreadElement(fn)) {
    search.report(messages.toolOptions(called), first);
    return undefined;
  }
  // A task asks for approval itself, whoever calls it.
  const tags = TOOL_TAGS.filter((tag) => called === "tool" || tag !== "requiresApproval");
  const { checker } = search.project;
  const options =
    second === undefined ? undefined : new CallOptions(first, { checker, names: ["name", "description", ...tags] });
  for (const node of options?.unreadable ?? []) search.report(messages.toolOptions(called), node);
  const name = optionOf(options, "name", search);
  const description = optionOf(options, "description", search);
  const mark = toolMark(declaration);
  const base = toolFrom(declaration, { ...at, mark: mark ?? {} });
  return {
    ...base,
    name: name?.text ?? base.name,
    callable: fn,
    description: description?.text,
    marks: tags.filter((tag) => isOn(options, tag, search)),
    nameNode: name?.node ?? base.nameNode,
  };
}

/** Options that stand inside of what makes a marked tool would be dropped, an approval among them. */
function complainOfNested(value: ts.Expression | undefined, { runtime, report }: Search): void {
  const visit = (node: ts.Node): void => {
    // What a function calls when it is called is no part of the tool.
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
    const called = ts.isCallExpression(node) ? runtime.calledBy(node) : undefined;
    if (ts.isCallExpression(node) && (called === "tool" || called === "task") && node.arguments.length > 1) {
      report(messages.toolNested(called), node.arguments[0] as ts.Expression);
    }
    ts.forEachChild(node, visit);
  };
  if (value !== undefined) visit(value);
}

/** Whether an option is `true`. */
function isOn(options: CallOptions | undefined, name: string, { report }: Search): boolean {
  const option = options?.read(name);
  if (option === undefined || option.value === false) return false;
  if (option.value !== true) report(messages.toolOption(name), option.node);
  return option.value === true;
}

function optionOf(options: CallOptions | undefined, name: string, { report }: Search) {
  const option = options?.read(name);
  if (option === undefined) return undefined;
  if (typeof option.value !== "string") report(messages.toolOption(name), option.node);
  return typeof option.value === "string" ? { text: option.value, node: option.node } : undefined;
}

function schemasOf(declaration: ts.Node, at: At, search: Search): DiscoveredSchema[] {
  const tag = readDoc(declaration).tags.find((each) => each.name === "schema");
  if (tag === undefined) return [];
  noteSeen(declaration, search);
  if (!isTypeDeclaration(declaration)) {
    search.report(messages.notASchema(at.exportPath), nameOf(declaration) ?? declaration);
    return [];
  }
  if ("typeParameters" in declaration && declaration.typeParameters !== undefined) {
    search.report(messages.genericSchema(at.exportPath), declaration.name ?? declaration);
    return [];
  }
  const renamed = /^[A-Za-z_][\w-]*$/.test(tag.text) ? tag.text : undefined;
  const own = declaration.name?.text ?? at.exportPath;
  return [
    {
      kind: "schema",
      name: renamed ?? (at.exportPath === "default" ? own : at.exportPath),
      file: at.file,
      exportPath: at.exportPath,
      node: declaration,
    },
  ];
}

/** Whether a declaration is a type that can be a schema. */
export function isTypeDeclaration(node: ts.Node): node is DiscoveredSchema["node"] {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isEnumDeclaration(node)
  );
}

function workflowsOf(file: ts.SourceFile, search: Search): DiscoveredWorkflow[] {
  const { runtime } = search;
  const found: DiscoveredWorkflow[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && runtime.calledBy(node) === "workflow") {
      const [given, body] = node.arguments;
      const name = given === undefined ? undefined : workflowName(given, search);
      if (name !== undefined && body !== undefined) {
        const declaration = node.parent;
        const variable =
          ts.isVariableDeclaration(declaration) && ts.isIdentifier(declaration.name) ? declaration : undefined;
        found.push({
          kind: "workflow",
          name: name.text,
          file,
          exportPath:
            variable !== undefined && isExported(variable) ? (variable.name as ts.Identifier).text : undefined,
          node: variable ?? node,
          nameNode: name.node,
          input: workflowInput(body, search),
        });
      }
    }
    ts.forEachChild(node, visit);
  };
  if (search.calls.test(file.text)) visit(file);
  return found;
}

/** `workflow("name", …)`, `workflow({ name: "name", … }, …)`. */
function workflowName(given: ts.Expression, search: Search) {
  const { checker } = search.project;
  const text = literalText(given, checker);
  if (text !== undefined) return { text, node: given };
  const options = new CallOptions(given, { checker, names: ["name"] });
  for (const node of options.unreadable) search.report(messages.toolOptions("workflow"), node);
  if (options.unreadable.length === 0 && options.read("name") === undefined) {
    search.report(messages.toolOption("name"), given);
  }
  return optionOf(options, "name", search);
}

function workflowInput(body: ts.Expression, { project, runtime }: Search): DiscoveredWorkflow["input"] {
  const { checker } = project;
  const [signature] = checker.getSignaturesOfType(checker.getTypeAtLocation(body), ts.SignatureKind.Call);
  const parameter = signature?.parameters[0]?.valueDeclaration;
  if (parameter === undefined || !ts.isParameter(parameter)) return undefined;
  const type = checker.getTypeAtLocation(parameter);
  const symbol = type.aliasSymbol ?? type.symbol;
  if (symbol === undefined || runtime.nameOf(symbol) !== "WorkflowContext") return undefined;
  const input = type.aliasTypeArguments?.[0] ?? checker.getTypeArguments(type as ts.TypeReference)[0];
  if (input === undefined || input.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Undefined | ts.TypeFlags.Void))
    return undefined;
  const written =
    parameter.type !== undefined && ts.isTypeReferenceNode(parameter.type)
      ? parameter.type.typeArguments?.[0]
      : undefined;
  return { type: input, written };
}

/** A mark on something that nobody can import is a mistake, not a hint. */
function complainOfUnexported(file: ts.SourceFile, { seen, report }: Search): void {
  // Walked only where a mark is left over: most files have as many marks as marked exports.
  const marks = file.text.match(/@(?:tool|schema)\b/g)?.length ?? 0;
  const found = [...(seen.get(file) ?? [])].filter((node) => markOf(node) !== undefined).length;
  if (marks === found) return;
  const visit = (node: ts.Node, depth: number): void => {
    const declarations = ts.isVariableStatement(node) ? [...node.declarationList.declarations] : [node];
    for (const declaration of declarations) {
      if (seen.get(file)?.has(declaration) === true || !canBeMarked(declaration)) continue;
      const tag = markOf(declaration);
      const name = nameOf(declaration);
      if (tag !== undefined) report(messages.notExported(name?.getText() ?? "this", tag), name ?? declaration);
    }
    if (depth < 100) ts.forEachChild(node, (child) => visit(child, depth + 1));
  };
  visit(file, 0);
}

function canBeMarked(node: ts.Node): boolean {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    isTypeDeclaration(node)
  );
}

function markOf(node: ts.Node): string | undefined {
  return readDoc(node).tags.find((each) => each.name === "tool" || each.name === "schema")?.name;
}

interface Mark {
  readonly name?: string | undefined;
  readonly node?: ts.Node | undefined;
}

/** The `@tool` tag of a declaration. */
function toolMark(node: ts.Node): Mark | undefined {
  const tag = readDoc(node).tags.find((each) => each.name === "tool");
  if (tag === undefined) return undefined;
  const [word = ""] = tag.text.split(/\s/, 1);
  return word === "" ? {} : { name: word, node: tag.place as unknown as ts.Node };
}

function signaturesOf(declaration: ts.Node, { project }: Search): readonly ts.Signature[] {
  const type = project.checker.getTypeAtLocation(declaration);
  return project.checker.getSignaturesOfType(type, ts.SignatureKind.Call);
}

function initialValue(declaration: ts.Node): ts.Expression | undefined {
  if (
    ts.isVariableDeclaration(declaration) ||
    ts.isPropertyDeclaration(declaration) ||
    ts.isPropertyAssignment(declaration)
  ) {
    return declaration.initializer === undefined ? undefined : unwrapExpression(declaration.initializer);
  }
  return ts.isExportAssignment(declaration) ? unwrapExpression(declaration.expression) : undefined;
}

function nameOf(node: ts.Node): ts.Node | undefined {
  return (node as { name?: ts.Node }).name;
}

function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) === true;
}

function isExported(variable: ts.VariableDeclaration): boolean {
  return (ts.getCombinedModifierFlags(variable) & ts.ModifierFlags.Export) !== 0;
}
