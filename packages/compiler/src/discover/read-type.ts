import type { JsonSchema } from "@callsign/runtime/manifest";
import { ts } from "@ts-morph/common";
import type { Doc, Place, Type } from "../checker/checker.js";
import { wrap } from "../checker/ts-morph-checker.js";
import * as messages from "../errors/messages.js";
import { applyDoc } from "../schema/apply-doc.js";
import { emitSchema } from "../schema/emit-schema.js";
import { SchemaMapper } from "../schema/map-type.js";
import type { SchemaPlaces } from "../schema/schema-places.js";
import type { TypeSite } from "../schema/type-site.js";
import type { DiscoveredSchema } from "./discovered.js";
import { openPlaces, type SignatureContext } from "./read-signature.js";

/** The schema of a named type, or undefined when something in it was refused. */
export function readType(
  { name, node }: Pick<DiscoveredSchema, "name" | "node">,
  { checker, types, reporter, places }: Pick<SignatureContext, "checker" | "types" | "reporter" | "places">,
): JsonSchema | undefined {
  const written = ts.isTypeAliasDeclaration(node) ? node.type : undefined;
  const heritage = "heritageClauses" in node ? (node.heritageClauses ?? []) : [];
  const site: TypeSite = {
    owner: name,
    role: "schema",
    path: "",
    place: (written ?? node.name ?? node) as unknown as Place,
    written: written as Place | undefined,
    foreign: undefined,
  };
  const unresolved = heritage.flatMap((clause) => types.unresolvedNames(clause as unknown as Place));
  for (const missing of unresolved) {
    reporter.atSite(messages.unresolved(missing), { ...site, place: missing.place });
  }
  if (unresolved.length > 0) return undefined;
  const type = ts.isTypeAliasDeclaration(node)
    ? checker.getTypeFromTypeNode(node.type)
    : checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(node.name ?? node) as ts.Symbol);
  return mapWhole(wrap(type), site, {
    types,
    reporter,
    doc: types.doc(node as unknown as Place),
    parts: openPlaces("schema", { name, node: node.name ?? node }, places === undefined ? {} : { places }),
  });
}

/** Maps a type that stands alone. */
export function mapWhole(
  type: Type,
  site: TypeSite,
  {
    types,
    reporter,
    doc,
    parts,
  }: Pick<SignatureContext, "types" | "reporter"> & { readonly doc: Doc; readonly parts?: SchemaPlaces | undefined },
): JsonSchema | undefined {
  const mapper = new SchemaMapper({
    checker: types,
    direction: "input",
    places: parts,
    report: (fault, at) => reporter.atSite(fault, at),
  });
  const mapped = mapper.map(type, site);
  // A named type carries its own JSDoc already; what is written on an alias of a primitive does not.
  const schema = applyDoc(mapped, doc, site, mapper);
  return mapper.failed ? undefined : emitSchema(schema, mapper.nodes);
}
