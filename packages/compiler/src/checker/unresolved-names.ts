import { ts } from "@ts-morph/common";
import { memberPath } from "../schema/type-site.js";
import type { Place, UnresolvedName } from "./checker.js";
import type { SourcePlaces } from "./source-places.js";

const NONE: readonly UnresolvedName[] = [];

/**
 * Finds names that mean nothing in a written type and in the declarations it refers to. The checker turns such a
 * name into a kind of `any`, and some operators (`keyof`, conditional types) then make an innocent-looking type of
 * it, so that looking at the resulting type is not enough.
 */
export class UnresolvedNames {
  readonly #checker: ts.TypeChecker;
  readonly #places: SourcePlaces;
  readonly #seen = new Map<ts.Node, readonly UnresolvedName[]>();

  constructor(checker: ts.TypeChecker, places: SourcePlaces) {
    this.#checker = checker;
    this.#places = places;
  }

  in(node: ts.Node): readonly UnresolvedName[] {
    const known = this.#seen.get(node);
    if (known !== undefined) return known;
    this.#seen.set(node, NONE);
    const found = new Map<string, UnresolvedName>();
    const visit = (child: ts.Node, path: WrittenPath): void => {
      for (const name of this.#ofNode(child)) {
        const key = `${name.module} ${name.name}`;
        if (!found.has(key)) found.set(key, { ...name, path: extend(path, name.path).text });
      }
      ts.forEachChild(child, (inner) => visit(inner, stepInto(inner, path)));
    };
    visit(node, { text: "", exact: true });
    const names = found.size === 0 ? NONE : [...found.values()];
    this.#seen.set(node, names);
    return names;
  }

  #ofNode(node: ts.Node): readonly UnresolvedName[] {
    if (ts.isImportTypeNode(node)) return this.#ofImport(node);
    const name = referredName(node);
    return name === undefined ? NONE : this.#ofName(name);
  }

  #ofImport(node: ts.ImportTypeNode): readonly UnresolvedName[] {
    if (!ts.isLiteralTypeNode(node.argument) || !ts.isStringLiteral(node.argument.literal)) return NONE;
    const { literal } = node.argument;
    const symbol = this.#checker.getSymbolAtLocation(node.qualifier ?? literal);
    if (symbol !== undefined && !this.#checker.isUnknownSymbol(symbol)) return NONE;
    return [unresolved(node.qualifier?.getText() ?? node.getText(), { module: literal.text, place: node })];
  }

  #ofName(name: ts.EntityName | ts.Expression): readonly UnresolvedName[] {
    const symbol = this.#checker.getSymbolAtLocation(name);
    const first = leftmost(name);
    const target =
      symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    // The checker's symbol for a type name that nobody declares is an alias without a declaration.
    const undeclared =
      target === undefined || ((target.flags & ts.SymbolFlags.TypeAlias) !== 0 && target.declarations === undefined);
    if (undeclared || this.#checker.isUnknownSymbol(target)) {
      const module = moduleOf(symbol) ?? moduleOf(this.#checker.getSymbolAtLocation(first));
      const instead = ts.isIdentifier(name) ? this.#otherMeaning(name) : undefined;
      return [unresolved(name.getText(), { module, instead, place: first })];
    }
    const names: UnresolvedName[] = [];
    for (const declaration of target.declarations ?? []) {
      if (this.#places.isLibrary(declaration.getSourceFile())) continue;
      if (ts.isTypeAliasDeclaration(declaration)) names.push(...this.in(declaration.type));
      else if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) {
        for (const clause of declaration.heritageClauses ?? []) names.push(...this.in(clause));
      }
    }
    return names;
  }

  /** What a name that is no type means in its place. */
  #otherMeaning(name: ts.Identifier): UnresolvedName["instead"] {
    const wanted = ts.SymbolFlags.Namespace | ts.SymbolFlags.Value | ts.SymbolFlags.Alias;
    const found = this.#checker.getSymbolsInScope(name, wanted).find((symbol) => symbol.name === name.text);
    if (found === undefined) return undefined;
    const target = found.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(found) : found;
    if (this.#checker.isUnknownSymbol(target)) return undefined;
    return target.flags & ts.SymbolFlags.Module ? "namespace" : "value";
  }
}

/** The steps that lead to a place of a written type. */
interface WrittenPath {
  readonly text: string;
  /** False behind an operator or a generic of one's own, inside of which the steps are not those of the type. */
  readonly exact: boolean;
}

function extend(path: WrittenPath, step: string): WrittenPath {
  return path.exact ? { text: `${path.text}${step}`, exact: true } : path;
}

function stepInto(node: ts.Node, path: WrittenPath): WrittenPath {
  const { parent } = node;
  if (ts.isPropertySignature(node)) {
    const named = ts.isComputedPropertyName(node.name) ? undefined : node.name.text;
    return named === undefined ? { ...path, exact: false } : extend(path, memberPath("x", named).slice(1));
  }
  if (ts.isIndexSignatureDeclaration(node)) return extend(path, "{}");
  if (ts.isArrayTypeNode(parent)) return extend(path, ts.isRestTypeNode(parent.parent) ? "" : "[]");
  if (ts.isTupleTypeNode(parent)) return extend(path, `[${parent.elements.indexOf(node as ts.TypeNode)}]`);
  if (ts.isTypeReferenceNode(parent)) return intoArgument(parent, { node, path });
  const readOnly = ts.isTypeOperatorNode(parent) && parent.operator === ts.SyntaxKind.ReadonlyKeyword;
  return readOnly || TRANSPARENT.has(parent.kind) ? path : { ...path, exact: false };
}

/** Nodes whose parts are the same type, or that have no steps of their own. */
const TRANSPARENT: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.UnionType,
  ts.SyntaxKind.IntersectionType,
  ts.SyntaxKind.ParenthesizedType,
  ts.SyntaxKind.RestType,
  ts.SyntaxKind.OptionalType,
  ts.SyntaxKind.NamedTupleMember,
  ts.SyntaxKind.PropertySignature,
  ts.SyntaxKind.IndexSignature,
  ts.SyntaxKind.TypeLiteral,
]);

/** What stands between a type of the library and its argument. */
const ARGUMENT_STEPS: Readonly<Record<string, readonly string[]>> = {
  Array: ["[]"],
  ReadonlyArray: ["[]"],
  Set: ["[]"],
  ReadonlySet: ["[]"],
  Map: ["[0]", "{}"],
  ReadonlyMap: ["[0]", "{}"],
  Record: ["", "{}"],
  Partial: [""],
  Required: [""],
  Readonly: [""],
  Promise: [""],
  AsyncIterable: ["[]"],
  AsyncIterableIterator: ["[]"],
  AsyncGenerator: ["[]"],
};

function intoArgument(
  parent: ts.TypeReferenceNode,
  { node, path }: { readonly node: ts.Node; readonly path: WrittenPath },
): WrittenPath {
  const index = parent.typeArguments?.indexOf(node as ts.TypeNode) ?? -1;
  const name = parent.typeName.getText();
  const step = Object.hasOwn(ARGUMENT_STEPS, name) ? ARGUMENT_STEPS[name]?.[index] : undefined;
  return step === undefined ? { ...path, exact: false } : extend(path, step);
}

function unresolved(
  name: string,
  {
    module,
    instead,
    place,
  }: { readonly module: string | undefined; readonly instead?: UnresolvedName["instead"]; readonly place: ts.Node },
): UnresolvedName {
  return { name, module, instead, place: place as unknown as Place, path: "" };
}

/** The name that a node refers to in a type position. */
function referredName(node: ts.Node): ts.EntityName | ts.Expression | undefined {
  if (ts.isTypeReferenceNode(node)) return isConstAssertion(node) ? undefined : node.typeName;
  if (ts.isTypeQueryNode(node)) return node.exprName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return undefined;
}

function isConstAssertion(node: ts.TypeReferenceNode): boolean {
  return ts.isIdentifier(node.typeName) && node.typeName.text === "const";
}

function leftmost(name: ts.EntityName | ts.Expression): ts.Node {
  let node: ts.Node = name;
  while (ts.isQualifiedName(node) || ts.isPropertyAccessExpression(node)) {
    node = ts.isQualifiedName(node) ? node.left : node.expression;
  }
  return node;
}

/** The module specifier through which a symbol was imported. */
function moduleOf(symbol: ts.Symbol | undefined): string | undefined {
  for (let node: ts.Node | undefined = symbol?.declarations?.[0]; node !== undefined; node = node.parent) {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      return (node.moduleSpecifier as ts.StringLiteral).text;
    }
  }
  return undefined;
}
