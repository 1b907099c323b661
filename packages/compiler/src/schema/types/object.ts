import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Checker, Declaration, IndexSignature, Property, Type } from "../../checker/checker.js";
import * as messages from "../../errors/messages.js";
import type { MapContext, TypeMapper } from "../mapper.js";
import { memberSite, type TypeSite, valueSite } from "../type-site.js";
import { fitsIndex } from "./fits-index.js";
import { PLAIN_NUMBER, typePattern } from "./template-literal.js";

/** Object types of every kind: interfaces, literals, mapped types, data classes, dictionaries. */
export const objectMapper: TypeMapper = {
  name: "object",
  accepts: (candidate) => candidate.shape.kind === "object",
  toSchema: ({ type }, site, context) => objectSchema([type], site, context),
};

/** The schema of an object type, or of the intersection of several (`parts`, of which `whole` is the type). */
export function objectSchema(parts: readonly Type[], site: TypeSite, context: MapContext, whole?: Type): JsonSchema {
  const { checker, direction } = context;
  const [first] = parts;
  const type = whole ?? first;
  if (type === undefined) return {};
  if (checker.isCallable(type)) return context.fail(messages.functionMember(checker.print(type)), site);
  const properties = checker.properties(type);
  const declaration = checker.declaration(type);
  const unfit = direction === "input" ? unfitClass(properties, declaration) : undefined;
  if (unfit !== undefined)
    return context.fail(messages.classInstance(declaration?.name ?? checker.print(type), unfit), site);

  // A mapped type over a class of the library (`Readonly<Date>`) is that class, member by member.
  if (properties.some((property) => isLibraryFunction(property, context))) {
    return context.fail(messages.noJsonForm(checker.print(type), "use plain data in its place"), site);
  }
  const indexed = indexSchemas(type, site, { context, parts });
  const open = indexed.additionalProperties !== undefined && indexed.additionalProperties !== false;
  const entries: [string, JsonSchema][] = [];
  const required: string[] = [];
  for (const property of properties) {
    if (isBehaviour(property, declaration, context)) continue;
    const at = memberSite(site, property, checker);
    const mapped = propertySchema(property, at, { context, open, parts });
    if (mapped === undefined) continue;
    entries.push([property.name, mapped.schema]);
    if (mapped.required) required.push(property.name);
  }
  if (properties.length === 0 && Object.keys(indexed).length === 0) {
    context.warn(messages.openObject(checker.print(type)), site);
    return { type: "object" };
  }
  return {
    type: "object",
    ...(entries.length > 0 || Object.keys(indexed).length === 0 ? { properties: Object.fromEntries(entries) } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...indexed,
    ...(indexed.additionalProperties !== undefined || direction === "output" ? {} : { additionalProperties: false }),
  };
}

/** Why no plain object is an instance of a class, or undefined when one is. */
function unfitClass(properties: readonly Property[], declaration: Declaration | undefined): string | undefined {
  const hidden = properties.find((property) => property.hidden);
  const method = declaration?.class === true ? properties.find((property) => property.method) : undefined;
  if (hidden !== undefined) return `a private or protected member (${hidden.name})`;
  return method === undefined ? undefined : `a method (${method.name})`;
}

/** What a class instance does not write into JSON: methods, accessors and `#private` members. */
function isBehaviour(property: Property, declaration: Declaration | undefined, { direction }: MapContext): boolean {
  if (direction === "input" || declaration?.class !== true) return false;
  return property.method || property.accessor || property.hidden;
}

interface PropertyPart {
  readonly context: MapContext;
  readonly open: boolean;
  readonly parts: readonly Type[];
}

function propertySchema(property: Property, site: TypeSite, { context, open, parts }: PropertyPart) {
  const { checker } = context;
  const fail = (fault: messages.Fault) => ({ schema: context.fail(fault, site), required: false });
  const { types, hasUndefined } = checker.unionMembers(property.type, undefined);
  const optional = property.optional || hasUndefined;
  const solid = types.length > 0 && !types.every((type) => checker.shape(type).kind === "never");
  // `[tag]?: never` marks a type (type-fest's EmptyObject): nothing is lost, since nothing can stand there.
  if (property.symbolKey) return !solid && optional ? undefined : fail(messages.symbolKey(property.name));
  if (!solid) {
    if (!optional) return fail(messages.never(checker.print(property.type)));
    return open ? fail(messages.openIndexNever(property.name)) : undefined;
  }
  if (property.method) return fail(messages.methodMember(property.name));
  if (types.some((type) => isFunction(type, context))) {
    return fail(messages.functionMember(checker.print(property.type)));
  }
  const conflict = parts.length > 1 ? clashesWithIndex(property, parts, { context, site }) : false;
  if (conflict) return fail(messages.intersectionConflict(property.name));
  const schema =
    property.place === undefined
      ? context.map(property.type, site)
      : context.mapWithDoc(property.type, site, checker.doc(property.place));
  return { schema, required: !optional };
}

function isFunction(type: Type, { checker }: MapContext): boolean {
  return checker.shape(type).kind === "object" && checker.isCallable(type) && checker.libraryType(type) === undefined;
}

function isLibraryFunction({ place, type, method }: Property, { checker }: MapContext): boolean {
  if (place === undefined || checker.foreignLocation(place) !== undefined) return false;
  const { types } = checker.unionMembers(type, undefined);
  return method || types.some((part) => checker.shape(part).kind === "object" && checker.isCallable(part));
}

/** Whether an index signature of another part of an intersection refuses what the property takes. */
function clashesWithIndex(property: Property, parts: readonly Type[], at: MemberPlace): boolean {
  const { checker } = at.context;
  return parts.some(
    (part) =>
      !checker.properties(part).some((own) => own.name === property.name) &&
      checker
        .indexSignatures(part)
        .some((index) => keyFits(property.name, index, at) && !fitsIndex(property.type, index.type, checker)),
  );
}

interface MemberPlace {
  readonly context: MapContext;
  readonly site: TypeSite;
}

function keyFits(name: string, { key, keyKind }: IndexSignature, { context, site }: MemberPlace): boolean {
  if (keyKind === "string" || keyKind === "symbol") return keyKind === "string";
  const pattern = keyKind === "number" ? PLAIN_NUMBER : typePattern(key, site, context).pattern;
  return pattern !== undefined && new RegExp(pattern, "u").test(name);
}

/**
 * Where several parts of an intersection have an index signature of one kind, the one whose type fits all others: the
 * checker's own intersection of the two would have impossible branches (`string & Json[]`).
 */
function narrowestIndex(index: IndexSignature, parts: readonly Type[], checker: Checker): IndexSignature {
  const alike = parts.flatMap((part) =>
    checker.indexSignatures(part).filter(({ keyKind }) => keyKind === index.keyKind && keyKind !== "template"),
  );
  if (alike.length < 2) return index;
  return alike.find(({ type }) => alike.every((other) => checker.isAssignable(type, other.type))) ?? index;
}

function indexSchemas(
  type: Type,
  site: TypeSite,
  { context, parts }: { readonly context: MapContext; readonly parts: readonly Type[] },
): Partial<JsonSchema> {
  const { checker } = context;
  const patterns: [string, JsonSchema][] = [];
  let additionalProperties: JsonSchema | false | undefined;
  for (const index of checker.indexSignatures(type)) {
    if (index.keyKind === "symbol") {
      context.fail(messages.symbolKey("[symbol]"), site);
      continue;
    }
    // `Record<string, never>` is TypeScript's way to say an object without members.
    if (index.keyKind === "string" && checker.shape(index.type).kind === "never") {
      additionalProperties = false;
      continue;
    }
    const narrowest = narrowestIndex(index, parts, checker);
    const at = valueSite(site, narrowest.written ?? checker.writtenPart(site.written, 1), checker);
    const schema = context.map(narrowest.type, at);
    if (index.keyKind === "string") additionalProperties = schema;
    else if (index.keyKind === "number") patterns.push([PLAIN_NUMBER, schema]);
    else patterns.push([typePattern(index.key, at, context).pattern ?? "", schema]);
  }
  return {
    ...(patterns.length > 0 ? { patternProperties: Object.fromEntries(patterns) } : {}),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}
