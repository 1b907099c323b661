import { refusalLine } from "./calls/messages.js";
import type { Refusal } from "./calls/refusal.js";
import { type Checked, validateValue } from "./calls/validate-value.js";
import { ArgumentsError } from "./errors/arguments-error.js";
import type { JsonSchema } from "./manifest/json-schema.js";
import { standardProps } from "./standard-props.js";
import type { StandardProps } from "./standard-schema.js";

export interface SchemaDefinition<T> {
  /** `^[A-Za-z0-9_-]{1,64}$` */
  readonly name: string;
  readonly description?: string;
  /** The neutral schema. */
  readonly schema: JsonSchema;
  /** Asked after the schema accepted a value: the value to use, or why it does not fit. */
  readonly refine?:
    | ((value: unknown) => Promise<{ readonly value: T } | { readonly refusals: readonly Refusal[] }>)
    | undefined;
}

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
  /** What is checked, or made of the value, beyond the schema. */
  readonly refine: SchemaDefinition<T>["refine"];

  constructor(definition: SchemaDefinition<T>) {
    this.name = definition.name;
    this.description = definition.description;
    this.schema = definition.schema;
    this.refine = definition.refine;
    this["~standard"] = standardProps<T, T>(definition.schema, definition.name);
  }

  /**
   * Checks JSON and decodes what has a codec.
   *
   * @throws {ArgumentsError} code `value-refused`, with every place that does not fit.
   */
  async parse(value: unknown): Promise<T> {
    const checked = await this.check(value);
    if (checked.valid) return checked.value as T;
    const lines = checked.refusals.map(refusalLine).join("\n");
    throw new ArgumentsError(`the value is no ${this.name}:\n${lines}`, {
      code: "value-refused",
      refusals: checked.refusals,
    });
  }

  /** As `parse`, with what does not fit as a value. */
  async check(value: unknown): Promise<Checked> {
    const checked = await validateValue(this.schema, value, { name: this.name });
    if (!checked.valid || this.refine === undefined) return checked;
    const refined = await this.refine(checked.value);
    return "refusals" in refined
      ? { valid: false, refusals: refined.refusals }
      : { valid: true, json: checked.json, value: refined.value };
  }
}
