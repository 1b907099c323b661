import { MessageChannel } from "node:worker_threads";
import { decode } from "../calls/decode.js";
import { encode } from "../calls/encode.js";
import { thrownMessage } from "../calls/thrown-message.js";
import { toJson } from "../calls/to-json.js";
import { ToolExecutionError } from "../errors/tool-execution-error.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import type { ManifestTool } from "../manifest/manifest.js";
import type { ToolContext } from "../tool-context.js";
import { compileSchema } from "../validation/compile-schema.js";
import { mentionsCodec } from "../validation/prepare-schema.js";
import { openPool } from "./pool.js";
import type { WorkerCall, WorkerMessage, WorkerValue } from "./worker-call.js";

const keys = new WeakMap<ManifestTool, number>();
let lastKey = 0;

/**
 * Calls a tool's function in a thread of the pool. When the context's signal is aborted the thread ends, whatever it is
 * doing; the others go on.
 *
 * @param args Validated and decoded.
 * @returns What the function returned, as its JSON form decodes; an async iterable where the tool streams.
 * @throws {ToolExecutionError} `tool-failed`, `result-not-json`, `tool-aborted`, `worker-deps`, `worker-ended`.
 */
export async function runInWorker(
  tool: ManifestTool,
  args: Record<string, unknown>,
  options: { readonly module: URL; readonly context: ToolContext },
): Promise<unknown> {
  const elements = new ElementQueue();
  const outcome = callWorker(tool, await encodeArguments(tool, args), { ...options, elements });
  if (tool.streams === true) return decodedElements(tool, elements, outcome);
  const { value, collected } = await outcome;
  // It streams although its type does not say so.
  return collected ? decodedElements(tool, elements, outcome) : decodeResult(tool, value);
}

async function callWorker(
  tool: ManifestTool,
  args: Json,
  options: { readonly module: URL; readonly context: ToolContext; readonly elements: ElementQueue },
): Promise<WorkerValue> {
  const { module, context, elements } = options;
  const failure = (code: string, message: string, cause?: unknown): ToolExecutionError =>
    new ToolExecutionError(message, { code, tool: tool.name, callId: context.callId, cause });
  const { port1, port2 } = new MessageChannel();
  const closed = new Promise((resolve) => port1.once("close", resolve));
  port1.on("message", (message: WorkerMessage) => {
    if ("element" in message) elements.push(message.element);
    else context.progress(message.progress);
  });
  const call: WorkerCall = {
    module: module.href,
    key: keyOf(tool),
    tool: pick(tool),
    args,
    context: {
      toolName: context.toolName,
      callId: context.callId,
      idempotencyKey: context.idempotencyKey,
      ...(context.sessionId === undefined ? {} : { sessionId: context.sessionId }),
      deps: tool.call.some(({ from }) => from === "context") ? context.deps : undefined,
    },
    port: port2,
  };
  try {
    const pool = await openPool();
    const outcome = await pool.run(call, { signal: context.signal });
    // The port closes after everything that was sent through it has come.
    await closed;
    if ("error" in outcome) throw failure(outcome.error.code, outcome.error.message);
    return outcome;
  } catch (error) {
    if (error instanceof ToolExecutionError) throw error;
    if (context.signal.aborted) throw failure("tool-aborted", "the call was cancelled", error);
    if ((error as { name?: unknown }).name === "DataCloneError") {
      throw failure("worker-deps", `deps cannot be given to a thread: ${thrownMessage(error)}`, error);
    }
    throw failure("worker-ended", `the thread of ${tool.name} ended: ${thrownMessage(error)}`, error);
  } finally {
    port1.close();
    elements.end();
  }
}

/** What a streaming function yielded so far. */
class ElementQueue {
  readonly #elements: Json[] = [];
  #ended = false;
  #wake: () => void = () => {};

  push(element: Json): void {
    this.#elements.push(element);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Json> {
    for (;;) {
      if (this.#elements.length > 0) yield this.#elements.shift() as Json;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

async function* decodedElements(
  tool: ManifestTool,
  elements: ElementQueue,
  outcome: Promise<WorkerValue>,
): AsyncGenerator<unknown> {
  outcome.catch(() => {});
  for await (const element of elements) yield await decodeResult(tool, element);
  await outcome;
}

function keyOf(tool: ManifestTool): number {
  let key = keys.get(tool);
  if (key === undefined) {
    lastKey += 1;
    key = lastKey;
    keys.set(tool, key);
  }
  return key;
}

function pick({ name, export: exported, parameters, returns, call }: ManifestTool): WorkerCall["tool"] {
  return { name, export: exported, parameters, call, ...(returns === undefined ? {} : { returns }) };
}

async function encodeArguments({ name, parameters }: ManifestTool, args: object): Promise<Json> {
  return mentionsCodec(parameters) ? (encode(await compileSchema(parameters, name), args) as Json) : toJson(args);
}

async function decodeResult({ name, returns }: { name: string; returns?: JsonSchema }, value: Json): Promise<unknown> {
  if (returns === undefined || !mentionsCodec(returns)) return value;
  return decode(await compileSchema(returns, `the result of ${name}`), value).value;
}
