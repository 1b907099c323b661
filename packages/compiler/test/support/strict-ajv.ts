import type { JsonSchema } from "@callsign/runtime/manifest";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** What strict Ajv has against a schema: empty when it compiles without an error or a warning. */
export function strictComplaints(schema: JsonSchema): readonly string[] {
  const complaints: string[] = [];
  const note = (...words: unknown[]) => complaints.push(words.join(" "));
  const ajv = new Ajv2020({
    strict: true,
    // Without it thousands of properties nest too deep; see ajv-options.ts of the runtime.
    allErrors: true,
    strictTuples: false,
    allowUnionTypes: true,
    logger: { log: note, warn: note, error: note },
  });
  ajv.addKeyword("x-codec");
  formats.default(ajv);
  try {
    ajv.compile(schema);
  } catch (error) {
    note(error);
  }
  return complaints;
}
