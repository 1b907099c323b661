import { ts } from "@ts-morph/common";

/**
 * The members of a union in the order in which its author wrote them, or undefined where no single declaration
 * names them all. The checker's own order follows its type numbers, which unrelated files change; only the order is
 * taken from syntax here, never the members.
 */
export function writtenOrder(
  members: readonly ts.Type[],
  written: ts.Node | undefined,
  checker: ts.TypeChecker,
): readonly ts.Type[] | undefined {
  const found = new Set<ts.Type>();
  if (written !== undefined) collect(written, { checker, found, depth: 0 });
  const enumOrder = found.size === 0 ? [] : [...found];
  const wanted = new Set(members);
  const ordered = enumOrder.filter((type) => wanted.has(type));
  if (ordered.length === members.length) return ordered;
  return byEnumDeclaration(members);
}

interface Search {
  readonly checker: ts.TypeChecker;
  readonly found: Set<ts.Type>;
  readonly depth: number;
}

function collect(node: ts.Node, search: Search): void {
  const { checker, found, depth } = search;
  if (depth > 50) return;
  if (ts.isParenthesizedTypeNode(node) || ts.isRestTypeNode(node) || ts.isOptionalTypeNode(node)) {
    collect(node.type, search);
    return;
  }
  if (ts.isUnionTypeNode(node)) {
    for (const member of node.types) collect(member, search);
    return;
  }
  if (!ts.isTypeNode(node)) return;
  const type = checker.getTypeFromTypeNode(node);
  if (!type.isUnion()) {
    found.add(type);
    return;
  }
  if (type.flags & ts.TypeFlags.Boolean) {
    for (const member of type.types) found.add(member);
    return;
  }
  if (ts.isTypeOperatorNode(node) || ts.isIndexedAccessTypeNode(node)) {
    for (const member of listedIn(node, checker)) found.add(member);
    return;
  }
  const declared = ts.isTypeReferenceNode(node) ? aliasBody(node, checker) : undefined;
  if (declared !== undefined) collect(declared, { ...search, depth: depth + 1 });
  else for (const member of byEnumDeclaration(type.types) ?? []) found.add(member);
}

/** The keys or the members of one declared type, in its order: `keyof T`, `T[keyof T]`, `(typeof LIST)[number]`. */
function listedIn(node: ts.TypeOperatorNode | ts.IndexedAccessTypeNode, checker: ts.TypeChecker): readonly ts.Type[] {
  const holder = checker.getTypeFromTypeNode(ts.isTypeOperatorNode(node) ? node.type : node.objectType);
  if (ts.isIndexedAccessTypeNode(node) && checker.isTupleType(holder)) {
    return checker.getTypeArguments(holder as ts.TypeReference);
  }
  // The members of a computed type come in an order of the checker's own.
  const declared = (holder.symbol?.flags ?? 0) & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class | LITERAL);
  const computed = ((holder as ts.ObjectType).objectFlags ?? 0) & ts.ObjectFlags.Mapped;
  if (!declared || computed) return [];
  const properties = checker.getPropertiesOfType(holder);
  if (ts.isIndexedAccessTypeNode(node)) {
    const types = properties.map((property) => checker.getTypeOfSymbol(property));
    // A union holds its literals in their regular form, a constant's property may have the fresh one.
    return types.map((type) => (type as { regularType?: ts.Type }).regularType ?? type);
  }
  const names = checker.getTypeFromTypeNode(node);
  const keys = new Map((names.isUnion() ? names.types : [names]).map((key) => [keyText(key), key]));
  return properties.flatMap((property) => keys.get(property.name) ?? []);
}

const LITERAL = ts.SymbolFlags.TypeLiteral | ts.SymbolFlags.ObjectLiteral;

function keyText(key: ts.Type): string {
  return key.isStringLiteral() || key.isNumberLiteral() ? String(key.value) : "";
}

function aliasBody(node: ts.TypeReferenceNode, checker: ts.TypeChecker): ts.TypeNode | undefined {
  return aliasDeclaration(node, checker)?.type;
}

/** The declaration of the alias, without type parameters, that a reference names. */
export function aliasDeclaration(
  node: ts.TypeReferenceNode,
  checker: ts.TypeChecker,
): ts.TypeAliasDeclaration | undefined {
  let symbol = checker.getSymbolAtLocation(node.typeName);
  if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const declaration = symbol?.declarations?.find(ts.isTypeAliasDeclaration);
  return declaration?.typeParameters === undefined ? declaration : undefined;
}

/** Members of one enum, in the order of its declaration. */
function byEnumDeclaration(members: readonly ts.Type[]): readonly ts.Type[] | undefined {
  const declarations = members.map((member) => member.symbol?.declarations?.[0]);
  const [first] = declarations;
  if (first === undefined || !ts.isEnumMember(first)) return undefined;
  if (!declarations.every((declaration) => declaration !== undefined && declaration.parent === first.parent)) {
    return undefined;
  }
  return [...members].sort((a, b) => (a.symbol.declarations?.[0]?.pos ?? 0) - (b.symbol.declarations?.[0]?.pos ?? 0));
}

/** The element, type argument or tuple slot of a written array, tuple or reference. */
export function writtenPart(
  written: ts.Node | undefined,
  { index, checker }: { readonly index: number; readonly checker: ts.TypeChecker },
): ts.Node | undefined {
  let node = written;
  for (let depth = 0; node !== undefined && depth < 50; depth++) {
    if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) node = node.type;
    else if (ts.isArrayTypeNode(node)) return index === 0 ? node.elementType : undefined;
    else if (ts.isTupleTypeNode(node)) return slotPart(node.elements[index]);
    else if (ts.isUnionTypeNode(node)) {
      const solid: readonly ts.TypeNode[] = node.types.filter((member) => !isNullish(member));
      node = solid.length === 1 ? solid[0] : undefined;
    } else if (ts.isTypeReferenceNode(node)) {
      if (node.typeArguments !== undefined) return node.typeArguments[index];
      node = aliasBody(node, checker);
    } else return undefined;
  }
  return undefined;
}

function slotPart(element: ts.TypeNode | ts.NamedTupleMember | undefined): ts.Node | undefined {
  if (element === undefined) return undefined;
  if (ts.isNamedTupleMember(element)) return element.type;
  if (ts.isRestTypeNode(element)) return ts.isArrayTypeNode(element.type) ? element.type.elementType : element.type;
  return ts.isOptionalTypeNode(element) ? element.type : element;
}

function isNullish(node: ts.TypeNode): boolean {
  return (
    node.kind === ts.SyntaxKind.UndefinedKeyword ||
    (ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword)
  );
}
