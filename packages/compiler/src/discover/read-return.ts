import type { JsonSchema } from "@callsign/runtime/manifest";
import { ts } from "@ts-morph/common";
import type { Doc, Place } from "../checker/checker.js";
import { wrap } from "../checker/ts-morph-checker.js";
import * as messages from "../errors/messages.js";
import { emitSchema } from "../schema/emit-schema.js";
import { SchemaMapper } from "../schema/map-type.js";
import { joinPath, type TypeSite } from "../schema/type-site.js";
import type { DiscoveredTool } from "./discovered.js";
import type { SignatureContext } from "./read-signature.js";

/** What a return type adds to a tool. */
export interface ReturnParts {
  readonly returns?: JsonSchema;
  readonly streams?: boolean;
}

const ITERABLES = new Set(["AsyncIterable", "AsyncIterableIterator", "AsyncIteratorObject", "AsyncGenerator"]);
const SYNC_ITERABLES = new Set(["Generator", "IterableIterator", "IteratorObject"]);

/**
 * The output schema of a tool. A return type without a JSON form leaves it out with a warning: the tool still
 * works. A name in it that means nothing is an error all the same.
 */
export function readReturn(
  signature: ts.Signature,
  { tool, doc, context }: { tool: DiscoveredTool; doc: Doc; context: SignatureContext },
): ReturnParts | "failed" {
  const { checker, reporter, types } = context;
  const declaration = signature.getDeclaration() as ts.SignatureDeclaration | undefined;
  const written = declaration?.type;
  const declared = signature.getReturnType();
  const awaited = awaitedType(declared, context);
  const element = elementOf(awaited, context);
  const type = element ?? awaited;
  const streams = element === undefined ? {} : { streams: true };
  const place = written !== undefined && types.isEditable(written as unknown as Place) ? written : tool.nameNode;
  const site: TypeSite = {
    owner: tool.name,
    role: "return",
    path: element === undefined ? "" : "[]",
    place: place as unknown as Place,
    written: written === undefined ? undefined : (payload(written, checker) as unknown as Place),
    foreign: undefined,
  };
  let refused: messages.Fault | undefined;
  let failed = false;
  for (const name of written === undefined ? [] : types.unresolvedNames(written as unknown as Place)) {
    failed = true;
    const at = { ...site, path: joinPath("", name.path) };
    reporter.atSite(messages.unresolved(name), !types.isEditable(name.place) ? at : { ...at, place: name.place });
  }
  if (failed) return "failed";
  if (
    type.flags &
    (ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never)
  )
    return streams;
  const mapper = new SchemaMapper({
    checker: types,
    direction: "output",
    report: (fault) => {
      if (fault.severity === "error") refused ??= fault;
    },
  });
  const schema = mapper.map(wrap(type), site);
  if (refused !== undefined || mapper.failed) {
    reporter.atSite(messages.returnWithoutJson(refused?.message ?? "it has no JSON form"), site);
    return streams;
  }
  const emitted = emitSchema(schema, mapper.nodes);
  const text = doc.tags
    .find((tag) => tag.name === "returns" || tag.name === "return")
    ?.text.replace(/^\{[^}]*\}\s*/, "");
  return { returns: described(emitted, text), ...streams };
}

function described(schema: JsonSchema, text: string | undefined): JsonSchema {
  return text === undefined || text === "" ? schema : { ...schema, description: text };
}

/** What a return type comes to when it is awaited. The checker's own answer tries every type as a promise first. */
function awaitedType(type: ts.Type, { checker, types }: Pick<SignatureContext, "checker" | "types">): ts.Type {
  const promised =
    types.libraryType(wrap(type))?.name === "Promise"
      ? checker.getTypeArguments(type as ts.TypeReference)[0]
      : undefined;
  if (promised !== undefined) return awaitedType(promised, { checker, types });
  const plain = (type.flags & ts.TypeFlags.Object) !== 0 && checker.getPropertyOfType(type, "then") === undefined;
  return plain ? type : (checker.getAwaitedType(type) ?? type);
}

/** The element type of a streaming tool. */
function elementOf(type: ts.Type, { checker, types }: SignatureContext): ts.Type | undefined {
  const name = type.symbol?.name ?? "";
  if (!ITERABLES.has(name) && !SYNC_ITERABLES.has(name)) return undefined;
  if (types.libraryType(wrap(type)) === undefined) return undefined;
  return checker.getTypeArguments(type as ts.TypeReference)[0];
}

/** The argument of a written Promise or iterable. */
function payload(written: ts.TypeNode, checker: ts.TypeChecker): ts.TypeNode {
  let node = written;
  while (ts.isTypeReferenceNode(node) && node.typeArguments?.[0] !== undefined) {
    const name = node.typeName.getText();
    if (name !== "Promise" && name !== "PromiseLike" && !ITERABLES.has(name) && !SYNC_ITERABLES.has(name)) break;
    // A name of the user's own shadows the library's: then its type differs from its argument's all the same.
    if (checker.getTypeFromTypeNode(node).symbol?.name !== name) break;
    node = node.typeArguments[0];
  }
  return node;
}
