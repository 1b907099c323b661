import type { Json, JsonSchema } from "@callsign/runtime/manifest";
import type { Doc, DocTag } from "../checker/checker.js";
import * as messages from "../errors/messages.js";
import { applyTag, isConstraintTag, refuseTag } from "./constraints.js";
import { misfit } from "./literal-fits.js";
import type { MapContext } from "./mapper.js";
import type { TypeSite } from "./type-site.js";

/** Adds what the JSDoc of a declaration says to its schema: the text, and the tags that have a keyword. */
export function applyDoc(schema: JsonSchema, doc: Doc, site: TypeSite, context: MapContext): JsonSchema {
  if (doc.description === "" && doc.tags.length === 0) return schema;
  let documented = schema;
  for (const tag of doc.tags) {
    const at = tagSite(tag, site, context);
    if (isConstraintTag(tag.name)) documented = applyTag(documented, tag, at, context);
    else if (tag.name === "TJS-type" || tag.name === "integer") {
      documented = applyTag(
        documented,
        { ...tag, name: "asType", text: tag.text === "" ? "integer" : tag.text },
        at,
        context,
      );
    }
  }
  const description = describe(doc);
  if (description !== "") documented = { ...documented, description };
  const title = doc.tags.find((tag) => tag.name === "title");
  if (title !== undefined && title.text !== "") documented = { ...documented, title: title.text };
  const byDefault = doc.tags.find((tag) => tag.name === "default" || tag.name === "defaultValue");
  if (byDefault !== undefined)
    documented = applyDefault(documented, byDefault, tagSite(byDefault, site, context), context);
  const examples = doc.tags
    .filter((tag) => tag.name === "example" || tag.name === "examples")
    .flatMap((tag) => readExample(documented, tag, context));
  if (examples.length > 0) documented = { ...documented, examples };
  if (doc.tags.some((tag) => tag.name === "deprecated")) documented = { ...documented, deprecated: true };
  return documented;
}

/** The description, with the reason of a deprecation, which would be lost otherwise. */
export function describe({ description, tags }: Doc): string {
  const reason = tags.find((tag) => tag.name === "deprecated")?.text ?? "";
  if (reason === "") return description;
  return `${description === "" ? "" : `${description}\n\n`}Deprecated: ${reason}`;
}

/** Problems of a tag point at the tag, where that can be edited. */
function tagSite(tag: DocTag, site: TypeSite, { checker }: MapContext): TypeSite {
  return !checker.isEditable(tag.place) ? site : { ...site, place: tag.place, foreign: undefined };
}

function applyDefault(schema: JsonSchema, tag: DocTag, site: TypeSite, context: MapContext): JsonSchema {
  const value = readValue(schema, tag.text, context);
  const why = value === undefined ? "it is no JSON value" : misfit(value, schema, context);
  if (value !== undefined && why === undefined) return { ...schema, default: value };
  const fault = messages.defaultValue(tag.text === "" ? "nothing" : tag.text, why ?? "");
  return refuseTag(schema, { tag, fault }, site, context);
}

// An example that is no value of the type is prose or code for people, as on functions: no keyword then.
function readExample(schema: JsonSchema, tag: DocTag, context: MapContext): Json[] {
  const value = readValue(schema, tag.text, context);
  return value === undefined || misfit(value, schema, context) !== undefined ? [] : [value];
}

/** JSON, or the text itself where that can only mean a string; both also in backticks. */
function readValue(schema: JsonSchema, text: string, context: MapContext): Json | undefined {
  const plain = text
    .trim()
    .replace(/^(`{3})\w*\n?([\s\S]*?)\n?`{3}$|^(`)([^`]*)`$/, (_, _fence, block, _tick, inline) => block ?? inline)
    .trim();
  if (plain === "") return undefined;
  const value = parsed(plain);
  if (value !== undefined && misfit(value, schema, context) === undefined) return value;
  // A quoted string is no word, and null, lists and objects are never meant as text.
  if (value === null || typeof value === "string" || typeof value === "object") return value;
  const word = /^'([^']*)'$/.exec(plain)?.[1] ?? plain;
  if (word.includes("\n")) return value;
  const meant = value === undefined && context.resolve(schema)?.type === "string";
  return meant || misfit(word, schema, context) === undefined ? word : value;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
