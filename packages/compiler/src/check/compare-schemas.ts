import { isDeepStrictEqual } from "node:util";
import type { Json, JsonSchema, JsonTypeName } from "@callsign/runtime/manifest";

/** One change between two schemas. */
export interface SchemaChange {
  /** From the root, as in a signature: `filter.tags[]`, `pair[1]`, `byName{}`; empty for the root. */
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** The keyword, or `property`. */
  readonly what: string;
  readonly before?: Json;
  readonly after?: Json;
  /** Some value that was taken before is no longer taken. */
  readonly narrows: boolean;
  /** Some value that was not taken before is taken now. */
  readonly widens: boolean;
}

/**
 * Lists what changed from one neutral schema to another, property by property.
 *
 * `narrows` and `widens` are judged keyword by keyword: where that cannot tell, both are true. Local references are
 * followed, so moving a type to `$defs` or back is no change.
 */
export function compareSchemas(before: JsonSchema, after: JsonSchema): SchemaChange[] {
  return new SchemaComparison(before, after).run();
}

class SchemaComparison {
  readonly #before: JsonSchema;
  readonly #after: JsonSchema;
  readonly #changes: SchemaChange[] = [];
  // Types that recur: a pair that is being compared further up adds nothing below.
  readonly #open = new Set<string>();
  // Types that are used in many places, equal in both: a diamond of references must not be walked path by path.
  readonly #settled = new Set<string>();

  constructor(before: JsonSchema, after: JsonSchema) {
    this.#before = before;
    this.#after = after;
  }

  run(): SchemaChange[] {
    this.#compare(this.#before, this.#after, "");
    return this.#changes;
  }

  #compare(before: JsonSchema, after: JsonSchema, path: string): void {
    const pair = before.$ref !== undefined && after.$ref !== undefined ? `${before.$ref} ${after.$ref}` : undefined;
    if (pair !== undefined) {
      if (this.#open.has(pair) || this.#settled.has(pair) || this.#changes.length >= MAX_CHANGES) return;
      this.#open.add(pair);
    }
    const count = this.#changes.length;
    this.#compareResolved(resolve(before, this.#before), resolve(after, this.#after), path);
    if (pair !== undefined) {
      this.#open.delete(pair);
      // In a recursion that rests on an outer pair being equal; where it is not, its own place tells so.
      if (this.#changes.length === count) this.#settled.add(pair);
    }
  }

  #compareResolved(before: JsonSchema, after: JsonSchema, path: string): void {
    if (isDeepStrictEqual(withoutDefs(before), withoutDefs(after)) && !holdsReference(before)) return;
    this.#compareNotes(before, after, path);
    if (before.anyOf !== undefined || after.anyOf !== undefined) {
      this.#compareBranches(before, after, path);
      return;
    }
    if (isAnything(before) || isAnything(after)) {
      if (isAnything(before) !== isAnything(after)) {
        this.#report(path, "type", typeOf(before), typeOf(after), {
          narrows: isAnything(before),
          widens: isAnything(after),
        });
      }
      return;
    }
    this.#compareValues(before, after, path);
    this.#compareLimits(before, after, path);
    this.#compareProperties(before, after, path);
    this.#compareElements(before, after, path);
  }

  #compareNotes(before: JsonSchema, after: JsonSchema, path: string): void {
    for (const keyword of NOTES) {
      if (!isDeepStrictEqual(before[keyword], after[keyword])) {
        this.#report(path, keyword, before[keyword], after[keyword], { narrows: false, widens: false });
      }
    }
  }

  #compareBranches(before: JsonSchema, after: JsonSchema, path: string): void {
    const rest = { before: branchesOf(before), after: branchesOf(after) };
    const lost = rest.before.filter((branch) => !rest.after.some((other) => this.#same(branch, other)));
    const gained = rest.after.filter((branch) => !rest.before.some((other) => this.#same(other, branch)));
    // One branch on either side is most likely the same one, changed; its own changes say more than both texts.
    if (lost.length === 1 && gained.length === 1) this.#compare(lost[0]!, gained[0]!, path);
    if (lost.length === gained.length && lost.length < 2) return;
    this.#report(path, "type", rest.before.map(typeOf).join(" | "), rest.after.map(typeOf).join(" | "), {
      narrows: lost.length > 0,
      widens: gained.length > 0,
    });
  }

  #same(before: JsonSchema, after: JsonSchema): boolean {
    const comparison = new SchemaComparison(
      { ...before, $defs: this.#before.$defs ?? {} },
      { ...after, $defs: this.#after.$defs ?? {} },
    );
    for (const pair of this.#open) comparison.#open.add(pair);
    return comparison.run().every((change) => !change.narrows && !change.widens);
  }

  #compareValues(before: JsonSchema, after: JsonSchema, path: string): void {
    const values = { before: valuesOf(before), after: valuesOf(after) };
    if (values.before !== undefined || values.after !== undefined) {
      const narrows = !includesAll(values.after, values.before, after, before);
      const widens = !includesAll(values.before, values.after, before, after);
      if (narrows || widens) {
        const what = values.before !== undefined && values.after !== undefined ? "values" : "type";
        this.#report(path, what, describeValues(before), describeValues(after), { narrows, widens });
      }
      return;
    }
    const types = { before: typesOf(before), after: typesOf(after) };
    const takes = (taken: readonly string[], type: string) =>
      taken.includes(type) || (type === "integer" && taken.includes("number"));
    const narrows = types.before.some((type) => !takes(types.after, type));
    const widens = types.after.some((type) => !takes(types.before, type));
    if (narrows || widens) this.#report(path, "type", typeOf(before), typeOf(after), { narrows, widens });
  }

  #compareLimits(before: JsonSchema, after: JsonSchema, path: string): void {
    for (const keyword of LOWER_LIMITS) {
      this.#compareLimit(path, keyword, before[keyword], after[keyword], (a, b) => a > b);
    }
    for (const keyword of UPPER_LIMITS) {
      this.#compareLimit(path, keyword, before[keyword], after[keyword], (a, b) => a < b);
    }
    for (const keyword of RULES) {
      const [from, to] = [before[keyword], after[keyword]];
      if (isDeepStrictEqual(from, to)) continue;
      this.#report(path, keyword, from, to, { narrows: to !== undefined, widens: from !== undefined });
    }
    if (before["x-codec"] !== after["x-codec"]) {
      // The codec says which class the function gets; which JSON is taken, the other keywords say.
      this.#report(path, "x-codec", before["x-codec"], after["x-codec"], { narrows: false, widens: false });
    }
  }

  #compareLimit(
    path: string,
    keyword: string,
    before: number | undefined,
    after: number | undefined,
    stricter: (a: number, b: number) => boolean,
  ): void {
    if (before === after) return;
    const narrows = before === undefined || (after !== undefined && stricter(after, before));
    this.#report(path, keyword, before, after, { narrows, widens: !narrows });
  }

  #compareProperties(before: JsonSchema, after: JsonSchema, path: string): void {
    const names = new Set([...Object.keys(before.properties ?? {}), ...Object.keys(after.properties ?? {})]);
    for (const name of names) {
      const from = own(before.properties, name);
      const to = own(after.properties, name);
      const at = path === "" ? propertyPath(name) : `${path}${propertyPath(name, ".")}`;
      const required = { before: isRequired(before, name), after: isRequired(after, name) };
      if (from === undefined && to !== undefined) {
        // An open object took the name before, with any value; then the new property can only narrow it.
        const wasOpen = before.additionalProperties !== false;
        const text = `${required.after ? "required" : "optional"} ${typeOf(resolve(to, this.#after))}`;
        const narrows = required.after || (wasOpen && !isAnything(resolve(to, this.#after)) && this.#closes(before));
        this.#changes.push({ path: at, change: "added", what: "property", after: text, narrows, widens: !wasOpen });
      } else if (from !== undefined && to === undefined) {
        const isOpen = after.additionalProperties !== false;
        const text = `${required.before ? "required" : "optional"} ${typeOf(resolve(from, this.#before))}`;
        this.#changes.push({
          path: at,
          change: "removed",
          what: "property",
          before: text,
          narrows: !isOpen,
          widens: isOpen || required.before,
        });
      } else if (from !== undefined && to !== undefined) {
        if (required.before !== required.after) {
          const [was, is] = [required.before, required.after].map((yes) => (yes ? "required" : "optional"));
          this.#report(at, "presence", was, is, { narrows: required.after, widens: required.before });
        }
        this.#compare(from, to, at);
      }
    }
    this.#compareSubschema(
      before.additionalProperties,
      after.additionalProperties,
      `${path}{}`,
      "additionalProperties",
    );
    this.#compareMaps(before.patternProperties, after.patternProperties, path);
    this.#compareSubschema(before.propertyNames, after.propertyNames, `${path}{key}`, "propertyNames");
  }

  // Returns and other open objects say nothing about further keys; a new optional key there is no narrowing in practice.
  #closes(before: JsonSchema): boolean {
    return typeof before.additionalProperties === "object" && !isAnything(before.additionalProperties);
  }

  #compareMaps(
    before: JsonSchema["patternProperties"] = {},
    after: JsonSchema["patternProperties"] = {},
    path: string,
  ): void {
    for (const pattern of new Set([...Object.keys(before), ...Object.keys(after)])) {
      this.#compareSubschema(own(before, pattern), own(after, pattern), `${path}{/${pattern}/}`, "patternProperties");
    }
  }

  #compareElements(before: JsonSchema, after: JsonSchema, path: string): void {
    const prefix = { before: before.prefixItems ?? [], after: after.prefixItems ?? [] };
    for (let index = 0; index < Math.max(prefix.before.length, prefix.after.length); index++) {
      this.#compareSubschema(
        prefix.before[index] ?? before.items,
        prefix.after[index] ?? after.items,
        `${path}[${index}]`,
        "prefixItems",
      );
    }
    this.#compareSubschema(before.items, after.items, `${path}[]`, "items");
  }

  /** Absent means anything, as does `true`; `false` means nothing. */
  #compareSubschema(
    before: boolean | JsonSchema | undefined,
    after: boolean | JsonSchema | undefined,
    path: string,
    keyword: string,
  ): void {
    const [from, to] = [before ?? true, after ?? true];
    if (typeof from === "object" && typeof to === "object") this.#compare(from, to, path);
    if (from === to || (typeof from === "object" && typeof to === "object")) return;
    const rank = (value: boolean | JsonSchema) => (value === false ? 0 : isAnything(value) ? 2 : 1);
    if (rank(from) === rank(to)) return;
    this.#report(path, keyword, describeSubschema(from), describeSubschema(to), {
      narrows: rank(to) < rank(from),
      widens: rank(to) > rank(from),
    });
  }

  #report(
    path: string,
    what: string,
    before: unknown,
    after: unknown,
    effect: { readonly narrows: boolean; readonly widens: boolean },
  ): void {
    this.#changes.push({
      path,
      change: before === undefined ? "added" : after === undefined ? "removed" : "changed",
      what,
      ...(before === undefined ? {} : { before: before as Json }),
      ...(after === undefined ? {} : { after: after as Json }),
      ...effect,
    });
  }
}

/** A type that changed shows at each of its uses; past this many nobody reads them. */
const MAX_CHANGES = 200;

const NOTES = ["title", "description", "default", "examples", "deprecated", "contentEncoding"] as const;
const LOWER_LIMITS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"] as const;
const UPPER_LIMITS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"] as const;
const RULES = ["pattern", "format", "multipleOf", "uniqueItems", "not"] as const;

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const seen = new Set<string>();
  let current = schema;
  while (current.$ref !== undefined && !seen.has(current.$ref)) {
    const { $ref, ...siblings } = current;
    seen.add($ref);
    const name = $ref
      .replace(/^#\/\$defs\//, "")
      .replaceAll("~1", "/")
      .replaceAll("~0", "~");
    const target = $ref === "#" ? withoutDefs(root) : own(root.$defs, decodeURIComponent(name));
    if (target === undefined) return siblings;
    current = { ...target, ...siblings };
  }
  return current;
}

function withoutDefs({ $defs: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function holdsReference(schema: JsonSchema): boolean {
  return JSON.stringify(withoutDefs(schema)).includes('"$ref"');
}

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  if (schema.anyOf !== undefined) return schema.anyOf;
  return Array.isArray(schema.type) ? schema.type.map((type: JsonTypeName) => ({ ...schema, type })) : [schema];
}

const CHECKED = new Set<string>([
  ...LOWER_LIMITS,
  ...UPPER_LIMITS,
  ...RULES,
  ...["$ref", "type", "const", "enum", "anyOf", "properties", "required", "additionalProperties"],
  ...["patternProperties", "propertyNames", "items", "prefixItems"],
]);

function isAnything(schema: boolean | JsonSchema): boolean {
  return schema === true || (schema !== false && !Object.keys(schema).some((keyword) => CHECKED.has(keyword)));
}

function typesOf({ type }: JsonSchema): readonly string[] {
  return type === undefined ? ALL_TYPES : typeof type === "string" ? [type] : type;
}

const ALL_TYPES = ["string", "number", "boolean", "null", "object", "array"] as const;

function valuesOf(schema: JsonSchema): readonly Json[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** Whether every value of `inner` is one of `outer`; undefined lists stand for all values of the schema's types. */
function includesAll(
  outer: readonly Json[] | undefined,
  inner: readonly Json[] | undefined,
  outerSchema: JsonSchema,
  innerSchema: JsonSchema,
): boolean {
  if (inner === undefined) {
    const isBoolean = outer !== undefined && typesOf(innerSchema).join() === "boolean";
    return outer === undefined || (isBoolean && outer.includes(true) && outer.includes(false));
  }
  if (outer !== undefined) return inner.every((value) => outer.some((other) => isDeepStrictEqual(other, value)));
  const types = typesOf(outerSchema);
  return inner.every((value) => {
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    return types.includes(type) || (Number.isInteger(value) && types.includes("integer"));
  });
}

function describeValues(schema: JsonSchema): string {
  return (
    valuesOf(schema)
      ?.map((value) => JSON.stringify(value))
      .join(" | ") ?? typeOf(schema)
  );
}

/** A short text in the manner of TypeScript. */
function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^#\/\$defs\//, "");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  const values = valuesOf(schema);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (isAnything(schema)) return "any value";
  if (schema["x-codec"] !== undefined) return `${typesOf(schema).join(" | ")} (${schema["x-codec"]})`;
  if (schema.type === "array" && typeof schema.items === "object") return `array of ${typeOf(schema.items)}`;
  return typesOf(schema).join(" | ");
}

function describeSubschema(schema: boolean | JsonSchema): string {
  return typeof schema === "boolean" ? (schema ? "any value" : "nothing") : typeOf(schema);
}

function isRequired(schema: JsonSchema, name: string): boolean {
  return schema.required?.includes(name) ?? false;
}

/** A property may be called `constructor`: what an object inherits must not be taken for it. */
function own<T>(map: { readonly [name: string]: T } | undefined, name: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

function propertyPath(name: string, dot = ""): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `${dot}${name}` : `[${JSON.stringify(name)}]`;
}
