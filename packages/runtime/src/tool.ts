import { registerName, type ToolFunction } from "./manifest/tool-registry.js";

/** What `tool({ … }, fn)` says beside what the function's own type and JSDoc say. Read by the compiler: write literals, or constants. */
export interface ToolOptions {
  /** The name that models see. Default: the function's or const's name. */
  readonly name?: string;
  /** What models are told. Default: the JSDoc text. */
  readonly description?: string;
  /** A person decides before each call. */
  readonly requiresApproval?: boolean;
  /** A call whose outcome is unknown is not run again. */
  readonly once?: boolean;
  /** A call runs alone: it waits for those before it in the same reply, and those after it wait. */
  readonly sequential?: boolean;
  /** The function runs in a worker thread. */
  readonly worker?: boolean;
}

/**
 * Marks a function as a tool, as the JSDoc tag `@tool` does. The compiler finds the call by this function's declaration
 * (also under another import name) and reads the function's type, JSDoc and the options from the source; at run time
 * nothing but the function is needed.
 *
 * @returns A function of its own that calls `fn`, so that one function may be two tools.
 *
 * @example
 * import { tool } from "@callsign/runtime"
 *
 * export const quote = tool({ name: "lookup_quote" }, async (symbol: string) => `${symbol}: 182.50`)
 */
export function tool<F extends ToolFunction>(fn: F): F;
export function tool<F extends ToolFunction>(options: ToolOptions, fn: F): F;
export function tool<F extends ToolFunction>(first: F | ToolOptions, second?: F): F {
  const [options, fn] = typeof first === "function" ? [{}, first] : [first, second];
  if (typeof fn !== "function") throw new TypeError("tool() takes a function, or options and a function");
  const marked = function (this: unknown, ...args: unknown[]): unknown {
    return Reflect.apply(fn, this, args);
  };
  const name = (options as ToolOptions).name ?? fn.name;
  Object.defineProperty(marked, "name", { value: fn.name, configurable: true });
  Object.defineProperty(marked, "length", { value: fn.length, configurable: true });
  registerName(marked as ToolFunction, name);
  return marked as unknown as F;
}
