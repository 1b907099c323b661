import { AgentError } from "../errors/agent-error.js";
import type { JsonSchema } from "../manifest/json-schema.js";
import { Schema } from "../schema.js";

/**
 * What a `responseFormat` may be: a compiled `Schema`, or the schema of any library that implements Standard Schema
 * and Standard JSON Schema (Zod, Valibot, ArkType).
 */
export type FormatSource<T> = Schema<T> | ForeignSchema<T>;

/** As much of https://standardschema.dev as is needed here. */
export interface ForeignSchema<T> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: T } | undefined;
    readonly validate: (value: unknown) => ForeignResult<T> | Promise<ForeignResult<T>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> };
  };
}

type ForeignResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

const known = new WeakMap<object, Schema<unknown>>();

/**
 * The format that a source stands for. A foreign schema's own validation comes after that of its JSON Schema, and its
 * output is the value.
 *
 * @throws {AgentError} code `format-unusable` for what is no schema, or has no JSON Schema.
 */
export function toFormat<T>(source: FormatSource<T>): Schema<T> {
  if (source instanceof Schema) return source;
  const before = known.get(source);
  if (before !== undefined) return before as Schema<T>;
  const standard = (source as Partial<ForeignSchema<T>> | undefined)?.["~standard"];
  if (typeof standard?.validate !== "function" || typeof standard.jsonSchema?.input !== "function") {
    throw new AgentError(
      "responseFormat is no schema: give schemas.NAME of callsign.gen.ts, new Schema({ … }), or a Standard Schema whose library also implements Standard JSON Schema",
      { code: "format-unusable" },
    );
  }
  const format = new ForeignFormat<T>(standard);
  known.set(source, format);
  return format;
}

class ForeignFormat<T> extends Schema<T> {
  constructor(standard: ForeignSchema<T>["~standard"]) {
    const { $schema: _, ...schema } = jsonSchemaOf(standard);
    const { title, description } = schema as { title?: unknown; description?: unknown };
    super({
      name: typeof title === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(title) ? title : "answer",
      ...(typeof description === "string" ? { description } : {}),
      schema: schema as JsonSchema,
      refine: async (value) => {
        const result = await standard.validate(value);
        if (result.issues === undefined) return { value: result.value };
        return {
          refusals: result.issues.map(({ message, path = [] }) => ({
            path: path
              .map((key) => (typeof key === "object" ? key.key : key))
              .map((key) => (typeof key === "symbol" ? String(key) : key)),
            message,
          })),
        };
      },
    });
  }
}

function jsonSchemaOf(standard: ForeignSchema<unknown>["~standard"]): Record<string, unknown> {
  try {
    return standard.jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    throw new AgentError(
      `the responseFormat (a schema of ${standard.vendor}) has no JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`,
      { code: "format-unusable", cause },
    );
  }
}
