import type { Json } from "../../manifest/json-schema.js";

/** Says in words what a keyword says, for wires that lack it. The model reads this; Ajv checks the keyword itself. */
export function describeKeyword(keyword: string, value: Json): string {
  const text = JSON.stringify(value);
  switch (keyword) {
    case "minLength":
      return `at least ${text} ${value === 1 ? "character" : "characters"}`;
    case "maxLength":
      return `at most ${text} ${value === 1 ? "character" : "characters"}`;
    case "pattern":
      return `matches the regular expression ${String(value)}`;
    case "format":
      return `format ${String(value)}`;
    case "contentEncoding":
      return `${String(value)}-encoded`;
    case "minimum":
      return `at least ${text}`;
    case "maximum":
      return `at most ${text}`;
    case "exclusiveMinimum":
      return `greater than ${text}`;
    case "exclusiveMaximum":
      return `less than ${text}`;
    case "multipleOf":
      return `a multiple of ${text}`;
    case "minItems":
      return `at least ${text} ${value === 1 ? "item" : "items"}`;
    case "maxItems":
      return `at most ${text} ${value === 1 ? "item" : "items"}`;
    case "uniqueItems":
      return "no item twice";
    case "minProperties":
      return `at least ${text} ${value === 1 ? "entry" : "entries"}`;
    case "maxProperties":
      return `at most ${text} ${value === 1 ? "entry" : "entries"}`;
    case "default":
      return `default ${text}`;
    case "examples":
      return `for example ${Array.isArray(value) ? value.map((item) => JSON.stringify(item)).join(", ") : text}`;
    case "deprecated":
      return "deprecated";
    case "title":
      return String(value);
    case "const":
      return `exactly ${text}`;
    case "enum":
      return `one of ${text}`;
    case "required":
      return `${Array.isArray(value) ? value.join(", ") : String(value)} must be given`;
    case "additionalProperties":
      return value === false ? "no other properties" : `further properties have the JSON Schema ${text}`;
    case "patternProperties":
      return `properties by pattern of their name, as JSON Schema: ${text}`;
    case "propertyNames":
      return `property names have the JSON Schema ${text}`;
    case "prefixItems":
      return `items by position, as JSON Schema: ${text}`;
    case "items":
      return value === false ? "no further items" : `items have the JSON Schema ${text}`;
    default:
      return `${keyword} ${text}`;
  }
}

/** The author's text, then what the wire's schema cannot say. */
export function joinDescription(text: string | undefined, remarks: readonly string[]): string | undefined {
  if (remarks.length === 0) return text;
  const tail = `(${remarks.join("; ")})`;
  return text === undefined || text === "" ? tail : `${text} ${tail}`;
}
