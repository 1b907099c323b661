/** A function that checks one schema. What it has against the last value stands in `errors`. */
export interface StandaloneValidator {
  (value: unknown): boolean;
  errors?: readonly unknown[] | null;
}

/** The functions of one schema of the manifest. */
export interface SchemaValidators {
  /** `hashJson` of the schema that they were written for. */
  readonly hash: string;
  /** By JSON Pointer: the root, and each schema below it that a repair or an explanation may ask for. */
  readonly at: Readonly<Record<string, StandaloneValidator>>;
}

/** What `callsign.validators.gen.js` exports: validators that need neither Ajv nor eval, by name. */
export interface Validators {
  readonly validatorsVersion: 1;
  readonly tools: Readonly<
    Record<string, { readonly arguments: SchemaValidators; readonly returns?: SchemaValidators | undefined }>
  >;
  readonly schemas: Readonly<Record<string, SchemaValidators>>;
  readonly workflows: Readonly<Record<string, SchemaValidators>>;
}
