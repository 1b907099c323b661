import { HEADER } from "./write-modules.js";

/**
 * The module of standalone validators, and its types: JavaScript, since there is nothing in it for TypeScript to check.
 *
 * @param statements What `writeValidators` gave.
 */
export function writeValidatorsModule(statements: string): { readonly validators: string; readonly types: string } {
  const declaration = [
    'import type { Validators } from "@callsign/runtime";',
    "",
    "/** For `useValidators`, by name. */",
    "export declare const validators: Validators;",
  ];
  return {
    validators: `${HEADER.join("\n")}\n${statements}`,
    types: `${[...HEADER, ...declaration].join("\n")}\n`,
  };
}
