import type { Options } from "ajv";

/** The same for schemas compiled at their first use and for validators written at build time. */
export const AJV_OPTIONS = {
  strict: false,
  ownProperties: true,
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
} as const satisfies Options;
