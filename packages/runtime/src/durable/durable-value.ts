import { encode } from "../calls/encode.js";
import { NotJsonError, toJson } from "../calls/to-json.js";
import { validateValue } from "../calls/validate-value.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import { compileSchema } from "../validation/compile-schema.js";
import { setOwn } from "../validation/set-own.js";
import { TaskResultError, WorkflowError } from "./errors.js";

/** What is recorded of a value, and the value as everybody gets it, live and on replay. */
export interface DurableValue {
  /** Undefined for the value undefined, which JSON does not have. */
  readonly json: Json | undefined;
  readonly value: unknown;
}

/**
 * @param schema Says which codecs a value needs; without one it must be plain JSON.
 * @throws {TaskResultError} code `result-not-json`.
 */
export async function toDurable(
  value: unknown,
  { schema, name }: { schema: JsonSchema | undefined; name: string },
): Promise<DurableValue> {
  if (value === undefined) return { json: undefined, value };
  try {
    if (schema !== undefined) {
      const json = encode(await compileSchema(schema, name), value) as Json;
      return { json, value: await fromDurable(json, { schema, name }) };
    }
    const json = plainJson(value, []);
    return { json, value: json === undefined ? undefined : plainJson(json, []) };
  } catch (error) {
    const why =
      error instanceof NotJsonError ? error.message : error instanceof RangeError ? "nests too deeply" : String(error);
    throw new TaskResultError(
      `the result of ${name} cannot be recorded: it ${why}. Return plain JSON, or compile the task with callsignc, so that its declared types say how to record it`,
      { code: "result-not-json", cause: error },
    );
  }
}

/** The value that was recorded. */
export async function fromDurable(
  json: Json | undefined,
  { schema, name }: { schema: JsonSchema | undefined; name: string },
): Promise<unknown> {
  if (json === undefined || schema === undefined) return json;
  const checked = await validateValue(schema, json, { name });
  // A function that returns something else than its type says is no reason to lose what it did.
  return checked.valid ? checked.value : json;
}

/**
 * The JSON form of a workflow's input; what has one already keeps it.
 *
 * @throws {WorkflowError} code `input-refused` for a cycle and the like.
 */
export async function inputJson(
  input: unknown,
  { schema, name }: { schema: JsonSchema | undefined; name: string },
): Promise<Json> {
  if (input === undefined) return null;
  try {
    return schema === undefined ? toJson(input) : ((encode(await compileSchema(schema, name), input) ?? null) as Json);
  } catch (error) {
    const why =
      error instanceof NotJsonError ? error.message : error instanceof RangeError ? "nests too deeply" : undefined;
    if (why === undefined) throw error;
    throw new WorkflowError(`the input of ${name} ${why}`, { code: "input-refused", cause: error });
  }
}

/** As JSON.stringify would have it, but what would come back as something else is refused. */
function plainJson(value: unknown, ancestors: readonly unknown[]): Json | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw new NotJsonError(`holds ${value}, which JSON does not have`);
      // JSON has no -0: the same live as on replay.
      return value === 0 ? 0 : value;
    case "object":
      return value === null ? null : plainObject(value, ancestors);
    case "undefined":
      return undefined;
    default:
      throw new NotJsonError(`holds a ${typeof value}, which JSON does not have`);
  }
}

function plainObject(value: object, ancestors: readonly unknown[]): Json {
  if (ancestors.includes(value)) throw new NotJsonError("refers to itself (a cycle)");
  const inside = [...ancestors, value];
  if (Array.isArray(value)) return Array.from(value, (element) => plainJson(element, inside) ?? null);
  const prototype: unknown = Object.getPrototypeOf(value);
  const toJson = (value as { toJSON?: unknown }).toJSON;
  const isBuiltIn = /^\[object (?!Object\])/.test(Object.prototype.toString.call(value));
  if (isBuiltIn || typeof toJson === "function") {
    const name = (prototype as { constructor?: { name?: string } } | null)?.constructor?.name ?? "class";
    throw new NotJsonError(`holds a ${name}, which would come back as something else`);
  }
  const object = {};
  for (const [key, member] of Object.entries(value)) {
    const json = plainJson(member, inside);
    if (json !== undefined) setOwn(object, key, json);
  }
  return object;
}
