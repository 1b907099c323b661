import { refusalLine } from "./calls/messages.js";
import { validateValue } from "./calls/validate-value.js";
import { ArgumentsError } from "./errors/arguments-error.js";
import type { JsonSchema } from "./manifest/json-schema.js";
import { standardProps } from "./standard-props.js";
import type { StandardProps } from "./standard-schema.js";

/**
 * A structured-output format whose values are `T`. The compiler makes one of each type marked `@schema`; it is also a
 * Standard Schema, so other libraries take it.
 *
 * @example
 * import { Schema } from "@callsign/runtime"
 *
 * const Pair = new Schema<[number, number]>({
 *   name: "Pair",
 *   schema: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 },
 * })
 * await Pair.parse([1, 2])
 */
export class Schema<T> {
  readonly name: string;
  readonly description: string | undefined;
  /** The neutral schema. */
  readonly schema: JsonSchema;
  readonly "~standard": StandardProps<T, T>;

  constructor(definition: { readonly name: string; readonly description?: string; readonly schema: JsonSchema }) {
    this.name = definition.name;
    this.description = definition.description;
    this.schema = definition.schema;
    this["~standard"] = standardProps<T, T>(definition.schema, definition.name);
  }

  /**
   * Checks JSON and decodes what has a codec.
   *
   * @throws {ArgumentsError} code `value-refused`, with every place that does not fit.
   */
  async parse(value: unknown): Promise<T> {
    const checked = await validateValue(this.schema, value, { name: this.name });
    if (checked.valid) return checked.value as T;
    const lines = checked.refusals.map(refusalLine).join("\n");
    throw new ArgumentsError(`the value is no ${this.name}:\n${lines}`, {
      code: "value-refused",
      refusals: checked.refusals,
    });
  }
}
