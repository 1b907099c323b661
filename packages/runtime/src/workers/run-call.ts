import { decode } from "../calls/decode.js";
import { encodeResult, type RunnableTool, runTool } from "../calls/run-tool.js";
import { thrownMessage } from "../calls/thrown-message.js";
import { toJson } from "../calls/to-json.js";
import type { ToolExecutionError } from "../errors/tool-execution-error.js";
import { importModule } from "../loader/import-module.js";
import { fillSlot } from "../manifest/fill-slot.js";
import type { Json } from "../manifest/json-schema.js";
import { readMember } from "../manifest/read-member.js";
import { markToolContext, type ToolContext } from "../tool-context.js";
import { compileSchema } from "../validation/compile-schema.js";
import { mentionsCodec } from "../validation/prepare-schema.js";
import type { WorkerCall, WorkerMessage, WorkerOutcome } from "./worker-call.js";

/** Schemas as they came with the first call of a tool: what is compiled for a schema is kept by the object. */
const tools = new Map<number, WorkerCall["tool"]>();

/** One call inside a worker thread. Never rejects. */
export async function runCall(call: WorkerCall): Promise<WorkerOutcome> {
  const { port, key } = call;
  const tool = tools.get(key) ?? call.tool;
  tools.set(key, tool);
  const send = (message: WorkerMessage): void => port.postMessage(message);
  const context = markToolContext({
    ...call.context,
    // The thread itself is ended when the call's time is over.
    signal: new AbortController().signal,
    progress: (value) => send({ progress: shown(value) }),
  });
  try {
    const runnable = await findTool(call, tool);
    const collecting: ToolContext = { ...context, progress: (element) => send({ element: element as Json }) };
    const returned = await runTool(runnable(context), await decodeArguments(tool, call.args), collecting);
    if (returned.collected) return { value: null, collected: true };
    return { value: await encodeResult(runnable(context), returned, call.context), collected: false };
  } catch (error) {
    const { code } = error as Partial<ToolExecutionError>;
    return { error: { code: typeof code === "string" ? code : "tool-failed", message: thrownMessage(error) } };
  } finally {
    port.close();
  }
}

/** @returns The tool with its function bound to the context that the function sees. */
async function findTool({ module }: WorkerCall, tool: WorkerCall["tool"]) {
  const exports = await importModule(module);
  const path = tool.export.split(".");
  const owner = path.length > 1 ? readMember(exports, path.slice(0, -1).join(".")) : undefined;
  const call = readMember(exports, tool.export);
  if (typeof call !== "function") {
    throw new Error(`${tool.export} is no exported function of the module of ${tool.name} as a thread loads it`);
  }
  return (context: ToolContext): RunnableTool => ({
    name: tool.name,
    returns: tool.returns,
    invoke: (args) =>
      Reflect.apply(
        call,
        owner,
        tool.call.map((slot) => fillSlot(slot, args as Record<string, unknown>, context)),
      ),
  });
}

async function decodeArguments({ name, parameters }: WorkerCall["tool"], args: Json): Promise<object> {
  // Ajv is needed to find out which codec a value is for, and for nothing else here.
  if (!mentionsCodec(parameters)) return args as object;
  return decode(await compileSchema(parameters, name), args).value as object;
}

function shown(value: unknown): Json {
  try {
    return toJson(value);
  } catch {
    return "(a value without a JSON form)";
  }
}
