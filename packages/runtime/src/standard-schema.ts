/**
 * The interfaces of Standard Schema and Standard JSON Schema, version 1, as far as callsign implements them.
 *
 * Source: https://standardschema.dev and @standard-schema/spec 1.1.0; a test checks assignability to its types.
 */
export interface StandardProps<Input, Output> {
  readonly version: 1;
  readonly vendor: "callsign";
  readonly validate: (value: unknown) => Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  readonly jsonSchema: {
    readonly input: (options: { readonly target: string }) => Record<string, unknown>;
    readonly output: (options: { readonly target: string }) => Record<string, unknown>;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly PropertyKey[] | undefined;
}
