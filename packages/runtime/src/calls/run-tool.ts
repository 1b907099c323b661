import { CallsignError } from "../errors/callsign-error.js";
import { ToolExecutionError } from "../errors/tool-execution-error.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import type { ToolContext } from "../tool-context.js";
import { compileSchema } from "../validation/compile-schema.js";
import { encode } from "./encode.js";
import { thrownMessage } from "./thrown-message.js";
import { NotJsonError, toJson } from "./to-json.js";

/** What running a tool needs to know of it. */
export interface RunnableTool {
  readonly name: string;
  /** Of the return value, or of one element when the tool yields several. */
  readonly returns?: JsonSchema | undefined;
  /** Calls the function with decoded arguments. */
  invoke(args: object, context: ToolContext): unknown;
}

/** What a function gave back. */
export interface ToolReturn {
  readonly value: unknown;
  /** True when `value` is the array of what the function yielded; the tool's `returns` then describes one element. */
  readonly collected: boolean;
}

/**
 * Calls the function and waits for it. The elements of an async iterable are collected into an array, each shown as
 * progress on the way. Whatever is thrown comes out as a `ToolExecutionError`.
 *
 * @param args Validated and decoded.
 * @returns The value as the function made it; `encodeResult` gives its JSON form.
 * @throws {ToolExecutionError} code `tool-failed`, or `tool-aborted` as soon as the context's signal is aborted, also
 *   when the function does not listen to it.
 */
export async function runTool(tool: RunnableTool, args: object, context: ToolContext): Promise<ToolReturn> {
  const { signal } = context;
  if (signal.aborted) throw aborted(tool, context);
  let onAbort: () => void = () => {};
  const abortion = new Promise<never>((_, reject) => {
    onAbort = () => reject(aborted(tool, context));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([invoke(tool, args, context), abortion]);
  } catch (thrown) {
    if (thrown instanceof ToolExecutionError && thrown.callId === context.callId) throw thrown;
    throw new ToolExecutionError(thrownMessage(thrown), {
      code: "tool-failed",
      tool: tool.name,
      callId: context.callId,
      cause: thrown,
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function invoke(tool: RunnableTool, args: object, context: ToolContext): Promise<ToolReturn> {
  const value = await tool.invoke(args, context);
  const iterator = openIterator(value);
  if (iterator === undefined) return { value, collected: false };
  return { value: await collect(tool, iterator, context), collected: true };
}

/** Of async iterables and of generators. Arrays, Maps and other collections are values. */
function openIterator(result: unknown): AsyncIterator<unknown> | Iterator<unknown> | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const { [Symbol.asyncIterator]: openAsync } = result as Partial<AsyncIterable<unknown>>;
  if (typeof openAsync === "function") return openAsync.call(result);
  return Object.prototype.toString.call(result) === "[object Generator]" ? (result as Generator) : undefined;
}

async function collect(
  tool: RunnableTool,
  iterator: AsyncIterator<unknown> | Iterator<unknown>,
  context: ToolContext,
): Promise<unknown[]> {
  const elements: unknown[] = [];
  for (;;) {
    const next = await iterator.next();
    if (next.done) return elements;
    if (context.signal.aborted) {
      await iterator.return?.();
      throw aborted(tool, context);
    }
    elements.push(next.value);
    context.progress(await encodeElement(tool, next.value));
  }
}

function aborted(tool: RunnableTool, { callId, signal }: ToolContext): ToolExecutionError {
  const timedOut = (signal.reason as { name?: unknown } | undefined)?.name === "TimeoutError";
  return new ToolExecutionError(timedOut ? thrownMessage(signal.reason) : "the call was cancelled", {
    code: timedOut ? "tool-timeout" : "tool-aborted",
    tool: tool.name,
    callId,
    cause: signal.reason,
  });
}

/**
 * The JSON form of what a tool returned, by its `returns` schema where it has one.
 *
 * @throws {ToolExecutionError} code `result-not-json`.
 */
export async function encodeResult(
  tool: RunnableTool,
  { value, collected }: ToolReturn,
  options: { readonly callId: string },
): Promise<Json> {
  try {
    if (!collected) return await encodeElement(tool, value);
    return await Promise.all((value as unknown[]).map((element) => encodeElement(tool, element)));
  } catch (cause) {
    if (cause instanceof CallsignError) throw cause;
    const why =
      cause instanceof NotJsonError
        ? cause.message
        : cause instanceof RangeError
          ? "nests too deeply"
          : thrownMessage(cause);
    throw new ToolExecutionError(`the result of ${tool.name} has no JSON form: it ${why}`, {
      code: "result-not-json",
      tool: tool.name,
      callId: options.callId,
      cause,
    });
  }
}

async function encodeElement(tool: RunnableTool, value: unknown): Promise<Json> {
  if (tool.returns === undefined) return toJson(value);
  const compiled = await compileSchema(tool.returns, `the result of ${tool.name}`);
  return (encode(compiled, value) ?? null) as Json;
}
