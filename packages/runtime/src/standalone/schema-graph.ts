import { isRecord } from "../manifest/is-record.js";
import { appendPointer, readReference, resolveKeys } from "../manifest/json-pointer.js";
import type { JsonSchema } from "../manifest/json-schema.js";

const NAMES_TO_SCHEMAS = ["properties", "patternProperties"] as const;
const LISTS = ["prefixItems", "anyOf"] as const;
const SINGLE = ["items", "additionalProperties"] as const;
/** What no value is checked by. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$defs",
  "$schema",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "contentEncoding",
  "x-codec",
]);

/**
 * All schemas of a manifest as a graph: each schema is a node that refers to those directly inside it, and equal ones
 * are one node. So every place of every schema has a function of its own, and the text grows with the schemas, not with
 * their depth.
 */
export class SchemaGraph {
  /** Node number → its schema, with `$ref: "NUMBER"` for what is inside. */
  readonly nodes: (object | undefined)[] = [];
  readonly #byText = new Map<string, number>();

  /** @returns The node of the root and of each place below it that validation may ask for, by JSON Pointer. */
  add(root: JsonSchema): ReadonlyMap<string, number> {
    const reading = new RootReading(root, this);
    const places = new Map<string, number>();
    const visit = (schema: unknown, pointer: string): void => {
      if (!isRecord(schema)) return;
      places.set(pointer, reading.nodeOf(schema));
      for (const keyword of [...NAMES_TO_SCHEMAS, "$defs", ...LISTS]) {
        const held = schema[keyword];
        if (typeof held !== "object" || held === null) continue;
        for (const [key, part] of Object.entries(held)) {
          visit(part, appendPointer(appendPointer(pointer, keyword), key));
        }
      }
      for (const keyword of SINGLE) visit(schema[keyword], appendPointer(pointer, keyword));
    };
    visit(root, "");
    return places;
  }

  /** The node with this content; for one that contains itself, at the number that was reserved for it. */
  intern(content: object, reserved: number | undefined): number {
    if (reserved !== undefined) {
      this.nodes[reserved] = content;
      return reserved;
    }
    const text = JSON.stringify(content);
    let number = this.#byText.get(text);
    if (number === undefined) {
      number = this.reserve();
      this.nodes[number] = content;
      this.#byText.set(text, number);
    }
    return number;
  }

  reserve(): number {
    return this.nodes.push(undefined) - 1;
  }
}

class RootReading {
  readonly #root: JsonSchema;
  readonly #graph: SchemaGraph;
  readonly #numbers = new Map<object, number>();
  /** What is being read; with the number that it was given because it contains itself. */
  readonly #open = new Map<object, number | undefined>();

  constructor(root: JsonSchema, graph: SchemaGraph) {
    this.#root = root;
    this.#graph = graph;
  }

  nodeOf(schema: object): number {
    const known = this.#numbers.get(schema);
    if (known !== undefined) return known;
    if (this.#open.has(schema)) {
      const reserved = this.#open.get(schema) ?? this.#graph.reserve();
      this.#open.set(schema, reserved);
      return reserved;
    }
    this.#open.set(schema, undefined);
    const content = this.#rewrite(schema as Record<string, unknown>);
    const number = this.#graph.intern(content, this.#open.get(schema));
    this.#open.delete(schema);
    this.#numbers.set(schema, number);
    return number;
  }

  #rewrite(schema: Record<string, unknown>): object {
    const content: [string, unknown][] = [];
    for (const [keyword, held] of Object.entries(schema)) {
      if (ANNOTATIONS.has(keyword)) continue;
      // For `uniqueItems` Ajv looks at the type of the items, where it stands, to choose how it compares them.
      const inPlace = keyword === "items" && schema.uniqueItems === true && isRecord(held);
      content.push([keyword, inPlace ? this.#rewrite(held) : this.#rewriteKeyword(keyword, held)]);
    }
    return Object.fromEntries(content);
  }

  #rewriteKeyword(keyword: string, held: unknown): unknown {
    const refer = (part: unknown) => (isRecord(part) ? { $ref: String(this.nodeOf(part)) } : part);
    switch (keyword) {
      case "$ref": {
        const keys = readReference(String(held));
        const target = keys === undefined ? undefined : resolveKeys(this.#root, keys);
        if (!isRecord(target)) throw new Error(`there is no schema at ${String(held)}`);
        return String(this.nodeOf(target));
      }
      case "properties":
      case "patternProperties":
        return Object.fromEntries(Object.entries(held as object).map(([name, part]) => [name, refer(part)]));
      case "prefixItems":
      case "anyOf":
        return (held as unknown[]).map(refer);
      case "items":
      case "additionalProperties":
        return refer(held);
      case "allOf":
        return (held as unknown[]).map((part) => (isRecord(part) ? this.#rewrite(part) : part));
      case "not":
      case "propertyNames":
        return isRecord(held) ? this.#rewrite(held) : held;
      default:
        return held;
    }
  }
}
