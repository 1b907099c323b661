import { ManifestError } from "../errors/manifest-error.js";
import { notATool, toolNeedsInstance, toolNotCompiled } from "../errors/messages.js";
import { Tool } from "../tool-class.js";

/** Any plain function: what a caller may pass where a tool is due, once it was bound. */
export type ToolFunction = (...args: never) => unknown;

const tools = new WeakMap<ToolFunction, Tool>();
const instanceMethods = new WeakSet<ToolFunction>();
const names = new WeakMap<ToolFunction, string>();

/** Remembers which tool a function implements. The latest binding counts: a module that is loaded anew binds anew. */
export function registerTool(implementation: ToolFunction, tool: Tool): void {
  tools.set(implementation, tool);
}

/** A method alone does not say on which instance to call it, so it stands for no tool. */
export function registerInstanceMethod(method: ToolFunction): void {
  instanceMethods.add(method);
}

/** The name that `tool({ name }, fn)` gives, for messages about a function that was never bound. */
export function registerName(implementation: ToolFunction, name: string): void {
  names.set(implementation, name);
}

/** The tool that a function is bound to; undefined before it was bound. */
export function toolFor(implementation: ToolFunction): Tool | undefined {
  return tools.get(implementation);
}

/**
 * The tool that a value stands for.
 *
 * @throws {ManifestError} code `tool-not-compiled` for a function that was never bound.
 */
export function resolveTool(value: unknown): Tool {
  if (value instanceof Tool) return value;
  if (typeof value !== "function") throw new ManifestError([notATool(value)]);
  const implementation = value as ToolFunction;
  const tool = tools.get(implementation);
  if (tool !== undefined) return tool;
  const name = names.get(implementation) ?? value.name;
  throw new ManifestError([instanceMethods.has(implementation) ? toolNeedsInstance(name) : toolNotCompiled(name)]);
}
