import type { JsonSchema } from "@callsign/runtime/manifest";
import type { ts } from "@ts-morph/common";
import { partsOf } from "./emit-schema.js";
import { memberPath, type TypeSite } from "./type-site.js";

/**
 * Where the parts of one schema were written, by their path in the signature. A schema is copied and reshaped on its
 * way to the manifest, so objects cannot carry their places; paths can. Kept only for builds that check targets.
 */
export class SchemaPlaces {
  /** What a problem of the whole points at. */
  readonly node: ts.Node;
  /** The path of the schema's root: the name of a lone parameter, else empty. */
  root = "";
  readonly #sites = new Map<string, TypeSite>();

  constructor(node: ts.Node) {
    this.node = node;
  }

  /** A type is mapped at its first use only: that is where it is said to stand. */
  add(site: TypeSite): void {
    if (!this.#sites.has(site.path)) this.#sites.set(site.path, site);
  }

  /**
   * The site of what a JSON Pointer into the emitted schema names: its exact path, at the place of the nearest part
   * around it that was seen.
   */
  locate(schema: JsonSchema, pointer: string): TypeSite | undefined {
    const paths = this.#pathsTo(schema, pointer);
    const path = paths.at(-1) ?? this.root;
    const near = paths.findLast((each) => this.#sites.has(each));
    const site = near === undefined ? undefined : this.#sites.get(near);
    return site === undefined ? undefined : { ...site, path };
  }

  #pathsTo(root: JsonSchema, pointer: string): string[] {
    const tokens = pointer
      .split("/")
      .slice(1)
      .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
    const paths = [this.root];
    let path = this.root;
    let schema: JsonSchema = root;
    for (let at = 0; at < tokens.length; ) {
      const keyword = tokens[at] as keyof JsonSchema;
      const hasKey = KEYED.has(keyword);
      const key = hasKey ? (tokens[at + 1] ?? "") : "";
      if (keyword === "$defs") path = this.#firstUses(root).get(key) ?? path;
      else path = `${path}${step(schema, { keyword, key, path })}`;
      paths.push(path);
      at += hasKey ? 2 : 1;
      const held = schema[keyword] as unknown;
      const next = hasKey ? (held as { [key: string]: unknown } | undefined)?.[key] : held;
      schema = typeof next === "object" && next !== null ? (next as JsonSchema) : {};
    }
    return paths;
  }

  /** The path at which each definition is used first, in the order in which types are mapped. */
  #firstUses(root: JsonSchema): ReadonlyMap<string, string> {
    const uses = new Map<string, string>();
    const visit = (schema: JsonSchema, path: string): void => {
      const name = schema.$ref?.replace("#/$defs/", "");
      if (name !== undefined && !uses.has(name)) {
        uses.set(name, path);
        visit(root.$defs?.[name] ?? {}, path);
      }
      for (const part of partsOf(schema)) visit(part, `${path}${stepTo(schema, part, path)}`);
    };
    visit(root, this.root);
    return uses;
  }
}

const KEYED: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "anyOf", "prefixItems"]);

function step(
  schema: JsonSchema,
  { keyword, key, path }: { readonly keyword: string; readonly key: string; readonly path: string },
): string {
  switch (keyword) {
    case "properties":
      return memberPath(path, key).slice(path.length);
    case "patternProperties":
    case "additionalProperties":
      return "{}";
    case "items":
      return schema.prefixItems === undefined ? "[]" : `[${schema.prefixItems.length}]`;
    case "prefixItems":
      return `[${key}]`;
    default:
      return "";
  }
}

function stepTo(schema: JsonSchema, part: JsonSchema, path: string): string {
  const name = Object.keys(schema.properties ?? {}).find((each) => schema.properties?.[each] === part);
  if (name !== undefined) return step(schema, { keyword: "properties", key: name, path });
  if (schema.items === part) return step(schema, { keyword: "items", key: "", path });
  const position = schema.prefixItems?.indexOf(part) ?? -1;
  if (position >= 0) return `[${position}]`;
  const isValue =
    schema.additionalProperties === part || Object.values(schema.patternProperties ?? {}).some((each) => each === part);
  return isValue ? "{}" : "";
}
