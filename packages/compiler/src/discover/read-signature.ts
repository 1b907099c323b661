import type { CallSlot, JsonSchema, ManifestTool } from "@callsign/runtime/manifest";
import { ts } from "@ts-morph/common";
import type { Doc, DocTag, Place } from "../checker/checker.js";
import { readDoc } from "../checker/read-doc.js";
import { type TsMorphChecker, wrap, writtenTypeOf } from "../checker/ts-morph-checker.js";
import * as messages from "../errors/messages.js";
import { describe } from "../schema/apply-doc.js";
import { emitSchema } from "../schema/emit-schema.js";
import { misfit } from "../schema/literal-fits.js";
import { SchemaMapper } from "../schema/map-type.js";
import { SchemaPlaces } from "../schema/schema-places.js";
import { memberSite, type TypeSite } from "../schema/type-site.js";
import { isLibraryType } from "../schema/types/library-class.js";
import { type DiscoveredTool, TOOL_TAGS } from "./discovered.js";
import { literalValue } from "./literal-value.js";
import { describeMember, ParameterDocs } from "./parameter-docs.js";
import { readReturn } from "./read-return.js";
import type { Reporter } from "./reporter.js";
import type { RuntimeSymbols } from "./runtime-symbols.js";

/** What reading a signature needs. */
export interface SignatureContext {
  readonly checker: ts.TypeChecker;
  readonly types: TsMorphChecker;
  readonly runtime: RuntimeSymbols;
  readonly reporter: Reporter;
  readonly strict: boolean;
  readonly description: "full" | "first-line";
  /** Where the parts of each schema were written, by what is mapped (`tool add`); absent when nobody will ask. */
  readonly places?: Map<string, SchemaPlaces>;
}

/** Keeps the places of one schema, when they are wanted. */
export function openPlaces(
  kind: "tool" | "schema",
  { name, node }: { readonly name: string; readonly node: ts.Node },
  { places }: Pick<SignatureContext, "places">,
): SchemaPlaces | undefined {
  if (places === undefined) return undefined;
  const opened = new SchemaPlaces(node);
  places.set(`${kind} ${name}`, opened);
  return opened;
}

/** The parts of a manifest tool that come from its signature and JSDoc, or undefined when something was refused. */
export type SignatureParts = Omit<ManifestTool, "name" | "module" | "export">;

/** One parameter that the model fills. */
interface Parameter {
  readonly symbol: ts.Symbol;
  readonly type: ts.Type;
  readonly declaration: ts.ParameterDeclaration | undefined;
  readonly name: string;
  readonly optional: boolean;
}

/** Reads one tool. Everything that is wrong with it is reported, not only the first. */
export function readSignature(tool: DiscoveredTool, context: SignatureContext): SignatureParts | undefined {
  const { checker, reporter, types } = context;
  const signatures = checker.getSignaturesOfType(checker.getTypeAtLocation(tool.callable), ts.SignatureKind.Call);
  const [signature] = signatures;
  if (signature === undefined) {
    reporter.atNode(messages.notATool(tool.name), tool.nameNode, tool.name);
    return undefined;
  }
  const doc = docOf(tool, signature, types);
  warnOfMissingDescription(tool, doc, context);
  if (signatures.length > 1) {
    reporter.atNode(messages.overloads(signatures.length), tool.nameNode, {
      toolName: tool.name,
      typePath: `${tool.name}()`,
    });
    return undefined;
  }
  const places = openPlaces("tool", { name: tool.name, node: tool.nameNode }, context);
  const mapper = new SchemaMapper({
    checker: types,
    direction: "input",
    places,
    report: (fault, site) => reporter.atSite(fault, site),
  });
  const reading: Reading = {
    tool,
    context,
    mapper,
    places,
    docs: new ParameterDocs(doc),
    entries: [],
    required: [],
    call: [],
    lone: undefined,
    failed: false,
  };
  if (refusesThis(signature))
    fail(reading, messages.thisParameter(), { node: thisDeclaration(signature) ?? tool.nameNode, path: "this" });
  readParameters(signature, reading);
  for (const tag of reading.docs.unused()) reporter.atNode(messages.unknownParameterDoc(tag.name), tag.node, tool.name);
  const returned = readReturn(signature, { tool, doc, context });
  if (reading.failed || mapper.failed || returned === "failed") return undefined;
  const parameters: JsonSchema = reading.lone ?? {
    type: "object",
    properties: Object.fromEntries(reading.entries),
    ...(reading.required.length > 0 ? { required: reading.required } : {}),
    additionalProperties: false,
  };
  const text = tool.description ?? describe(doc);
  const [summary = ""] = text.split("\n", 1);
  const has = (name: string) => doc.tags.some((tag) => tag.name === name);
  return {
    ...(text === "" ? {} : { summary, description: context.description === "first-line" ? summary : text }),
    ...(has("deprecated") ? { deprecated: true } : {}),
    parameters: emitSchema(parameters, mapper.nodes),
    call: reading.call,
    ...returned,
    ...Object.fromEntries(TOOL_TAGS.filter((tag) => has(tag) || tool.marks.includes(tag)).map((tag) => [tag, true])),
  };
}

interface Reading {
  readonly tool: DiscoveredTool;
  readonly context: SignatureContext;
  readonly mapper: SchemaMapper;
  readonly places: SchemaPlaces | undefined;
  readonly docs: ParameterDocs;
  readonly entries: [string, JsonSchema][];
  readonly required: string[];
  readonly call: CallSlot[];
  /** The schema of the lone object parameter, when there is one. */
  lone: JsonSchema | undefined;
  failed: boolean;
}

function fail(reading: Reading, fault: messages.Fault, { node, path }: { node: ts.Node; path: string }): void {
  reading.failed = true;
  const { name } = reading.tool;
  reading.context.reporter.atNode(fault, node, { toolName: name, typePath: `${name}(${path})` });
}

/** The JSDoc of the export, or where that has none of the function it wraps. */
function docOf(tool: DiscoveredTool, signature: ts.Signature, types: TsMorphChecker): Doc {
  const own = types.doc(tool.node as unknown as Place);
  if (own.description !== "" || own.tags.some((tag) => tag.name !== "tool")) return own;
  const declaration = signature.getDeclaration() as ts.Node | undefined;
  if (declaration === undefined) return own;
  const anonymous = ts.isArrowFunction(declaration) || ts.isFunctionExpression(declaration);
  const inner = (anonymous ? [declaration, declaration.parent] : [declaration])
    .map(readDoc)
    .find(({ description, tags }) => description !== "" || tags.length > 0);
  return inner === undefined ? own : { ...inner, tags: [...inner.tags, ...own.tags] };
}

function warnOfMissingDescription(tool: DiscoveredTool, doc: Doc, { reporter, strict }: SignatureContext): void {
  if ((tool.description ?? doc.description) !== "") return;
  reporter.atNode(messages.missingDescription("tool", { strict }), tool.nameNode, tool.name);
}

function thisDeclaration(signature: ts.Signature): ts.ParameterDeclaration | undefined {
  const declared = signature.getDeclaration() as ts.SignatureDeclaration | undefined;
  const first = declared?.parameters?.[0];
  return first !== undefined && ts.isParameter(first) && ts.isIdentifier(first.name) && first.name.text === "this"
    ? first
    : undefined;
}

function refusesThis(signature: ts.Signature): boolean {
  const declared = thisDeclaration(signature);
  return declared !== undefined && declared.type?.kind !== ts.SyntaxKind.VoidKeyword;
}

function readParameters(signature: ts.Signature, reading: Reading): void {
  const slots = signature.parameters.map((symbol) => classify(symbol, reading));
  const filled = slots.filter((slot): slot is Parameter => typeof slot === "object");
  const lone =
    filled.length === 1 && filled[0] !== undefined && isArgumentsObject(filled[0], reading) ? filled[0] : undefined;
  for (const slot of slots) {
    if (slot === "left-out") continue;
    if (slot === "context" || slot === "signal") reading.call.push({ from: slot });
    else if (slot === lone) readLone(slot, reading);
    else readOne(slot, reading);
  }
}

function classify(symbol: ts.Symbol, reading: Reading): Parameter | "context" | "signal" | "left-out" {
  const { checker, types, runtime, reporter } = reading.context;
  const declaration =
    symbol.valueDeclaration !== undefined && ts.isParameter(symbol.valueDeclaration)
      ? symbol.valueDeclaration
      : undefined;
  if (declaration?.dotDotDotToken !== undefined) {
    const { name } = reading.tool;
    const about = { toolName: name, typePath: `${name}(${symbol.name})` };
    reporter.atNode(messages.restParameter(symbol.name), declaration, about);
    reading.docs.take(symbol.name);
    return "left-out";
  }
  const type = checker.getTypeOfSymbol(symbol);
  const solid = checker.getNonNullableType(type);
  const named = solid.aliasSymbol ?? solid.symbol;
  if (named !== undefined && runtime.nameOf(named) === "ToolContext") {
    reading.docs.take(symbol.name);
    return "context";
  }
  const handle = wrap(solid);
  if (isLibraryType({ type: handle, shape: types.shape(handle), checker: types }, "AbortSignal")) {
    reading.docs.take(symbol.name);
    return "signal";
  }
  const { hasUndefined } = types.unionMembers(wrap(type), undefined);
  const optional =
    declaration?.questionToken !== undefined ||
    declaration?.initializer !== undefined ||
    hasUndefined ||
    isOptionalSymbol(symbol);
  return { symbol, type, declaration, name: symbol.name, optional };
}

function isOptionalSymbol(symbol: ts.Symbol): boolean {
  return (symbol.flags & ts.SymbolFlags.Optional) !== 0;
}

/** A required parameter (or one with the default `{}`) whose type is one plain, closed object. */
function isArgumentsObject(parameter: Parameter, { context: { types, checker } }: Reading): boolean {
  const emptyDefault = isEmptyObject(parameter.declaration?.initializer);
  if (parameter.optional && !emptyDefault) return false;
  const constrained =
    types.shape(wrap(parameter.type)).kind === "free"
      ? (checker.getBaseConstraintOfType(parameter.type) ?? parameter.type)
      : parameter.type;
  const solid = emptyDefault ? checker.getNonNullableType(constrained) : constrained;
  const type = wrap(solid);
  const shape = types.shape(type);
  const plain = (part: typeof type) =>
    types.shape(part).kind === "object" && types.libraryType(part) === undefined && !types.isCallable(part);
  const object = shape.kind === "intersection" ? shape.members.every(plain) : plain(type);
  return object && types.properties(type).length > 0 && types.indexSignatures(type).length === 0;
}

function isEmptyObject(node: ts.Expression | undefined): boolean {
  return node !== undefined && ts.isObjectLiteralExpression(node) && node.properties.length === 0;
}

function siteOf(parameter: Parameter, path: string, reading: Reading): TypeSite {
  const written = parameter.declaration === undefined ? undefined : writtenTypeOf(parameter.declaration);
  const place = written ?? parameter.declaration?.name ?? parameter.declaration ?? reading.tool.nameNode;
  const editable = reading.context.types.isEditable(place as unknown as Place);
  return {
    owner: reading.tool.name,
    role: "parameter",
    path,
    place: (editable ? place : reading.tool.nameNode) as unknown as Place,
    written: written as Place | undefined,
    foreign: editable ? undefined : (place as unknown as Place),
  };
}

function isUntyped({ type, declaration }: Parameter): boolean {
  return (
    (type.flags & ts.TypeFlags.Any) !== 0 &&
    declaration !== undefined &&
    declaration.type === undefined &&
    declaration.initializer === undefined
  );
}

function patternOf({ declaration }: Parameter): ts.ObjectBindingPattern | undefined {
  return declaration !== undefined && ts.isObjectBindingPattern(declaration.name) ? declaration.name : undefined;
}

/** Reports the parts of a pattern whose type nobody wrote. */
function untypedParts(parameter: Parameter, reading: Reading): boolean {
  const pattern = patternOf(parameter);
  if (pattern === undefined || parameter.declaration?.type !== undefined) return false;
  const { checker } = reading.context;
  const untyped = pattern.elements.filter(
    (element) =>
      element.initializer === undefined && (checker.getTypeAtLocation(element).flags & ts.TypeFlags.Any) !== 0,
  );
  for (const element of untyped)
    fail(reading, messages.untypedParameter(element.name.getText()), { node: element, path: element.name.getText() });
  return untyped.length > 0;
}

function readLone(parameter: Parameter, reading: Reading): void {
  const { mapper, context } = reading;
  const pattern = patternOf(parameter);
  reading.call.push({ from: "arguments" });
  if (untypedParts(parameter, reading)) return;
  const site = siteOf(parameter, pattern === undefined ? parameter.name : "", reading);
  if (reading.places !== undefined) reading.places.root = site.path;
  const doc = mergedDoc(parameter, reading);
  const type = wrap(
    isEmptyObject(parameter.declaration?.initializer)
      ? context.checker.getNonNullableType(parameter.type)
      : parameter.type,
  );
  const schema = mapper.mapWithDoc(type, site, doc);
  reading.lone = documentMembers(withDefaults(schema, pattern, reading), parameter, reading);
}

function readOne(parameter: Parameter, reading: Reading): void {
  const { declaration } = parameter;
  const pattern = patternOf(parameter);
  if (declaration !== undefined && ts.isArrayBindingPattern(declaration.name)) {
    fail(reading, messages.destructuredTuple(), { node: declaration.name, path: declaration.name.getText() });
  } else if (isUntyped(parameter)) {
    fail(reading, messages.untypedParameter(parameter.name), {
      node: declaration ?? reading.tool.nameNode,
      path: parameter.name,
    });
  } else if (pattern !== undefined) spreadPattern(parameter, pattern, reading);
  else readNamed(parameter, reading);
}

function readNamed(parameter: Parameter, reading: Reading): void {
  const { mapper, context } = reading;
  const site = siteOf(parameter, parameter.name, reading);
  const solid = context.checker.getNonNullableType(parameter.type);
  const callable = context.types.shape(wrap(solid)).kind === "object" && context.types.isCallable(wrap(solid));
  reading.call.push({ from: "property", name: parameter.name });
  if (callable) {
    mapper.fail(messages.callbackParameter(context.types.print(wrap(solid))), site);
    return;
  }
  const schema = mapper.mapWithDoc(wrap(parameter.type), site, mergedDoc(parameter, reading));
  const described = documentMembers(schema, parameter, reading);
  addEntry(parameter.name, withDefault(described, parameter.declaration?.initializer, reading), {
    required: !parameter.optional,
    node: parameter.declaration ?? reading.tool.nameNode,
    reading,
  });
}

/** A pattern that is not alone: its members become properties of the arguments object. */
function spreadPattern(parameter: Parameter, pattern: ts.ObjectBindingPattern, reading: Reading): void {
  const { mapper, context } = reading;
  const { types } = context;
  if (untypedParts(parameter, reading)) return;
  const emptyDefault = isEmptyObject(parameter.declaration?.initializer);
  if (parameter.declaration?.initializer !== undefined && !emptyDefault) {
    fail(reading, messages.destructuredDefault(), { node: parameter.declaration.initializer, path: pattern.getText() });
    return;
  }
  const site = siteOf(parameter, "", reading);
  const schema = mapper.resolve(mapper.map(wrap(context.checker.getNonNullableType(parameter.type)), site));
  if (mapper.failed || schema?.properties === undefined) {
    if (!mapper.failed)
      mapper.fail(
        messages.unmappedIntersection(types.print(wrap(parameter.type))),
        memberSite(site, { name: parameter.name, place: undefined, written: undefined }, types),
      );
    return;
  }
  const described = documentMembers(withDefaults(schema, pattern, reading), parameter, reading);
  const names = Object.keys(described.properties ?? {});
  reading.call.push({ from: "properties", names });
  for (const name of names) {
    addEntry(name, described.properties?.[name] ?? {}, {
      required: described.required?.includes(name) === true && !parameter.optional,
      node: pattern,
      reading,
    });
  }
}

function addEntry(
  name: string,
  schema: JsonSchema,
  { required, node, reading }: { required: boolean; node: ts.Node; reading: Reading },
): void {
  if (reading.entries.some(([taken]) => taken === name))
    fail(reading, messages.nameCollision(name), { node, path: name });
  reading.entries.push([name, schema]);
  if (required) reading.required.push(name);
}

/** JSDoc before the parameter, and the `@param` tag of the function. */
function mergedDoc(parameter: Parameter, reading: Reading): Doc {
  const own = parameter.declaration === undefined ? NO_DOC : readDoc(parameter.declaration);
  const tag = reading.docs.take(parameter.name, { pattern: patternOf(parameter) !== undefined });
  const integer: DocTag[] =
    tag?.type === "integer" || tag?.type === "int"
      ? [{ name: "asType", text: "integer", place: tag.node as unknown as Place }]
      : [];
  return { description: own.description !== "" ? own.description : (tag?.text ?? ""), tags: [...own.tags, ...integer] };
}

const NO_DOC: Doc = { description: "", tags: [] };

/** `@param opts.x text`. */
function documentMembers(schema: JsonSchema, parameter: Parameter, reading: Reading): JsonSchema {
  let documented = schema;
  const pattern = patternOf(parameter);
  const members = Object.keys(reading.mapper.resolve(schema)?.properties ?? {});
  for (const tag of reading.docs.members(parameter.name, pattern === undefined ? undefined : members)) {
    const described = describeMember(documented, tag.path, { text: tag.text, mapper: reading.mapper });
    if (described === undefined) reading.docs.putBack(tag);
    else documented = described;
  }
  return documented;
}

function withDefault(schema: JsonSchema, initializer: ts.Expression | undefined, reading: Reading): JsonSchema {
  if (initializer === undefined) return schema;
  const value = literalValue(initializer, reading.context.checker);
  const holds = value !== undefined && misfit(value, schema, reading.mapper) === undefined;
  return holds && !hasCodec(schema, reading.mapper) ? { ...schema, default: value } : schema;
}

function hasCodec(schema: JsonSchema, mapper: SchemaMapper): boolean {
  return mapper.resolve(schema)?.["x-codec"] !== undefined;
}

/** The elements of a pattern that say a default, for their member or inside it. */
function bindingDefaults(pattern: ts.ObjectBindingPattern): ReadonlyMap<string, ts.BindingElement> {
  const defaults = new Map<string, ts.BindingElement>();
  for (const element of pattern.elements) {
    const key = element.propertyName ?? element.name;
    const says = element.initializer !== undefined || ts.isObjectBindingPattern(element.name);
    if (says && (ts.isIdentifier(key) || ts.isStringLiteralLike(key))) defaults.set(key.text, element);
  }
  return defaults;
}

/** Defaults of a pattern's members; one of a required member says nothing to the model. */
function withDefaults(schema: JsonSchema, pattern: ts.ObjectBindingPattern | undefined, reading: Reading): JsonSchema {
  const defaults = pattern === undefined ? new Map<string, ts.BindingElement>() : bindingDefaults(pattern);
  if (defaults.size === 0) return schema;
  const { $ref: _, ...annotations } = schema;
  const resolved = reading.mapper.resolve(schema);
  if (resolved?.properties === undefined) return schema;
  const properties = Object.entries(resolved.properties).map(([name, part]): [string, JsonSchema] => {
    const element = defaults.get(name);
    const inner = element !== undefined && ts.isObjectBindingPattern(element.name) ? element.name : undefined;
    const filled = withDefaults(part, inner, reading);
    const required = resolved.required?.includes(name) === true;
    return [name, required ? filled : withDefault(filled, element?.initializer, reading)];
  });
  return {
    ...resolved,
    ...(schema.$ref === undefined ? schema : annotations),
    properties: Object.fromEntries(properties),
  };
}
