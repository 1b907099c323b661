import type { Options } from "ajv";
import { isRecord } from "../manifest/is-record.js";

/** The same for schemas compiled at their first use and for validators written at build time. */
export const AJV_OPTIONS = {
  strict: false,
  ownProperties: true,
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
} as const satisfies Options;

/**
 * The options for some schemas. Ajv writes each property inside the `if` of the one before, so that thousands of them
 * nest deeper than JavaScript's parser goes; with `allErrors` it writes them one after the other.
 */
export function ajvOptionsFor(schemas: readonly unknown[]): typeof AJV_OPTIONS & { readonly allErrors: boolean } {
  return { ...AJV_OPTIONS, allErrors: schemas.some(isWide) };
}

const WIDE = 500;

function isWide(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isWide);
  if (!isRecord(value)) return false;
  const { properties, prefixItems } = value;
  if (isRecord(properties) && Object.keys(properties).length > WIDE) return true;
  if (Array.isArray(prefixItems) && prefixItems.length > WIDE) return true;
  return Object.values(value).some(isWide);
}
