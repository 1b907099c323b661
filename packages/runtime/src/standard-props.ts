import { validateValue } from "./calls/validate-value.js";
import type { JsonSchema } from "./manifest/json-schema.js";
import type { StandardProps } from "./standard-schema.js";
import { mentionsCodec } from "./validation/prepare-schema.js";

/** The `~standard` property of a schema whose values are `T`. */
export function standardProps<Input, Output>(schema: JsonSchema, name: string): StandardProps<Input, Output> {
  const input = ({ target }: { readonly target: string }): Record<string, unknown> => {
    if (target !== "draft-2020-12") {
      throw new TypeError(`${name} is known as JSON Schema draft-2020-12 only, not as ${target}`);
    }
    return { $schema: "https://json-schema.org/draft/2020-12/schema", ...structuredClone(schema) };
  };
  const output = (options: { readonly target: string }): Record<string, unknown> => {
    if (mentionsCodec(schema)) {
      throw new TypeError(`${name} holds classes once it is read, such as Date, which no JSON Schema describes`);
    }
    return input(options);
  };
  return {
    version: 1,
    vendor: "callsign",
    validate: async (value) => {
      const checked = await validateValue(schema, value, { name });
      return checked.valid ? { value: checked.value as Output } : { issues: checked.refusals };
    },
    jsonSchema: { input, output },
  };
}
