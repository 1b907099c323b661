import { ts } from "@ts-morph/common";
import type {
  Checker,
  Declaration,
  Doc,
  IndexSignature,
  LibraryType,
  Place,
  Property,
  Shape,
  StringMapping,
  TupleSlot,
  Type,
  UnionMembers,
  UnresolvedName,
} from "./checker.js";
import { readDoc } from "./read-doc.js";
import { SourcePlaces } from "./source-places.js";
import { UnresolvedNames } from "./unresolved-names.js";
import { aliasDeclaration, writtenOrder, writtenPart } from "./written-order.js";

/** The host of the checker interface on the compiler that ts-morph bundles. */
export class TsMorphChecker implements Checker {
  readonly places: SourcePlaces;
  readonly #checker: ts.TypeChecker;
  readonly #shapes = new Map<ts.Type, Shape>();
  readonly #properties = new Map<ts.Type, readonly Property[]>();
  readonly #libraryTypes = new Map<ts.Type, LibraryType | null>();
  readonly #unresolved: UnresolvedNames;

  constructor(program: ts.Program, root: string) {
    this.#checker = program.getTypeChecker();
    this.places = new SourcePlaces(program, root);
    this.#unresolved = new UnresolvedNames(this.#checker, this.places);
  }

  shape(handle: Type): Shape {
    const type = unwrap(handle);
    let shape = this.#shapes.get(type);
    if (shape === undefined) {
      shape = this.#shapeOf(type);
      this.#shapes.set(type, shape);
    }
    return shape;
  }

  unionMembers(handle: Type, written: Place | undefined): UnionMembers {
    const type = unwrap(handle);
    const all = type.isUnion() ? type.types : [type];
    const types = all.filter(
      (member) => (member.flags & UNDEFINED) === 0 && !(member !== type && this.#isImpossible(member)),
    );
    const order =
      types.length < 2
        ? types
        : (writtenOrder(types, written as ts.Node | undefined, this.#checker) ??
          writtenOrder(types, aliasBodyOf(type), this.#checker));
    return {
      types: (order ?? types) as unknown as readonly Type[],
      ordered: order !== undefined,
      hasUndefined: all.some((member) => (member.flags & UNDEFINED) !== 0),
    };
  }

  properties(handle: Type): readonly Property[] {
    const type = unwrap(handle);
    let properties = this.#properties.get(type);
    if (properties === undefined) {
      properties = this.#inDeclarationOrder(type, this.#checker.getPropertiesOfType(type)).map((symbol) =>
        this.#property(symbol),
      );
      this.#properties.set(type, properties);
    }
    return properties;
  }

  indexSignatures(handle: Type): readonly IndexSignature[] {
    return this.#checker.getIndexInfosOfType(unwrap(handle)).map((info) => ({
      key: wrap(info.keyType),
      keyKind: keyKindOf(info.keyType),
      type: wrap(info.type),
      written: info.declaration?.type as Place | undefined,
    }));
  }

  isCallable(handle: Type): boolean {
    const type = unwrap(handle);
    return (
      this.#checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0 ||
      this.#checker.getSignaturesOfType(type, ts.SignatureKind.Construct).length > 0
    );
  }

  constraint(handle: Type): Type | undefined {
    const type = unwrap(handle);
    // As declared where it can be: the base constraint of a string mapping or template inside it is plain `string`.
    const declared =
      type.flags & ts.TypeFlags.TypeParameter
        ? type.symbol?.declarations?.find(ts.isTypeParameterDeclaration)
        : undefined;
    if (declared?.constraint !== undefined) return wrap(this.#checker.getTypeFromTypeNode(declared.constraint));
    const constraint = this.#checker.getBaseConstraintOfType(type);
    return constraint === undefined || constraint === type ? undefined : wrap(constraint);
  }

  isAssignable(source: Type, target: Type): boolean {
    return this.#checker.isTypeAssignableTo(unwrap(source), unwrap(target));
  }

  declaration(handle: Type, written?: Place): Declaration | undefined {
    const type = unwrap(handle);
    const symbol = this.#namedSymbol(type, written as ts.Node | undefined);
    if (symbol === undefined) return undefined;
    const place = symbol.declarations?.[0];
    const file = place?.getSourceFile();
    const own = type.isUnion() ? place : (type.symbol?.declarations?.[0] ?? place);
    const structural = type.symbol ?? symbol;
    const typeArguments = this.#typeArgumentsOf(type);
    return {
      name: symbol.name,
      typeArguments: typeArguments as unknown as readonly Type[],
      typeArgumentNames: typeArguments.map(shortName).filter((name) => name !== ""),
      identity: own ?? symbol,
      class:
        (structural.flags & ts.SymbolFlags.Class) !== 0 && type.isClassOrInterface() ? true : isClassInstance(type),
      package: file === undefined ? undefined : this.places.packageOf(file),
      fileStem: file === undefined ? "" : stemOf(file.fileName),
      place: place as Place | undefined,
    };
  }

  libraryType(handle: Type): LibraryType | undefined {
    const type = unwrap(handle);
    let known = this.#libraryTypes.get(type);
    if (known === undefined) {
      const symbol = (type as ts.TypeReference).target?.symbol ?? type.symbol;
      const declared = symbol !== undefined && symbol.flags & DECLARED && this.#isLibrary(symbol);
      known = declared
        ? {
            name: symbol.name,
            hasValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
            typeArguments: this.#ownArguments(type) as unknown as readonly Type[],
          }
        : null;
      this.#libraryTypes.set(type, known);
    }
    return known ?? undefined;
  }

  writtenPart(written: Place | undefined, index: number): Place | undefined {
    return writtenPart(written as ts.Node | undefined, { index, checker: this.#checker }) as Place | undefined;
  }

  writtenAlias(written: Place | undefined): { readonly place: Place; readonly body: Place } | undefined {
    const node = written as ts.Node | undefined;
    if (node === undefined || !ts.isTypeReferenceNode(node)) return undefined;
    const declaration = aliasDeclaration(node, this.#checker);
    if (declaration === undefined || this.places.isLibrary(declaration.getSourceFile())) return undefined;
    return { place: declaration as unknown as Place, body: declaration.type as unknown as Place };
  }

  sortKey(handle: Type, precision: "brief" | "full"): string {
    const type = unwrap(handle);
    const shape = this.shape(handle);
    if (shape.kind === "literal") {
      // Numbers in their own order: shifted and padded, so that code points compare them.
      const value = typeof shape.value === "number" ? numberKey(shape.value) : String(shape.value);
      return `1 ${typeof shape.value} ${value}`;
    }
    if (shape.kind === "bigint-literal") return `1 bigint ${shape.digits}`;
    const declared = (type.aliasSymbol ?? type.symbol)?.declarations?.[0];
    if (shape.kind !== "object" || declared === undefined) return `2 ${this.#printKey(type, precision)}`;
    const file = declared.getSourceFile();
    return `3 ${this.places.relative(file)} ${String(declared.pos).padStart(9, "0")} ${this.#printKey(type, precision)}`;
  }

  #printKey(type: ts.Type, precision: "brief" | "full"): string {
    const whole = precision === "full" ? ts.TypeFormatFlags.NoTruncation : ts.TypeFormatFlags.None;
    const flags = whole | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;
    return this.#checker.typeToString(type, undefined, flags);
  }

  print(handle: Type): string {
    return this.#checker.typeToString(unwrap(handle), undefined, ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope);
  }

  doc(place: Place): Doc {
    return readDoc(place as unknown as ts.Node);
  }

  isEditable(place: Place): boolean {
    return this.places.isEditable((place as unknown as ts.Node).getSourceFile());
  }

  location(place: Place) {
    return this.places.location(place as unknown as ts.Node);
  }

  foreignLocation(place: Place) {
    return this.places.foreignLocation(place as unknown as ts.Node);
  }

  rangeLocation(file: Place, range: { readonly start: number; readonly length: number }) {
    return this.places.rangeLocation(file as unknown as ts.SourceFile, range);
  }

  unresolvedNames(written: Place): readonly UnresolvedName[] {
    return this.#unresolved.in(written as unknown as ts.Node);
  }

  #shapeOf(type: ts.Type): Shape {
    const { flags } = type;
    if (flags & ts.TypeFlags.Any) {
      const { intrinsicName } = type as { intrinsicName?: string };
      return { kind: "any", unresolved: intrinsicName === "error" || intrinsicName === "unresolved" };
    }
    if (flags & ts.TypeFlags.Unknown) return { kind: "unknown" };
    if (flags & ts.TypeFlags.Never) return { kind: "never" };
    if (flags & UNDEFINED) return { kind: "undefined" };
    if (flags & ts.TypeFlags.Null) return { kind: "null" };
    if (flags & ts.TypeFlags.ESSymbolLike) return { kind: "symbol" };
    if (flags & ts.TypeFlags.Boolean) return { kind: "boolean" };
    if (flags & ts.TypeFlags.BooleanLiteral) {
      return { kind: "literal", value: (type as { intrinsicName?: string }).intrinsicName === "true" };
    }
    if (flags & ts.TypeFlags.StringLiteral) return { kind: "literal", value: (type as ts.StringLiteralType).value };
    if (flags & ts.TypeFlags.NumberLiteral) return { kind: "literal", value: (type as ts.NumberLiteralType).value };
    if (flags & ts.TypeFlags.BigIntLiteral) {
      const { negative, base10Value } = (type as ts.BigIntLiteralType).value;
      return { kind: "bigint-literal", digits: `${negative ? "-" : ""}${base10Value}` };
    }
    if (flags & ts.TypeFlags.Union) return { kind: "union" };
    if (flags & ts.TypeFlags.String) return { kind: "string" };
    // A computed enum is open: to the checker any number is a member of it.
    if (flags & (ts.TypeFlags.Number | ts.TypeFlags.Enum)) return { kind: "number" };
    if (flags & ts.TypeFlags.BigInt) return { kind: "bigint" };
    if (flags & ts.TypeFlags.TemplateLiteral) {
      const { texts, types } = type as ts.TemplateLiteralType;
      return { kind: "template", texts, types: types as unknown as readonly Type[] };
    }
    if (flags & ts.TypeFlags.StringMapping) {
      const mapped = type as ts.StringMappingType;
      return { kind: "string-mapping", mapping: mapped.symbol.name as StringMapping, type: wrap(mapped.type) };
    }
    if (flags & ts.TypeFlags.NonPrimitive) return { kind: "any-object" };
    if (this.#isImpossible(type)) return { kind: "never" };
    if (flags & ts.TypeFlags.Intersection) {
      return { kind: "intersection", members: (type as ts.IntersectionType).types as unknown as readonly Type[] };
    }
    if (flags & ts.TypeFlags.Object) return this.#objectShape(type as ts.ObjectType);
    return { kind: "free" };
  }

  /** An intersection whose parts contradict each other (`{ kind: "a" } & { kind: "b" }`): the checker reduces it late. */
  #isImpossible(type: ts.Type): boolean {
    return (
      (type.flags & ts.TypeFlags.Intersection) !== 0 &&
      this.#checker.isTypeAssignableTo(type, this.#checker.getNeverType())
    );
  }

  #objectShape(type: ts.ObjectType): Shape {
    if (this.#checker.isTupleType(type)) return { kind: "tuple", slots: this.#slots(type as ts.TupleTypeReference) };
    if (this.#checker.isArrayType(type)) {
      const [element] = this.#checker.getTypeArguments(type as ts.TypeReference);
      if (element !== undefined) return { kind: "array", element: wrap(element) };
    }
    return { kind: "object" };
  }

  #slots(type: ts.TupleTypeReference): readonly TupleSlot[] {
    const { elementFlags, labeledElementDeclarations } = type.target;
    return this.#checker.getTypeArguments(type).map((element, index): TupleSlot => {
      const flags = elementFlags[index] ?? ts.ElementFlags.Required;
      const declared = labeledElementDeclarations?.[index];
      return {
        type: wrap(element),
        kind:
          flags & (ts.ElementFlags.Rest | ts.ElementFlags.Variadic)
            ? "rest"
            : flags & ts.ElementFlags.Optional
              ? "optional"
              : "required",
        ...(declared !== undefined && ts.isIdentifier(declared.name) ? { label: declared.name.text } : {}),
        ...(declared === undefined ? {} : { place: declared as unknown as Place }),
      };
    });
  }

  #property(symbol: ts.Symbol): Property {
    const declaration = symbol.valueDeclaration ?? symbol.declarations?.[0];
    const name = ts.unescapeLeadingUnderscores(symbol.escapedName);
    const hidden =
      name.startsWith("__#") ||
      (declaration !== undefined && (ts.getCombinedModifierFlags(declaration) & HIDDEN) !== 0);
    return {
      name: propertyKeyOf(symbol),
      type: wrap(this.#checker.getTypeOfSymbol(symbol)),
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      symbolKey: symbol.escapedName.toString().startsWith("__@"),
      method: (symbol.flags & ts.SymbolFlags.Method) !== 0,
      accessor: (symbol.flags & ts.SymbolFlags.Accessor) !== 0,
      hidden,
      place: declaration as Place | undefined,
      written: writtenTypeOf(declaration) as Place | undefined,
    };
  }

  /**
   * The checker lists the members of a computed object type in the order in which it first met their names, which
   * depends on unrelated files. Members that all stand in one declaration go by their place in it; those without
   * a declaration go by name.
   */
  #inDeclarationOrder(type: ts.Type, symbols: readonly ts.Symbol[]): readonly ts.Symbol[] {
    if (type.flags & ts.TypeFlags.Intersection) {
      const rank = new Map<string, number>();
      for (const member of (type as ts.IntersectionType).types) {
        for (const symbol of this.#inDeclarationOrder(member, this.#checker.getPropertiesOfType(member))) {
          if (!rank.has(symbol.name)) rank.set(symbol.name, rank.size);
        }
      }
      return [...symbols].sort((a, b) => (rank.get(a.name) ?? 0) - (rank.get(b.name) ?? 0));
    }
    const computed =
      ((type as ts.ObjectType).objectFlags ?? 0) & (ts.ObjectFlags.Mapped | ts.ObjectFlags.ReverseMapped);
    if (!computed || symbols.length < 2) return symbols;
    const parents = new Set(symbols.map((symbol) => this.#keyDeclaration(symbol)?.parent));
    const [parent] = parents;
    if (parents.size === 1 && parent !== undefined) {
      return [...symbols].sort((a, b) => (this.#keyDeclaration(a)?.pos ?? 0) - (this.#keyDeclaration(b)?.pos ?? 0));
    }
    const homomorphic = symbols.every((symbol) => symbol.declarations !== undefined);
    if (homomorphic) {
      const files = [...new Set(symbols.map((symbol) => symbol.declarations?.[0]?.getSourceFile().fileName))];
      // Members of one declaration chain (own, then inherited) come in order from the checker when it walks `keyof T`.
      if (files.length >= 1 && isKeyofMapped(type)) return symbols;
    }
    return [...symbols].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** Where the key of a property was declared: the property itself, or the enum member that names it. */
  #keyDeclaration(symbol: ts.Symbol): ts.Node | undefined {
    const declared = symbol.declarations?.[0];
    if (declared !== undefined) return declared;
    const { links } = symbol as { links?: { nameType?: ts.Type; syntheticOrigin?: ts.Symbol } };
    // A renamed key (`as`) has no declaration, but knows the property that it comes from.
    return links?.syntheticOrigin?.declarations?.[0] ?? links?.nameType?.symbol?.declarations?.[0];
  }

  #namedSymbol(type: ts.Type, written: ts.Node | undefined): ts.Symbol | undefined {
    if (type.aliasSymbol !== undefined && !this.#isLibrary(type.aliasSymbol)) return type.aliasSymbol;
    const fromWritten = written === undefined ? undefined : this.#aliasNamedBy(written, type);
    if (fromWritten !== undefined) return fromWritten;
    const { symbol } = type;
    if (symbol === undefined || symbol.flags & ANONYMOUS || symbol.name.startsWith("__")) return undefined;
    return symbol;
  }

  /** The alias that a written type names, where the type is that alias apart from null and undefined. */
  #aliasNamedBy(written: ts.Node, type: ts.Type): ts.Symbol | undefined {
    if (!ts.isTypeReferenceNode(written) || written.typeArguments !== undefined || !type.isUnion()) return undefined;
    let symbol = this.#checker.getSymbolAtLocation(written.typeName);
    if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias) symbol = this.#checker.getAliasedSymbol(symbol);
    if (symbol === undefined || (symbol.flags & ts.SymbolFlags.TypeAlias) === 0) return undefined;
    const named = this.#checker.getTypeFromTypeNode(written);
    const without = (from: ts.Type) =>
      (from.isUnion() ? from.types : [from]).filter((member) => (member.flags & UNDEFINED) === 0);
    const members = without(named);
    const wanted = without(type);
    return members.length === wanted.length && wanted.every((member) => members.includes(member)) ? symbol : undefined;
  }

  #typeArgumentsOf(type: ts.Type): readonly ts.Type[] {
    if (type.aliasTypeArguments !== undefined) return type.aliasTypeArguments;
    const own = this.#ownArguments(type);
    if (own.length > 0) return own;
    // An anonymous type inside a generic: its mapper says what the type parameters stand for.
    const { mapper } = type as { mapper?: unknown };
    const outer = (type as { target?: { outerTypeParameters?: readonly ts.Type[] } }).target?.outerTypeParameters;
    return mapper === undefined || outer === undefined ? [] : outer.map((parameter) => mapped(parameter, mapper));
  }

  #ownArguments(type: ts.Type): readonly ts.Type[] {
    if ((((type as ts.ObjectType).objectFlags ?? 0) & ts.ObjectFlags.Reference) === 0) return [];
    const reference = type as ts.TypeReference;
    return this.#checker.getTypeArguments(reference).slice(0, reference.target.typeParameters?.length ?? 0);
  }

  #isLibrary(symbol: ts.Symbol): boolean {
    const declarations = symbol.declarations ?? [];
    return declarations.length > 0 && declarations.every((node) => this.places.isLibrary(node.getSourceFile()));
  }
}

/** The host's own handle as the interface's, and back. */
export function wrap(type: ts.Type): Type {
  return type as unknown as Type;
}

function unwrap(type: Type): ts.Type {
  return type as unknown as ts.Type;
}

/** The type annotation of a declaration. */
export function writtenTypeOf(declaration: ts.Node | undefined): ts.TypeNode | undefined {
  if (declaration === undefined) return undefined;
  if (
    ts.isPropertySignature(declaration) ||
    ts.isPropertyDeclaration(declaration) ||
    ts.isParameter(declaration) ||
    ts.isVariableDeclaration(declaration) ||
    ts.isGetAccessorDeclaration(declaration)
  ) {
    return declaration.type;
  }
  return undefined;
}

const UNDEFINED = ts.TypeFlags.Undefined | ts.TypeFlags.Void;
const DECLARED = ts.SymbolFlags.Class | ts.SymbolFlags.Interface;
const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
const ANONYMOUS =
  ts.SymbolFlags.TypeLiteral | ts.SymbolFlags.ObjectLiteral | ts.SymbolFlags.Function | ts.SymbolFlags.Method;

function shortName(type: ts.Type): string {
  const name = type.aliasSymbol?.name ?? type.symbol?.name ?? (type as { intrinsicName?: string }).intrinsicName ?? "";
  return name.startsWith("__") ? "" : name;
}

function propertyKeyOf(symbol: ts.Symbol): string {
  const name = ts.unescapeLeadingUnderscores(symbol.escapedName);
  const symbolKey = /^__@(.*)@\d+$/.exec(symbol.escapedName.toString());
  if (symbolKey !== null) return `[${symbolKey[1]}]`;
  const privateKey = /^__#\d+@(#.*)$/.exec(name);
  return privateKey?.[1] ?? name;
}

/** What an alias without type parameters stands for, where a type still knows its alias. */
function aliasBodyOf({ aliasSymbol, aliasTypeArguments }: ts.Type): ts.TypeNode | undefined {
  if (aliasTypeArguments !== undefined) return undefined;
  return aliasSymbol?.declarations?.find(ts.isTypeAliasDeclaration)?.type;
}

function keyKindOf(type: ts.Type): IndexSignature["keyKind"] {
  if (type.flags & ts.TypeFlags.String) return "string";
  if (type.flags & ts.TypeFlags.Number) return "number";
  if (type.flags & ts.TypeFlags.ESSymbol) return "symbol";
  return "template";
}

function isClassInstance(type: ts.Type): boolean {
  const reference = type as ts.TypeReference;
  const symbol = reference.target?.symbol ?? type.symbol;
  return (
    symbol !== undefined &&
    (symbol.flags & ts.SymbolFlags.Class) !== 0 &&
    (type.flags & ts.TypeFlags.Object) !== 0 &&
    ((type as ts.ObjectType).objectFlags & (ts.ObjectFlags.Class | ts.ObjectFlags.Reference)) !== 0
  );
}

function isKeyofMapped(type: ts.Type): boolean {
  const declaration = (type as { declaration?: ts.MappedTypeNode }).declaration;
  const constraint = declaration?.typeParameter.constraint;
  return constraint !== undefined && ts.isTypeOperatorNode(constraint);
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/(\.d)?\.[cm]?[jt]sx?$/, "");
}

function mapped(parameter: ts.Type, mapper: unknown): ts.Type {
  // The mapper's shapes are internal; an unknown one leaves the parameter as it is, which only costs depth hints.
  const simple = mapper as {
    kind?: number;
    source?: ts.Type;
    target?: ts.Type;
    sources?: ts.Type[];
    targets?: ts.Type[];
  };
  if (simple.source === parameter && simple.target !== undefined) return simple.target;
  const index = simple.sources?.indexOf(parameter) ?? -1;
  return (index >= 0 ? simple.targets?.[index] : undefined) ?? parameter;
}

function numberKey(value: number): string {
  return `${value < 0 ? "0" : "1"}${(value < 0 ? 1e21 + value : value).toFixed(6).padStart(30, "0")}`;
}
