import type { JsonSchema } from "../manifest/json-schema.js";
import { coerce } from "../validation/coerce.js";
import { type CompiledSchema, compileSchema } from "../validation/compile-schema.js";
import { explain } from "../validation/explain.js";
import { decode } from "./decode.js";
import type { Refusal } from "./refusal.js";

/** A value checked against a schema. */
export type Checked =
  | {
      readonly valid: true;
      /** The JSON, after what was repaired: what observers, approvers and logs see. */
      readonly json: unknown;
      /** The same with codecs applied: what the function gets. */
      readonly value: unknown;
    }
  | { readonly valid: false; readonly refusals: readonly Refusal[] };

/**
 * Validates JSON exactly; only when it is refused as it stands, reads it anew where one reading is left, and validates
 * again. Then decodes codecs.
 *
 * @param name What the schema belongs to, for the message when it is no schema.
 */
export async function validateValue(schema: JsonSchema, value: unknown, { name }: { name: string }): Promise<Checked> {
  const compiled = await compileSchema(schema, name);
  try {
    return check(compiled, value);
  } catch (error) {
    // Ajv and the walks recurse with the value.
    if (error instanceof RangeError) return { valid: false, refusals: [{ path: [], message: "nests too deeply" }] };
    throw error;
  }
}

function check(compiled: CompiledSchema, value: unknown): Checked {
  let json = value;
  if (!compiled.accepts(compiled.root, json)) {
    json = coerce(compiled, value);
    if (!compiled.accepts(compiled.root, json)) return { valid: false, refusals: explain(compiled, json) };
  }
  const decoded = decode(compiled, json);
  return decoded.refusals.length > 0
    ? { valid: false, refusals: decoded.refusals }
    : { valid: true, json, value: decoded.value };
}
