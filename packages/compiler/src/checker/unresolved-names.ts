import { ts } from "@ts-morph/common";
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
    const add = (names: readonly UnresolvedName[]) => {
      for (const name of names) found.set(`${name.module} ${name.name}`, name);
    };
    const visit = (child: ts.Node): void => {
      const name = referredName(child);
      if (name !== undefined) add(this.#ofName(name));
      ts.forEachChild(child, visit);
    };
    visit(node);
    const names = found.size === 0 ? NONE : [...found.values()];
    this.#seen.set(node, names);
    return names;
  }

  #ofName(name: ts.EntityName | ts.Expression): readonly UnresolvedName[] {
    const symbol = this.#checker.getSymbolAtLocation(name);
    const first = leftmost(name);
    if (symbol === undefined) {
      const left = this.#checker.getSymbolAtLocation(first);
      return [{ name: name.getText(), module: moduleOf(left), place: first as unknown as Place }];
    }
    const target = symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    // The checker's symbol for a type name that nobody declares is an alias without a declaration.
    const undeclared = (target.flags & ts.SymbolFlags.TypeAlias) !== 0 && target.declarations === undefined;
    if (undeclared || this.#checker.isUnknownSymbol(target)) {
      const module = moduleOf(symbol) ?? moduleOf(this.#checker.getSymbolAtLocation(first));
      return [{ name: name.getText(), module, place: first as unknown as Place }];
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
