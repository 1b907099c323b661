import type { JsonSchema } from "@callsign/runtime/manifest";
import type { ts } from "@ts-morph/common";
import type { Doc } from "../checker/checker.js";
import type { MapContext } from "../schema/mapper.js";

/** One `@param` tag. */
export interface ParameterDoc {
  readonly name: string;
  /** What stands in braces. */
  readonly type: string | undefined;
  readonly text: string;
  readonly node: ts.Node;
  /** `x.y` of `@param opts.x.y`. */
  readonly path: readonly string[];
  used: boolean;
}

/** The `@param` tags of one function. */
export class ParameterDocs {
  readonly #tags: ParameterDoc[];

  constructor(doc: Doc) {
    this.#tags = doc.tags
      .filter((tag) => tag.name === "param" || tag.name === "arg" || tag.name === "argument")
      .flatMap((tag) => {
        const type = bracedType(tag.text);
        const rest = tag.text.slice(type?.length ?? 0).trimStart();
        const match = /^(\[[^\s\]=]+(?:=[^\]]*)?\]|[^\s=]+)\s*([\s\S]*)$/.exec(rest);
        if (match === null) return [];
        const written = (match[1] ?? "").replace(/^\[([^\]=]*)(?:=.*)?\]$/, "$1");
        // `items[].sku`: a step of its own into the elements of the parameter itself.
        const [root = "", ...path] = written.replace(/^([^.[]+)\[\]/, "$1.[]").split(".");
        return [
          {
            name: root,
            type: type?.slice(1, -1).trim(),
            text: (match[2] ?? "").replace(/^-\s*/, "").trim(),
            node: tag.place as unknown as ts.Node,
            path,
            used: false,
          },
        ];
      });
  }

  /** The tag of a parameter. A pattern has no name: the first tag that names nothing else is about it. */
  take(name: string, { pattern = false }: { pattern?: boolean } = {}): ParameterDoc | undefined {
    const tag = this.#tags.find(
      (each) => each.path.length === 0 && !each.used && (pattern ? false : each.name === name),
    );
    if (tag !== undefined) tag.used = true;
    return tag;
  }

  /** Tags about members of a parameter; `members` are those of a pattern, whose own name is free. */
  members(name: string, members: readonly string[] | undefined): readonly ParameterDoc[] {
    const found: ParameterDoc[] = [];
    for (const tag of this.#tags) {
      if (tag.used) continue;
      const path = pathInto(tag, name, members);
      if (path === undefined) continue;
      tag.used = true;
      if (path.length > 0) found.push({ ...tag, path });
    }
    return found;
  }

  /** A tag whose path led nowhere. */
  putBack(tag: ParameterDoc): void {
    const own = this.#tags.find((each) => each.node === tag.node);
    if (own !== undefined) own.used = false;
  }

  /** Tags that are about nothing. */
  unused(): readonly { readonly name: string; readonly node: ts.Node }[] {
    return this.#tags
      .filter((tag) => !tag.used)
      .map((tag) => ({ name: [tag.name, ...tag.path].join(".").replace(".[]", "[]"), node: tag.node }));
  }
}

/** `{…}` at the start of a text, whatever braces it holds. */
function bracedType(text: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "{") depth++;
    else if (text[index] === "}" && --depth === 0) return text.slice(0, index + 1);
  }
  return undefined;
}

/** The path of a tag inside a parameter, empty where it is about the parameter itself, undefined where about another. */
function pathInto(
  tag: ParameterDoc,
  name: string,
  members: readonly string[] | undefined,
): readonly string[] | undefined {
  if (members === undefined) return tag.name === name && tag.path.length > 0 ? tag.path : undefined;
  if (members.includes(tag.name)) return [tag.name, ...tag.path];
  const [first] = tag.path;
  return first === undefined || members.includes(first) ? tag.path : undefined;
}

/** A copy of a schema with a member described, or undefined where the path leads nowhere. */
export function describeMember(
  schema: JsonSchema,
  path: readonly string[],
  { text, mapper }: { text: string; mapper: Pick<MapContext, "resolve"> },
): JsonSchema | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return { ...schema, description: text };
  if (step === "[]") return describeItems(schema, rest, { text, mapper });
  const { $ref, ...annotations } = schema;
  const resolved = mapper.resolve(schema);
  if (resolved === undefined) return undefined;
  const name = step.replace(/\[\]$/, "");
  const target = resolved.properties;
  if (target === undefined || !Object.hasOwn(target, name)) return undefined;
  const member = target[name] ?? {};
  const described = step.endsWith("[]")
    ? describeItems(member, rest, { text, mapper })
    : describeMember(member, rest, { text, mapper });
  if (described === undefined) return undefined;
  const properties = Object.fromEntries(
    Object.entries(target).map(([key, part]) => [key, key === name ? described : part]),
  );
  return { ...resolved, ...($ref === undefined ? {} : annotations), properties };
}

function describeItems(
  schema: JsonSchema,
  path: readonly string[],
  options: { text: string; mapper: Pick<MapContext, "resolve"> },
): JsonSchema | undefined {
  const { $ref: _, ...annotations } = schema;
  const resolved = options.mapper.resolve(schema);
  if (resolved === undefined || typeof resolved.items !== "object") return undefined;
  const items = describeMember(resolved.items, path, options);
  return items === undefined ? undefined : { ...resolved, ...annotations, items };
}
