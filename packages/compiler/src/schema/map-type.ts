import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Checker, Declaration, Doc, Place, Type } from "../checker/checker.js";
import type { Fault } from "../errors/messages.js";
import * as messages from "../errors/messages.js";
import { applyDoc } from "./apply-doc.js";
import { describeMembers } from "./describe-members.js";
import type { Candidate, MapContext, TypeMapper } from "./mapper.js";
import { mappers } from "./mappers.js";
import { nodeIdOf, nodeReference, type SchemaNode } from "./schema-node.js";
import type { SchemaPlaces } from "./schema-places.js";
import { joinPath, type TypeSite } from "./type-site.js";

/** How deep types may nest, and how many distinct parts one schema may have. */
export const LIMITS = { depth: 400, nodes: 100_000, instances: 60 };

/** What a mapper run is told. */
export interface SchemaMapperOptions {
  readonly checker: Checker;
  readonly direction: "input" | "output";
  readonly report: (fault: Fault, site: TypeSite) => void;
  /** Told of every part that is mapped. */
  readonly places?: SchemaPlaces | undefined;
}

/**
 * Maps the types of one signature. Structural types become nodes, one for each type, so that recursion ends where a
 * type meets itself and a type used often is mapped once; `emitSchema` writes the nodes out.
 */
export class SchemaMapper implements MapContext {
  readonly checker: Checker;
  readonly direction: "input" | "output";
  readonly nodes: SchemaNode[] = [];
  failed = false;
  readonly #report: SchemaMapperOptions["report"];
  readonly #places: SchemaPlaces | undefined;
  readonly #byType = new Map<Type | string, SchemaNode>();
  readonly #typeNumbers = new Map<object, number>();
  readonly #open: OpenNode[] = [];
  readonly #endless = new Set<object>();
  readonly #unresolvedSeen = new Set<Place>();

  constructor({ checker, direction, report, places }: SchemaMapperOptions) {
    this.checker = checker;
    this.direction = direction;
    this.#report = report;
    this.#places = places;
  }

  map(type: Type, site: TypeSite): JsonSchema {
    this.#places?.add(site);
    const unresolved = this.#failOnUnresolved(site);
    if (unresolved !== undefined) return unresolved;
    const solid = this.#withoutUndefined(type, site);
    if (solid === undefined) return this.fail(messages.undefinedValue(), site);
    const shape = this.checker.shape(solid.type);
    const structural =
      shape.kind === "union" ||
      shape.kind === "object" ||
      shape.kind === "array" ||
      shape.kind === "tuple" ||
      shape.kind === "intersection";
    const schema =
      structural || solid.members !== undefined ? this.#mapNode(solid, site) : this.#dispatch(solid.type, site);
    return this.#withAliasDoc(schema, site);
  }

  mapWithDoc(type: Type, site: TypeSite, doc: Doc): JsonSchema {
    return applyDoc(this.map(type, site), doc, site, this);
  }

  resolve(schema: JsonSchema): JsonSchema | undefined {
    const id = nodeIdOf(schema);
    if (id === undefined) return schema;
    const inner = this.nodes[id]?.schema;
    return inner === undefined ? undefined : this.resolve(inner);
  }

  fail(fault: Fault, site: TypeSite): JsonSchema {
    this.failed = true;
    this.#noteFault(site);
    this.#report(fault, site);
    return {};
  }

  warn(fault: Fault, site: TypeSite): void {
    this.#noteFault(site);
    this.#report(fault, site);
  }

  /** Where a type as a whole is at fault, so is each place that uses it. */
  #noteFault({ path }: TypeSite): void {
    const node = this.#open.at(-1);
    if (node?.site.path === path) node.faulty = true;
  }

  /** A name that means nothing makes the whole written type meaningless, whatever the checker made of it. */
  #failOnUnresolved(site: TypeSite): JsonSchema | undefined {
    if (site.written === undefined) return undefined;
    const names = this.checker.unresolvedNames(site.written);
    if (names.length === 0) return undefined;
    this.failed = true;
    for (const unresolved of names) {
      const { place } = unresolved;
      if (this.#unresolvedSeen.has(place)) continue;
      this.#unresolvedSeen.add(place);
      const editable = this.checker.isEditable(place);
      const at = { ...site, path: joinPath(site.path, unresolved.path) };
      this.#report(
        messages.unresolved(unresolved),
        editable ? { ...at, place, foreign: undefined } : { ...at, foreign: place },
      );
    }
    return {};
  }

  /** JSON has no undefined: where it is one of several, the others remain. */
  #withoutUndefined(type: Type, site: TypeSite): SolidType | undefined {
    if (this.checker.shape(type).kind !== "union") return { type };
    const { types, hasUndefined } = this.checker.unionMembers(type, site.written);
    if (!hasUndefined) return { type };
    const [only] = types;
    if (only === undefined) return undefined;
    if (types.length === 1) return { type: only };
    return { type, members: types };
  }

  #mapNode(solid: SolidType, site: TypeSite): JsonSchema {
    const declaration = this.checker.declaration(solid.type, site.written);
    const key = this.#keyOf(solid, { site, declaration });
    const known = this.#byType.get(key);
    if (known !== undefined) {
      if (known.schema === undefined) known.recursive = true;
      return nodeReference(known);
    }
    const stop = this.#limitReached(solid.type, declaration, site);
    if (stop !== undefined) return stop;
    const node: SchemaNode = {
      id: this.nodes.length,
      declaration,
      nameHint: site.path,
      schema: undefined,
      members: this.#describeMembers(solid, site),
      recursive: false,
    };
    this.nodes.push(node);
    this.#byType.set(key, node);
    const open: OpenNode = { declaration, site, size: this.#argumentDepth(solid.type, 0), faulty: false };
    this.#open.push(open);
    const mapped = this.#dispatch(solid.type, site);
    this.#open.pop();
    if (open.faulty && !node.recursive) this.#byType.delete(key);
    const documented = declaration?.place !== undefined && this.checker.libraryType(solid.type) === undefined;
    node.schema = documented
      ? applyDoc(mapped, this.checker.doc(declaration.place), { ...site, path: site.path }, this)
      : mapped;
    return nodeReference(node);
  }

  #describeMembers({ type }: SolidType, { written }: TypeSite): string {
    if (this.checker.shape(type).kind !== "union") return "";
    return describeMembers(this.checker.unionMembers(type, written).types, this.checker);
  }

  #limitReached(type: Type, declaration: Declaration | undefined, site: TypeSite): JsonSchema | undefined {
    if (declaration !== undefined && this.#endless.has(declaration.identity)) {
      this.failed = true;
      return {};
    }
    if (this.nodes.length >= LIMITS.nodes) {
      return this.failed ? {} : this.fail(messages.tooLarge(LIMITS.nodes), site);
    }
    if (this.#open.length >= LIMITS.depth) return this.failed ? {} : this.fail(messages.tooDeep(LIMITS.depth), site);
    if (declaration === undefined || declaration.typeArguments.length === 0) return undefined;
    let size = this.#argumentDepth(type, 0);
    let instances = 0;
    let outermost = site;
    for (let index = this.#open.length - 1; index >= 0; index--) {
      const outer = this.#open[index];
      if (outer?.declaration?.identity !== declaration.identity) continue;
      // An instance inside one of larger arguments comes nearer to its end.
      if (outer.size <= size) instances++;
      size = outer.size;
      outermost = outer.site;
    }
    if (instances < LIMITS.instances) return undefined;
    this.#endless.add(declaration.identity);
    return this.fail(messages.infiniteExpansion(declaration.name), outermost);
  }

  /** How deep the type arguments of a type nest. */
  #argumentDepth(type: Type, depth: number): number {
    if (depth > LIMITS.depth) return 0;
    const shape = this.checker.shape(type);
    if (shape.kind === "array") return 1 + this.#argumentDepth(shape.element, depth + 1);
    const inner = this.checker.declaration(type)?.typeArguments ?? [];
    return inner.length === 0 ? 0 : 1 + Math.max(...inner.map((argument) => this.#argumentDepth(argument, depth + 1)));
  }

  /** The checker has one type for all unions of the same members; order and name tell ours apart. */
  #keyOf(
    { type, members }: SolidType,
    { site, declaration }: { site: TypeSite; declaration: Declaration | undefined },
  ): Type | string {
    if (this.checker.shape(type).kind !== "union") return type;
    const types = members ?? this.checker.unionMembers(type, site.written).types;
    const name = declaration === undefined ? "" : this.#numberOf(declaration.identity);
    return `${name}:${types.map((member) => this.#numberOf(member)).join(" ")}`;
  }

  #numberOf(type: object): number {
    let number = this.#typeNumbers.get(type);
    if (number === undefined) {
      number = this.#typeNumbers.size;
      this.#typeNumbers.set(type, number);
    }
    return number;
  }

  #dispatch(type: Type, site: TypeSite): JsonSchema {
    const candidate: Candidate = { type, shape: this.checker.shape(type), checker: this.checker };
    const mapper = mapperOf(candidate);
    return mapper.toSchema(candidate, site, this);
  }

  /** JSDoc of an alias counts where the type is written by the alias's name: the type itself does not remember it. */
  #withAliasDoc(schema: JsonSchema, site: TypeSite, seen: readonly Place[] = []): JsonSchema {
    const id = nodeIdOf(schema);
    const alias = this.checker.writtenAlias(site.written);
    // An alias that leads to itself is an error of the type, which is told elsewhere.
    if (alias === undefined || seen.includes(alias.place)) return schema;
    if (id !== undefined && this.nodes[id]?.declaration?.place === alias.place) return schema;
    const inner = this.#withAliasDoc(schema, { ...site, written: alias.body }, [...seen, alias.place]);
    return applyDoc(inner, this.checker.doc(alias.place), site, this);
  }
}

/** A node that is being mapped. */
interface OpenNode {
  readonly declaration: Declaration | undefined;
  readonly site: TypeSite;
  /** How deep its type arguments nest. */
  readonly size: number;
  /** Whether something was said against the type itself, not a part of it. */
  faulty: boolean;
}

interface SolidType {
  readonly type: Type;
  /** The members of a union without undefined, when it had that. */
  readonly members?: readonly Type[];
}

/** The mapper of a type. Every type has one: the table is complete, as its tests show. */
export function mapperOf(candidate: Candidate): TypeMapper {
  const mapper = mappers.find((each) => each.accepts(candidate));
  if (mapper === undefined) throw new Error(`no mapper accepts the shape ${candidate.shape.kind}`);
  return mapper;
}
