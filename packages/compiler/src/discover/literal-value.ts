import type { Json } from "@callsign/runtime/manifest";
import { ts } from "@ts-morph/common";
import { unwrapExpression } from "./unwrap-expression.js";

/** The text of a string literal, or of a constant that holds one. */
export function literalText(node: ts.Node, checker: ts.TypeChecker): string | undefined {
  const value = literalValue(node, checker);
  return typeof value === "string" ? value : undefined;
}

/** The JSON value that an expression writes out or names, or undefined where it is computed. */
export function literalValue(node: ts.Node, checker: ts.TypeChecker): Json | undefined {
  return readValue(node, { checker, open: new Set() });
}

interface Reading {
  readonly checker: ts.TypeChecker;
  /** Constants that are being read: one that leads to itself has no value. */
  readonly open: Set<ts.Node>;
}

function readValue(given: ts.Node, reading: Reading): Json | undefined {
  const node = ts.isExpression(given) ? unwrapExpression(given) : given;
  if (ts.isStringLiteralLike(node)) return node.text;
  // `1e400` is Infinity, which JSON would write as null.
  if (ts.isNumericLiteral(node)) return finite(Number(node.text));
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true;
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false;
  if (node.kind === ts.SyntaxKind.NullKeyword) return null;
  if (ts.isPrefixUnaryExpression(node)) return signed(node, reading);
  if (ts.isBinaryExpression(node)) return joined(node, reading);
  if (ts.isArrayLiteralExpression(node)) return arrayValue(node, reading);
  if (ts.isObjectLiteralExpression(node)) return objectValue(node, reading);
  if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    return namedValue(node, reading);
  }
  return undefined;
}

function finite(value: string | number | undefined): string | number | undefined {
  return typeof value === "number" && !Number.isFinite(value) ? undefined : value;
}

function signed(node: ts.PrefixUnaryExpression, reading: Reading): Json | undefined {
  const operand = readValue(node.operand, reading);
  if (typeof operand !== "number") return undefined;
  if (node.operator === ts.SyntaxKind.MinusToken) return operand === 0 ? 0 : -operand;
  return node.operator === ts.SyntaxKind.PlusToken ? operand : undefined;
}

/** A text that is written in several parts. */
function joined({ left, operatorToken, right }: ts.BinaryExpression, reading: Reading): string | undefined {
  if (operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const parts = [readValue(left, reading), readValue(right, reading)];
  return parts.every((part) => typeof part === "string") ? parts.join("") : undefined;
}

function arrayValue(node: ts.ArrayLiteralExpression, reading: Reading): Json | undefined {
  const values = node.elements.map((element) => readValue(element, reading));
  return values.every((value) => value !== undefined) ? (values as Json[]) : undefined;
}

function objectValue(node: ts.ObjectLiteralExpression, reading: Reading): Json | undefined {
  const entries: [string, Json][] = [];
  for (const property of node.properties) {
    if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) return undefined;
    const value = readValue(property.initializer, reading);
    if (value === undefined) return undefined;
    // Written like this it sets the prototype, and is no member.
    if (property.name.text === "__proto__") return undefined;
    entries.push([property.name.text, value]);
  }
  return Object.fromEntries(entries);
}

/** A constant or an enum member. A `let` may change before the call, so that it is no default to speak of. */
function namedValue(node: ts.Expression, reading: Reading): Json | undefined {
  const { checker, open } = reading;
  let symbol = checker.getSymbolAtLocation(node);
  if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const declaration = symbol?.valueDeclaration;
  if (declaration === undefined) return undefined;
  if (ts.isEnumMember(declaration)) return finite(checker.getConstantValue(declaration));
  if (ts.isPropertyAssignment(declaration)) return memberValue(declaration, reading);
  if (!ts.isVariableDeclaration(declaration) || declaration.initializer === undefined) return undefined;
  const constant = ts.isVariableDeclarationList(declaration.parent) && declaration.parent.flags & ts.NodeFlags.Const;
  if (!constant || open.has(declaration)) return undefined;
  open.add(declaration);
  const value = readValue(declaration.initializer, reading);
  open.delete(declaration);
  return typeof value !== "object" || value === null || isReadonly(declaration, value, checker) ? value : undefined;
}

/** The member of a constant object that is `as const`. */
function memberValue(member: ts.PropertyAssignment, reading: Reading): Json | undefined {
  if (!isWithinConstAssertion(member) || reading.open.has(member)) return undefined;
  reading.open.add(member);
  const value = readValue(member.initializer, reading);
  reading.open.delete(member);
  return value;
}

function isWithinConstAssertion({ parent: object }: ts.PropertyAssignment): boolean {
  // What is spread may stand in place of the member.
  if (object.properties.some(ts.isSpreadAssignment)) return false;
  let outer: ts.Node = object.parent;
  if (ts.isPropertyAssignment(outer)) return isWithinConstAssertion(outer);
  while (ts.isExpression(outer)) outer = outer.parent;
  return (
    ts.isVariableDeclaration(outer) &&
    outer.initializer !== undefined &&
    hasConstAssertion(outer.initializer) &&
    unwrapExpression(outer.initializer) === object
  );
}

/** Whether nobody can change the list or object that a constant holds: `as const`, or a read-only list of plain values. */
function isReadonly(declaration: ts.VariableDeclaration, value: Json, checker: ts.TypeChecker): boolean {
  if (hasConstAssertion(declaration.initializer)) return true;
  const type = checker.getTypeAtLocation(declaration);
  const readonlyList = checker.isTupleType(type)
    ? (type as ts.TupleTypeReference).target.readonly
    : checker.isArrayType(type) && type.symbol.name === "ReadonlyArray";
  return readonlyList && Array.isArray(value) && value.every((each) => typeof each !== "object" || each === null);
}

function hasConstAssertion(node: ts.Expression | undefined): boolean {
  if (node === undefined) return false;
  if (ts.isParenthesizedExpression(node) || ts.isSatisfiesExpression(node)) return hasConstAssertion(node.expression);
  return (
    (ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)) &&
    ts.isTypeReferenceNode(node.type) &&
    node.type.getText() === "const"
  );
}
