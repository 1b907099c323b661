import type { JsonSchema } from "@callsign/runtime/manifest";
import type { Type } from "../../checker/checker.js";
import * as messages from "../../errors/messages.js";
import type { MapContext, TypeMapper } from "../mapper.js";
import type { TypeSite } from "../type-site.js";

/** A number as JavaScript prints one without an exponent: what a numeric key looks like. */
export const PLAIN_NUMBER = "^-?(?:0|[1-9]\\d*)(?:\\.\\d*[1-9])?$";

/** Template literal types: a pattern with the checker's own reading of it. */
export const templateLiteralMapper: TypeMapper = {
  name: "template-literal",
  accepts: ({ shape }) => shape.kind === "template",
  toSchema: ({ type }, site, context) => typePattern(type, site, context),
};

/** A string schema with the pattern of a template literal or string mapping type. */
export function typePattern(type: Type, site: TypeSite, context: MapContext): JsonSchema {
  const body = bodyOf(type, undefined, context);
  if (body === undefined)
    return context.fail(messages.noJsonForm(context.checker.print(type), "use string and @pattern"), site);
  return { type: "string", pattern: `^${body}$` };
}

/**
 * The expression for a type inside a template. `stop` is the text that follows: the checker ends a placeholder at
 * the first place where that text stands, so that the placeholder itself never holds it.
 */
function bodyOf(type: Type, stop: string | undefined, context: MapContext): string | undefined {
  const shape = context.checker.shape(type);
  const guard = stop === undefined || stop === "" ? "" : `(?!${escapePattern(stop)})`;
  switch (shape.kind) {
    case "string":
    case "any":
      return guard === "" ? "[\\s\\S]*" : anyTextUpTo(stop ?? "");
    case "number":
      return decimal(guardNeeded(stop, /[-+.\deE]/) ? guard : "");
    case "bigint":
      return integer(guardNeeded(stop, /[-\d]/) ? guard : "");
    case "literal":
      return escapePattern(String(shape.value));
    case "template": {
      let body = escapePattern(shape.texts[0] ?? "");
      for (const [index, part] of shape.types.entries()) {
        const text = shape.texts[index + 1] ?? "";
        const last = index === shape.types.length - 1;
        const inner =
          text === "" && !last ? oneUnit(part, context) : bodyOf(part, last && text === "" ? stop : text, context);
        if (inner === undefined) return undefined;
        body += inner + escapePattern(text);
      }
      return body;
    }
    case "string-mapping":
      return mappingBody(shape.mapping, shape.type, context);
    default:
      return undefined;
  }
}

/** A placeholder that another follows directly takes exactly one character. */
function oneUnit(type: Type, context: MapContext): string | undefined {
  const { kind } = context.checker.shape(type);
  if (kind === "string" || kind === "any") return "[\\s\\S]";
  return kind === "number" || kind === "bigint" ? "\\d" : bodyOf(type, undefined, context);
}

function guardNeeded(stop: string | undefined, alphabet: RegExp): boolean {
  return stop !== undefined && stop !== "" && alphabet.test(stop[0] ?? "");
}

function anyTextUpTo(stop: string): string {
  return [...stop].length === 1 ? `[^${escapeClass(stop)}]*` : `(?:(?!${escapePattern(stop)})[\\s\\S])*`;
}

function decimal(guard: string): string {
  const digits = guard === "" ? "\\d+" : `(?:${guard}\\d)+`;
  const more = guard === "" ? "\\d*" : `(?:${guard}\\d)*`;
  const exponent = `(?:${guard}[eE](?:${guard}[+-])?${digits})?`.replace("(?:[+-])?", "[+-]?");
  const sign = guard === "" ? "-?" : `(?:${guard}-)?`;
  const point = guard === "" ? "\\.?" : `(?:${guard}\\.)?`;
  const leading = guard === "" ? "\\." : `${guard}\\.`;
  return `${sign}(?:${digits}${point}${more}|${leading}${digits})${exponent}`;
}

function integer(guard: string): string {
  return guard === "" ? "-?(?:0|[1-9]\\d*)" : `(?:${guard}-)?(?:${guard}0|${guard}[1-9](?:${guard}\\d)*)`;
}

// A string is its own upper case exactly when none of its characters changes on upper-casing (Unicode's own property).
const UPPER = "\\P{Changes_When_Uppercased}";
const LOWER = "\\P{Changes_When_Lowercased}";
// `Capitalize` looks at the first UTF-16 unit only, so that a character outside the basic plane never changes.
const ASTRAL = "[\\u{10000}-\\u{10FFFF}]";

function mappingBody(mapping: string, inner: Type, context: MapContext): string | undefined {
  if (context.checker.shape(inner).kind !== "string") return undefined;
  switch (mapping) {
    case "Uppercase":
      return `${UPPER}*`;
    case "Lowercase":
      return `${LOWER}*`;
    case "Capitalize":
      return `(?:(?:${UPPER}|${ASTRAL})[\\s\\S]*)?`;
    default:
      return `(?:(?:${LOWER}|${ASTRAL})[\\s\\S]*)?`;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function escapeClass(text: string): string {
  return text.replace(/[\\\]^-]/g, "\\$&");
}
