import type { Json } from "@callsign/runtime/manifest";
import { ts } from "@ts-morph/common";
import { literalValue } from "./literal-value.js";
import { unwrapExpression } from "./unwrap-expression.js";

/** One option as the source gives it. */
export interface CallOption {
  readonly node: ts.Node;
  /** Undefined where it is computed. */
  readonly value: Json | undefined;
}

/**
 * The options of a call of the runtime, read from the source: those written in the call, those of a constant, and those
 * that are spread. The last one of a name counts, as at run time.
 */
export class CallOptions {
  /** What may hold any option, because it cannot be read. To overlook one would be to drop an approval. */
  readonly unreadable: readonly ts.Node[];
  readonly #checker: ts.TypeChecker;
  readonly #names: ReadonlySet<string>;
  readonly #options = new Map<string, CallOption>();

  /** @param options.names Of the options that will be read. */
  constructor(
    given: ts.Expression,
    { checker, names }: { readonly checker: ts.TypeChecker; readonly names: readonly string[] },
  ) {
    this.#checker = checker;
    this.#names = new Set(names);
    this.unreadable = this.#add(given, new Set());
  }

  read(name: string): CallOption | undefined {
    return this.#options.get(name);
  }

  /** @returns What could not be read. */
  #add(given: ts.Expression, open: Set<ts.Node>): ts.Node[] {
    const object = unwrapExpression(given);
    if (!ts.isObjectLiteralExpression(object)) return this.#addNamed(object, open);
    return object.properties.flatMap((property) =>
      ts.isSpreadAssignment(property) ? this.#add(property.expression, open) : this.#addProperty(property),
    );
  }

  #addProperty(property: Exclude<ts.ObjectLiteralElementLike, ts.SpreadAssignment>): ts.Node[] {
    const name = this.#nameOf(property.name);
    // Written like this it sets the prototype, and with it whatever that holds.
    const setsPrototype = name === "__proto__" && ts.isPropertyAssignment(property);
    if (name === undefined || setsPrototype) return [property.name];
    if (isUndefined(property)) {
      this.#options.delete(name);
      return [];
    }
    const node = ts.isPropertyAssignment(property) ? property.initializer : property.name;
    this.#options.set(name, { node, value: this.#valueOf(property) });
    return [];
  }

  #nameOf(name: ts.PropertyName): string | undefined {
    if (!ts.isComputedPropertyName(name)) return name.text;
    const value = literalValue(name.expression, this.#checker);
    return typeof value === "string" ? value : undefined;
  }

  #valueOf(property: ts.ObjectLiteralElementLike): Json | undefined {
    if (ts.isPropertyAssignment(property)) return literalValue(property.initializer, this.#checker);
    if (!ts.isShorthandPropertyAssignment(property)) return undefined;
    const constant = this.#constantOf(this.#checker.getShorthandAssignmentValueSymbol(property));
    return constant === undefined ? undefined : literalValue(constant.initializer, this.#checker);
  }

  /** An object by its name: of a constant, or of a member of one that nobody can change. */
  #addNamed(expression: ts.Expression, open: Set<ts.Node>): ts.Node[] {
    const symbol = ts.isIdentifier(expression) ? this.#checker.getSymbolAtLocation(expression) : undefined;
    const constant = this.#constantOf(symbol);
    if (constant === undefined) return this.#addValue(expression);
    const object = unwrapExpression(constant.initializer);
    if (open.has(constant) || !ts.isObjectLiteralExpression(object)) return this.#check(expression);
    if (this.#changesLater(constant)) return [expression];
    open.add(constant);
    const unreadable = this.#add(object, open);
    open.delete(constant);
    return unreadable.length === 0 ? [] : [expression];
  }

  #addValue(expression: ts.Expression): ts.Node[] {
    const value = literalValue(expression, this.#checker);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.#check(expression);
    for (const [name, each] of Object.entries(value)) this.#options.set(name, { node: expression, value: each });
    return [];
  }

  /** What cannot be read does no harm where its type has none of the options. */
  #check(expression: ts.Expression): ts.Node[] {
    const type = this.#checker.getTypeAtLocation(expression);
    const parts = type.isUnion() ? type.types : [type];
    return parts.some((part) => this.#mayHoldOption(part)) ? [expression] : [];
  }

  #mayHoldOption(type: ts.Type): boolean {
    if ((type.flags & PRIMITIVE) !== 0) return false;
    if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return true;
    const properties = type.getProperties();
    return (
      properties.some(({ name }) => this.#names.has(name)) ||
      // `{}` says nothing, and neither do keys of any name.
      (properties.length === 0 && !isFresh(type)) ||
      this.#checker.getIndexInfosOfType(type).length > 0
    );
  }

  /**
   * Whether the file of a constant assigns to its members, or hands it to `Object.assign`. What is done to it elsewhere
   * is for whoever hides it so well.
   */
  #changesLater(constant: Constant): boolean {
    const symbol = this.#checker.getSymbolAtLocation(constant.name);
    const names = (node: ts.Node): boolean =>
      ts.isIdentifier(node) &&
      node.text === constant.name.getText() &&
      this.#checker.getSymbolAtLocation(node) === symbol;
    const changes = (node: ts.Node): boolean => {
      const target = changed(node);
      return (target !== undefined && names(target)) || ts.forEachChild(node, changes) === true;
    };
    return changes(constant.getSourceFile());
  }

  #constantOf(given: ts.Symbol | undefined): Constant | undefined {
    const isAlias = given !== undefined && (given.flags & ts.SymbolFlags.Alias) !== 0;
    const declaration = (isAlias ? this.#checker.getAliasedSymbol(given) : given)?.valueDeclaration;
    if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return undefined;
    const isConstant = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
    return isConstant && declaration.initializer !== undefined ? (declaration as Constant) : undefined;
  }
}

type Constant = ts.VariableDeclaration & { readonly initializer: ts.Expression };

/** Spreading one of these adds nothing. */
const PRIMITIVE =
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BigIntLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Null |
  ts.TypeFlags.Void |
  ts.TypeFlags.Never;

/** The type of `{}` as an expression, which is empty indeed. */
function isFresh(type: ts.Type): boolean {
  return (
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.ObjectLiteral) !== 0
  );
}

/** The object whose members a node assigns, deletes or merges. */
function changed(node: ts.Node): ts.Expression | undefined {
  if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) return ownerOf(node.left);
  if (ts.isDeleteExpression(node)) return ownerOf(node.expression);
  const merges =
    ts.isCallExpression(node) &&
    /^(?:Object|Reflect)\.(?:assign|defineProperty|defineProperties|set|setPrototypeOf)$/.test(
      node.expression.getText(),
    );
  return merges && node.arguments[0] !== undefined ? unwrapExpression(node.arguments[0]) : undefined;
}

function isAssignment(operator: ts.SyntaxKind): boolean {
  return operator >= ts.SyntaxKind.FirstAssignment && operator <= ts.SyntaxKind.LastAssignment;
}

function ownerOf(target: ts.Expression): ts.Expression | undefined {
  const member = unwrapExpression(target);
  return ts.isPropertyAccessExpression(member) || ts.isElementAccessExpression(member)
    ? unwrapExpression(member.expression)
    : undefined;
}

function isUndefined(property: ts.ObjectLiteralElementLike): boolean {
  if (!ts.isPropertyAssignment(property)) return false;
  const value = unwrapExpression(property.initializer);
  return ts.isIdentifier(value) && value.text === "undefined";
}
