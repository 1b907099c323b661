import { toJson } from "../calls/to-json.js";
import { registerName, type ToolFunction, toolFor } from "../manifest/tool-registry.js";
import { isToolContext } from "../tool-context.js";
import { runAlone } from "./run-alone.js";
import { runTask } from "./run-task.js";
import { currentScope } from "./scope.js";
import { memoryTaskCache, type TaskCache } from "./task-cache.js";
import type { TaskOptions } from "./task-options.js";

const cache: TaskCache = memoryTaskCache();

type Asynchronous<F extends ToolFunction> = (...args: Parameters<F>) => Promise<Awaited<ReturnType<F>>>;

/**
 * Makes a function a task: inside a workflow each call is recorded, and a call that was recorded is not done again.
 * Outside of a workflow it runs as it is, with its retries, time limit and fallback. A compiled task is also a tool.
 *
 * @throws {TaskError} from the call, when the function failed for good; the same live as on replay.
 * @throws {TaskResultError} when its result has no JSON form.
 *
 * @example
 * import { task } from "@callsign/runtime"
 *
 * export const fetchRate = task({ retries: 3, timeoutMs: 5_000 }, async (currency: string) => {
 *   const response = await fetch(`https://rates.example/${currency}`)
 *   return Number(await response.text())
 * })
 */
export function task<F extends ToolFunction>(fn: F): Asynchronous<F>;
export function task<F extends ToolFunction>(
  options: TaskOptions<Parameters<NoInfer<F>>, Awaited<ReturnType<NoInfer<F>>>>,
  fn: F,
): Asynchronous<F>;
export function task<F extends ToolFunction>(
  first: F | TaskOptions<Parameters<F>, Awaited<ReturnType<F>>>,
  second?: F,
): Asynchronous<F> {
  const [options, fn] =
    typeof first === "function" ? [{} as TaskOptions<Parameters<F>, Awaited<ReturnType<F>>>, first] : [first, second];
  if (typeof fn !== "function") throw new TypeError("task() takes a function, or options and a function");
  if (options.sensitive === true && options.once === true) {
    throw new TypeError(
      "task(): sensitive and once contradict each other: what is not stored runs again on replay; leave one of them out",
    );
  }
  const name = options.name ?? (fn.name === "" ? "task" : fn.name);
  const made = function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const { fallback, rollback, requiresApproval, ...plain } = options as TaskOptions<unknown[], unknown>;
    const call = {
      name,
      args: toJson(args.map(withoutContext)),
      returns: toolFor(made as ToolFunction)?.returns,
      cache,
      options: {
        ...plain,
        ...(fallback === undefined ? {} : { fallback: () => fallback(...args) }),
        ...(rollback === undefined ? {} : { rollback: () => rollback(...args) }),
        ...(requiresApproval === undefined || requiresApproval === false
          ? {}
          : { requiresApproval: () => requiresApproval === true || requiresApproval(...args) }),
      },
      execute: () => Reflect.apply(fn, this, args),
    };
    const scope = currentScope();
    return scope === undefined ? runAlone(call) : runTask(call, scope);
  };
  Object.defineProperty(made, "name", { value: fn.name, configurable: true });
  Object.defineProperty(made, "length", { value: fn.length, configurable: true });
  registerName(made as ToolFunction, name);
  return made as unknown as Asynchronous<F>;
}

/** What the runtime itself gives is not what a call is about. */
function withoutContext(arg: unknown): unknown {
  return arg instanceof AbortSignal || isToolContext(arg) ? null : arg;
}
