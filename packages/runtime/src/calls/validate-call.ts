import type { Json } from "../manifest/json-schema.js";
import type { ToolCallPart } from "../model/messages.js";
import type { Tool } from "../tool-class.js";
import { argumentsRefused, unknownTool } from "./messages.js";
import { parseArguments } from "./parse-arguments.js";
import { thrownMessage } from "./thrown-message.js";
import { validateValue } from "./validate-value.js";

/** What a call is checked against. */
export interface CallTarget {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Wire form → neutral form; returns what it cannot read as it is. */
  restoreArguments(toolName: string, args: Record<string, unknown>): unknown;
}

/** A call that may run, or what the model is told instead. `args` is what observers see. */
export type ValidatedCall =
  | { readonly tool: Tool; readonly args: Json; readonly value: object }
  | { readonly problem: string; readonly args: Json };

/** From the model's text to decoded arguments. Never throws: what is wrong comes back in words for the model. */
export async function validateCall(call: ToolCallPart, target: CallTarget): Promise<ValidatedCall> {
  const tool = target.tools.get(call.name);
  if (tool === undefined) {
    return { problem: unknownTool(call.name, [...target.tools.keys()]), args: shownArguments(call, target) };
  }
  const parsed = parseArguments(call.arguments);
  if (!parsed.ok) return { problem: parsed.problem, args: call.arguments };
  try {
    const neutral = target.restoreArguments(call.name, parsed.value);
    const checked = await validateValue(tool.parameters, neutral, { name: tool.name });
    return checked.valid
      ? { tool, args: checked.json as Json, value: checked.value as object }
      : { problem: argumentsRefused(tool.name, checked.refusals), args: neutral as Json };
  } catch (error) {
    return { problem: `${call.name} cannot be called: ${thrownMessage(error)}`, args: call.arguments };
  }
}

/** What an observer sees of arguments that are not validated. */
export function shownArguments(call: ToolCallPart, target: CallTarget): Json {
  const parsed = parseArguments(call.arguments);
  return parsed.ok ? (target.restoreArguments(call.name, parsed.value) as Json) : call.arguments;
}
