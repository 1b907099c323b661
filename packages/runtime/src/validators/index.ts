// What the functions of `callsign.validators.gen.js` call. These parts of Ajv stand alone: they neither load nor evaluate.
import equalModule from "ajv/dist/runtime/equal.js";
import ucs2lengthModule from "ajv/dist/runtime/ucs2length.js";
import { fullFormats } from "ajv-formats/dist/formats.js";

type Equal = (left: unknown, right: unknown) => boolean;
type Length = (text: string) => number;

/** Whether two JSON values are the same. */
export const equal: Equal = functionOf<Equal>(equalModule);
/** The length of a string in code points. */
export const ucs2length: Length = functionOf<Length>(ucs2lengthModule);
/** The formats by name. */
export const formats: Readonly<Record<string, unknown>> = fullFormats;

/** Node gives the exports of a CommonJS module that was compiled from ESM, bundlers its default export. */
function functionOf<T>(module: unknown): T {
  return (typeof module === "function" ? module : (module as { default: unknown }).default) as T;
}
