import type { Json, JsonSchema, JsonTypeName } from "../../manifest/json-schema.js";
import type { DroppedKeyword } from "../../model/lowered.js";
import { isAmbiguous } from "./ambiguity.js";
import { asSchema, type Dropping, type LowerContext, type Node, place, type WireSchema } from "./context.js";
import { describeKeyword, joinDescription } from "./describe.js";
import type { Dialect } from "./dialect.js";
import { withDiscriminatorFirst } from "./discriminator.js";
import { lowerFurther, lowerRecord } from "./lower-record.js";
import { lowerTuple } from "./lower-tuple.js";
import { findReferences, mentioned, type References, referenceName } from "./references.js";
import { encodePointer, resolveReference, typeNames } from "./schema-fits.js";
import { type Branch, type Field, SAME, type Shape, type ShapeScope } from "./shapes.js";
import { admitsNull, isNever, isUnknown, nullable, valueSchema } from "./wire-forms.js";

/** A wire schema with what is needed to read values that were written by it. */
export interface LoweringResult {
  readonly schema: WireSchema;
  readonly shape: Shape;
  readonly scope: ShapeScope;
  readonly dropped: readonly DroppedKeyword[];
  /** What was reshaped, for people. */
  readonly notes: readonly string[];
  /** Why the schema cannot be strict in this dialect; empty when it can. */
  readonly misfits: readonly string[];
}

/** How deep a recursive type is written out where the wire has no references. */
const UNROLLED_LEVELS = 3;
/** Schemas that inlining may write in all; beyond it a reference is only described. */
const INLINED_SCHEMAS = 1_000;

const ANNOTATIONS = ["title", "default", "examples", "deprecated"] as const;
const VALUE_KEYWORDS = [
  "contentEncoding",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "not",
] as const;

/**
 * Rewrites a neutral schema into what a dialect can say. The root of the result is always an object.
 *
 * @param neutral Not modified.
 */
export function lowerSchema(neutral: JsonSchema, dialect: Dialect): LoweringResult {
  return new Lowering(neutral, dialect).run();
}

class Lowering implements LowerContext {
  private readonly root: JsonSchema;
  readonly dialect: Dialect;
  private readonly references: References;
  private readonly unrolled: ReadonlySet<string>;
  private readonly definitions = new Map<string, Node | undefined>();
  private readonly dropped = new Map<string, DroppedKeyword>();
  private readonly notes = new Set<string>();
  private readonly misfits = new Set<string>();
  private readonly unions: { readonly branches: readonly Branch[]; readonly pointer: string }[] = [];
  /** Names of the definitions that are being inlined. */
  private readonly inlining: string[] = [];
  private inlined = 0;

  constructor(root: JsonSchema, dialect: Dialect) {
    this.root = root;
    this.dialect = dialect;
    this.references = findReferences(root);
    this.unrolled = dialect.recursion === "optional-properties" ? this.references.endless : new Set();
    if (dialect.recursion === "refused") {
      for (const name of this.references.recursive) this.misfits.add(`the type ${name} contains itself`);
    }
  }

  run(): LoweringResult {
    const { schema: root, pointer } = this.entry();
    let { wire, shape } = this.lower(root, pointer);
    if (wire.type !== "object" || wire.anyOf !== undefined) {
      this.notes.add("the root is sent as the property `value` of an object");
      wire = { type: "object", properties: { value: wire }, required: ["value"], additionalProperties: false };
      if (this.dialect.closed === "lost") delete wire.additionalProperties;
      shape = { kind: "wrapped", value: shape };
    }
    const definitions = Object.keys(this.root.$defs ?? {}).flatMap((name) => {
      const node = this.definitions.get(name);
      return node === undefined ? [] : [[name, node] as const];
    });
    if (definitions.length > 0) {
      wire = { ...wire, $defs: Object.fromEntries(definitions.map(([name, node]) => [name, node.wire])) };
    }
    const shapes = new Map(definitions.map(([name, node]) => [name, node.shape]));
    const scope = { shapes, neutralRoot: this.root, wireRoot: wire };
    for (const { branches, pointer } of this.unions) {
      const unclear = branches.some((left, index) =>
        branches.slice(index + 1).some((right) => isAmbiguous(left, right, scope)),
      );
      if (unclear)
        this.misfits.add(`the branches of the union at ${place(pointer)} could not be told apart on the wire`);
    }
    return {
      schema: wire,
      shape,
      scope,
      dropped: [...this.dropped.values()],
      notes: [...this.notes],
      misfits: [...this.misfits],
    };
  }

  /** A wire wants its root written out, so that a root that is a reference is replaced by what it names. */
  private entry(): { schema: JsonSchema; pointer: string } {
    let { $defs: _, ...schema }: JsonSchema = this.root;
    let pointer = "";
    for (const seen = new Set<string>(); schema.$ref !== undefined && !seen.has(schema.$ref); ) {
      const { $ref: reference, ...siblings } = schema;
      const target = resolveReference(reference, this.root);
      if (target === undefined) break;
      seen.add(reference);
      pointer = definitionPointer(referenceName(reference));
      schema = { ...target, ...siblings };
    }
    return { schema, pointer };
  }

  lower(schema: JsonSchema, pointer: string): Node {
    if (this.inlining.length > 0) this.inlined += 1;
    if (schema.$ref !== undefined) return this.lowerReference(schema, schema.$ref, pointer);
    const remarks: string[] = [];
    const types = typeNames(schema) as readonly JsonTypeName[];
    let node: Node;
    if (schema.const !== undefined || schema.enum !== undefined) node = this.lowerValues(schema, pointer, remarks);
    else if (schema.anyOf !== undefined && types.length === 0) {
      node = this.lowerUnion(schema.anyOf, { pointer, at: (index) => `${pointer}/anyOf/${index}` });
    } else if (types.length > 1 && (types.includes("object") || types.includes("array"))) {
      const branches = types.map((type) => onlyFor(type, schema));
      node = this.lowerUnion(branches, { pointer, at: () => pointer });
      return this.annotate(node, schema, { pointer, remarks, carried: VALUE_KEYWORDS });
    } else if (isUnknown(schema)) node = this.lowerUnknown(remarks);
    else if (types[0] === "object") node = this.lowerObject(schema, pointer, remarks);
    else if (types[0] === "array") node = this.lowerArray(schema, pointer, remarks);
    else node = { wire: { type: types.length === 1 ? types[0]! : types }, shape: SAME };
    if (schema.anyOf !== undefined && types.length > 0) this.drop(pointer, "anyOf", { value: schema.anyOf, remarks });
    return this.annotate(node, schema, { pointer, remarks, carried: [] });
  }

  /** Adds to a node what its schema says beside its structure. */
  private annotate(
    node: Node,
    schema: JsonSchema,
    options: { pointer: string; remarks: string[]; carried: readonly string[] },
  ): Node {
    const wire: WireSchema = { ...node.wire };
    const { pointer, remarks } = options;
    // A reshaped value is a string, an array or an object of another kind: its keywords would speak of the wrong thing.
    const reshaped = ["tuple", "pairs", "text"].includes(node.shape.kind);
    for (const keyword of [...VALUE_KEYWORDS, ...ANNOTATIONS]) {
      const value = schema[keyword] as Json | undefined;
      if (value === undefined || options.carried.includes(keyword)) continue;
      const isAnnotation = (ANNOTATIONS as readonly string[]).includes(keyword);
      const impliedByForm = node.shape.kind === "tuple" && (keyword === "minItems" || keyword === "maxItems");
      if (impliedByForm || Object.hasOwn(wire, keyword)) continue;
      if (
        this.carries(keyword, value) &&
        (isAnnotation ? node.shape.kind === "same" || keyword === "title" : !reshaped)
      ) {
        Object.assign(wire, { [keyword]: value });
      } else this.drop(pointer, keyword, { value: value, remarks });
    }
    const description = joinDescription(joinDescription(schema.description, remarks), describedBy(node.wire));
    if (description !== undefined) wire.description = description;
    return { wire, shape: node.shape };
  }

  private carries(keyword: string, value: Json): boolean {
    if (keyword === "format") return this.dialect.formats?.has(String(value)) === true;
    if (keyword === "pattern")
      return this.dialect.patterns !== undefined && isPlain(String(value), this.dialect.patterns);
    if (keyword === "minItems") return Number(value) <= this.dialect.minItems;
    return this.dialect.keywords.has(keyword);
  }

  drop(pointer: string, keyword: string, { value, said, remarks }: Dropping): void {
    this.dropped.set(`${pointer} ${keyword} ${typeof value === "string" ? value : ""}`, {
      pointer,
      keyword,
      value: value as Json,
    });
    remarks?.push(describeKeyword(keyword, said ?? withoutCodecs(value as Json)));
  }

  private lowerReference(schema: JsonSchema, reference: string, pointer: string): Node {
    const name = referenceName(reference);
    const target = resolveReference(reference, this.root);
    const { $ref: _, ...siblings } = schema;
    if (target === undefined)
      return this.annotate(this.lowerUnknown([]), siblings, { pointer, remarks: [], carried: [] });
    const annotated = Object.keys(siblings).some((keyword) => keyword !== "x-codec");
    const inlinesOnce = this.dialect.references === "bare" && annotated && this.inlining.length === 0;
    if (this.dialect.references === "inline" || this.unrolled.has(name) || inlinesOnce) {
      return this.inline({ name, target, siblings, pointer, reference });
    }
    if (!this.definitions.has(name)) {
      this.definitions.set(name, undefined);
      this.definitions.set(name, this.lower(target, definitionPointer(name)));
    }
    const shape: Shape = { kind: "reference", name };
    const wire: WireSchema = { $ref: reference };
    if (!annotated) return { wire, shape };
    return this.annotate({ wire: { anyOf: [wire] }, shape }, siblings, { pointer, remarks: [], carried: [] });
  }

  private inline(site: {
    name: string;
    target: JsonSchema;
    siblings: JsonSchema;
    pointer: string;
    reference: string;
  }): Node {
    const { name, target, siblings, pointer } = site;
    const depth = this.inlining.filter((open) => open === name).length;
    if (depth >= UNROLLED_LEVELS || this.inlined >= INLINED_SCHEMAS) return this.lowerDeeper(site);
    // Both texts stay: what the type is, and what it is for at this place.
    const text = [siblings.description, target.description].filter((part) => part !== undefined && part !== "");
    const merged: JsonSchema = { ...target, ...siblings };
    if (text.length > 0) merged.description = [...new Set(text)].join("\n");
    this.inlining.push(name);
    // Named by its own place, not by the one that refers to it: that is where its keywords stand.
    const node = this.lower(
      merged,
      Object.keys(siblings).some((key) => key !== "description") ? pointer : definitionPointer(name),
    );
    this.inlining.pop();
    return node;
  }

  private lowerDeeper(site: {
    name: string;
    target: JsonSchema;
    siblings: JsonSchema;
    pointer: string;
    reference: string;
  }): Node {
    this.drop(site.pointer, "$ref", { value: site.reference });
    const type = typeNames(site.target);
    const text = `${site.name} again, nested deeper`;
    const node: Node =
      this.dialect.unknown === "text"
        ? { wire: { type: "string", description: `JSON text of ${text}` }, shape: { kind: "text" } }
        : { wire: { ...(type.length === 1 ? { type: type[0] as JsonTypeName } : {}), description: text }, shape: SAME };
    return this.annotate(node, site.siblings, { pointer: site.pointer, remarks: [], carried: [] });
  }

  private lowerUnknown(remarks: string[]): Node {
    if (this.dialect.unknown === "untyped") return { wire: {}, shape: SAME };
    remarks.push("JSON text of any value");
    return { wire: { type: "string" }, shape: { kind: "text" } };
  }

  private lowerValues(schema: JsonSchema, pointer: string, remarks: string[]): Node {
    const values = schema.const !== undefined ? [schema.const] : (schema.enum ?? []);
    const keyword = schema.const !== undefined ? "const" : "enum";
    const wire = valueSchema(values, typeNames(schema) as readonly JsonTypeName[], this.dialect);
    if (wire !== undefined) {
      if (wire.loses) this.drop(pointer, keyword, { value: keyword === "const" ? values[0]! : values, remarks });
      return { wire: wire.schema, shape: SAME };
    }
    if (this.dialect.closed === "required") {
      this.misfits.add(`the ${keyword} at ${place(pointer)} holds an object or an array`);
    }
    this.drop(pointer, keyword, { value: keyword === "const" ? values[0]! : values, remarks });
    return this.lowerUnknown(remarks);
  }

  lowerUnion(schemas: readonly JsonSchema[], site: { readonly pointer: string; at(index: number): string }): Node {
    const branches = schemas.map((neutral, index): Branch => {
      const { wire, shape } = this.lower(neutral, site.at(index));
      return { neutral, wire, shape };
    });
    const wires = branches.map((branch) => branch.wire as WireSchema);
    const wire: WireSchema = {
      anyOf: this.dialect.discriminatorFirst === true ? withDiscriminatorFirst(wires) : wires,
    };
    if (branches.every((branch) => branch.shape.kind === "same")) return { wire, shape: SAME };
    this.unions.push({ branches, pointer: site.pointer });
    return { wire, shape: { kind: "union", branches } };
  }

  private lowerArray(schema: JsonSchema, pointer: string, remarks: string[]): Node {
    if (schema.prefixItems !== undefined && schema.prefixItems.length > 0) {
      return lowerTuple(schema, this, { pointer, remarks });
    }
    if (schema.items === false) {
      this.drop(pointer, "items", { value: false, remarks });
      return { wire: { type: "array", items: { type: "string" } }, shape: SAME };
    }
    const items = this.lower(asSchema(schema.items), `${pointer}/items`);
    return {
      wire: { type: "array", items: items.wire },
      shape: items.shape.kind === "same" ? SAME : { kind: "array", items: items.shape },
    };
  }

  private lowerObject(schema: JsonSchema, pointer: string, remarks: string[]): Node {
    const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined;
    const named = Object.entries(schema.properties ?? {});
    if (!isClosed && this.dialect.closed === "required") return lowerRecord(schema, this, { pointer, remarks });
    const fields = new Map<string, Field>();
    const properties: [string, WireSchema][] = [];
    const required: string[] = [];
    for (const [name, property] of named) {
      const at = `${pointer}/properties/${encodePointer(name)}`;
      if (isNever(property)) {
        this.drop(at, "not", { value: property.not ?? {}, remarks });
        continue;
      }
      const isRequired = schema.required?.includes(name) === true;
      const field = this.field(this.lower(property, at), property, { required: isRequired });
      fields.set(name, field);
      properties.push([name, field.wire]);
      if (isRequired && this.recurs(property, pointer)) this.drop(pointer, "required", { value: name, remarks });
      else if (isRequired || this.dialect.optional === "nullable") required.push(name);
    }
    const wire: WireSchema = { type: "object", properties: Object.fromEntries(properties), required };
    // A root without properties still has to list them; elsewhere an empty list says nothing.
    if (required.length === 0 && this.dialect.closed !== "required") delete wire.required;
    if (this.dialect.propertyOrdering === true && properties.length > 1) {
      wire.propertyOrdering = properties.map(([name]) => name);
    }
    const { shape: rest, ...further } = lowerFurther(schema, this, { pointer, remarks });
    const plain = [...fields.values()].every((field) => field.presence === "plain" && field.shape.kind === "same");
    if (plain && rest.kind === "same") return { wire: { ...wire, ...further }, shape: SAME };
    return {
      wire: { ...wire, ...further },
      shape: { kind: "object", fields, ...(rest.kind === "same" ? {} : { rest }) },
    };
  }

  field(node: Node, neutral: JsonSchema, options: { required: boolean }): Field & { wire: WireSchema } {
    if (options.required || this.dialect.optional === "not-required") {
      return { wire: node.wire, shape: node.shape, presence: "plain" };
    }
    // JSON text has its own null ("null"), so a bare null can only mean absent.
    const nullIsValue = node.shape.kind !== "text" && admitsNull(neutral, this.root);
    return {
      wire: nullable(node.wire),
      shape: node.shape,
      presence: nullIsValue ? "absent-as-null" : "null-is-absent",
    };
  }

  note(text: string): void {
    this.notes.add(text);
  }

  misfit(text: string): void {
    this.misfits.add(text);
  }

  /** Whether a schema refers to one of the names that keep their definition, be it through those that are written out. */
  private leadsTo(schema: JsonSchema, names: ReadonlySet<string>, seen: Set<string>): boolean {
    return [...mentioned(schema)].some((name) => {
      if (!this.unrolled.has(name)) return names.has(name);
      if (seen.has(name)) return false;
      seen.add(name);
      return this.leadsTo(this.root.$defs?.[name] ?? {}, names, seen);
    });
  }

  /** Whether a required property leads back to the definition that it stands in, where that is not allowed. */
  private recurs(property: JsonSchema, pointer: string): boolean {
    if (this.dialect.recursion !== "optional-properties" || this.references.recursive.size === 0) return false;
    const own = [...this.references.recursive].find(
      (name) => pointer === definitionPointer(name) || pointer.startsWith(`${definitionPointer(name)}/`),
    );
    const cycle = own === undefined ? new Set<string>() : this.references.cycleOf(own);
    return this.leadsTo(property, cycle, new Set());
  }
}

function definitionPointer(name: string): string {
  return `/$defs/${encodePointer(name)}`;
}

function describedBy(wire: WireSchema): readonly string[] {
  return wire.description === undefined ? [] : [wire.description];
}

const TYPE_KEYWORDS: { readonly [type: string]: readonly string[] } = {
  string: ["minLength", "maxLength", "pattern", "format", "contentEncoding"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"],
  object: [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
  ],
};

/** The part of a schema with several types that speaks of one of them. */
function onlyFor(type: JsonTypeName, schema: JsonSchema): JsonSchema {
  const kept = TYPE_KEYWORDS[type] ?? [];
  const part = Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.includes(keyword)));
  return { type, ...part };
}

function isPlain(pattern: string, level: "no-look" | "simple"): boolean {
  if (/\(\?[=!<]|\\[1-9]|\\k</.test(pattern)) return false;
  return level === "no-look" || !/\\[bBpPuxc]/.test(pattern);
}

/** `x-codec` is ours alone and goes on no wire, in no description either. */
function withoutCodecs(value: Json): Json {
  return JSON.parse(JSON.stringify(value), (key, item: Json) => (key === "x-codec" ? undefined : item)) as Json;
}
