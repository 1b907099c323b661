import { badRequest, firstRefusal, isReceived, listOf, objectsOf, type Received } from "../reading.js";
import { openaiStrictProblems } from "../rules/strict-schema.js";
import type { Memory, ReceivedRequest, Refusal } from "../scripted-reply.js";
import { checkCommon, checkFormat, checkFunction, isReasoningModel } from "./check-common.js";

/** What OpenAI's Responses API refuses. Each rule is one of wire.md, sections 3 and 9. */
export function checkResponsesRequest({ body, headers }: ReceivedRequest, memory: Memory): Refusal | undefined {
  return firstRefusal([
    () => checkCommon(body, headers),
    () => checkFields(body),
    () => checkTools(body),
    () => checkTextFormat(body),
    () => checkCalls(body),
    () => checkReasoning(body, memory),
  ]);
}

function checkFields(body: Received): Refusal | undefined {
  if (body.input === undefined)
    return badRequest("Missing required parameter: 'input'.", { param: "input", code: "missing_required_parameter" });
  for (const name of [
    "max_tokens",
    "max_completion_tokens",
    "messages",
    "response_format",
    "reasoning_effort",
    "stop",
  ]) {
    if (body[name] !== undefined)
      return badRequest(`Unknown parameter: '${name}'.`, { param: name, code: "unknown_parameter" });
  }
  const include = listOf(body.include);
  return include.includes("reasoning.encrypted_content") && !isReasoningModel(String(body.model))
    ? badRequest("Encrypted content is not supported with this model.", { param: "include" })
    : undefined;
}

function checkTools(body: Received): Refusal | undefined {
  const tools = objectsOf(body.tools);
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`;
    if (tool.type !== "function") continue;
    if (isReceived(tool.function))
      return badRequest(`Missing required parameter: '${at}.name'.`, {
        param: `${at}.name`,
        code: "missing_required_parameter",
      });
    // Left out, the server leans to strict.
    const refusal = checkFunction(tool, { at, strict: tool.strict !== false && tool.strict !== null });
    if (refusal !== undefined) return refusal;
  }
  const choice = body.tool_choice;
  if (isReceived(choice) && choice.type === "function") {
    if (isReceived(choice.function))
      return badRequest("Unknown parameter: 'tool_choice.function'.", {
        param: "tool_choice.function",
        code: "unknown_parameter",
      });
    if (!tools.some((tool) => tool.name === choice.name)) {
      return badRequest(`Tool choice '${String(choice.name)}' not found in 'tools' parameter.`, {
        param: "tool_choice",
      });
    }
  } else if (choice !== undefined && !isReceived(choice) && !["auto", "none", "required"].includes(String(choice))) {
    return badRequest(`Invalid value: '${String(choice)}'. Supported values are: 'none', 'auto', and 'required'.`, {
      param: "tool_choice",
    });
  }
  return choice === "required" && tools.length === 0
    ? badRequest("Tool choice 'required' must be specified with 'tools' parameter.", { param: "tool_choice" })
    : undefined;
}

function checkTextFormat(body: Received): Refusal | undefined {
  const format = isReceived(body.text) ? body.text.format : undefined;
  if (!isReceived(format) || format.type !== "json_schema") return undefined;
  if (format.json_schema !== undefined)
    return badRequest("Unknown parameter: 'text.format.json_schema'.", {
      param: "text.format.json_schema",
      code: "unknown_parameter",
    });
  return checkFormat(format, "text.format", openaiStrictProblems);
}

function checkCalls(body: Received): Refusal | undefined {
  const input = objectsOf(body.input);
  const calls = input.filter((item) => item.type === "function_call");
  const outputs = input.filter((item) => item.type === "function_call_output");
  for (const [index, item] of input.entries()) {
    if (item.role === "tool")
      return badRequest(
        "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        { param: `input[${index}].role`, code: "invalid_value" },
      );
    if (item.type === "function_call" && typeof item.arguments !== "string") {
      return badRequest(`Invalid type for 'input[${index}].arguments': expected a string.`, {
        param: `input[${index}].arguments`,
        code: "invalid_type",
      });
    }
  }
  for (const call of calls) {
    const answers = outputs.filter((output) => output.call_id === call.call_id);
    if (answers.length === 0)
      return badRequest(`No tool output found for function call ${String(call.call_id)}.`, { param: "input" });
    if (answers.length > 1)
      return badRequest(`Duplicate tool output for function call ${String(call.call_id)}.`, { param: "input" });
  }
  const stray = outputs.find((output) => !calls.some((call) => call.call_id === output.call_id));
  return stray === undefined || body.previous_response_id !== undefined
    ? undefined
    : badRequest(`No tool call found for function call output with call_id ${String(stray.call_id)}.`, {
        param: "input",
      });
}

/** Reasoning items and what they led to go together; without a store their content has to come along. */
function checkReasoning(body: Received, memory: Memory): Refusal | undefined {
  const input = objectsOf(body.input);
  for (const [index, item] of input.entries()) {
    const id = String(item.id);
    if (item.type === "reasoning") {
      const next = input[index + 1];
      const leads =
        next !== undefined && ["message", "function_call", "reasoning", undefined].includes(next.type as string);
      const isOutput = next?.type === "function_call" || next?.role === "assistant" || next?.type === "reasoning";
      if (!leads || !isOutput) {
        return badRequest(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
          param: "input",
        });
      }
      const sealed = memory.seals.get(String(item.encrypted_content));
      if (body.store === false && item.encrypted_content === undefined) {
        return {
          status: 404,
          message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`,
        };
      }
      if (item.encrypted_content !== undefined && sealed !== id) {
        return badRequest(`The encrypted content for item ${id} could not be verified.`, {
          code: "invalid_encrypted_content",
        });
      }
    }
    const reasoning = memory.reasoningOf.get(id);
    const isKept = input.slice(0, index).some((other) => other.type === "reasoning" && other.id === reasoning);
    if (reasoning !== undefined && !isKept) {
      return badRequest(
        `Item '${id}' of type '${String(item.type)}' was provided without its required 'reasoning' item: '${reasoning}'.`,
        { param: "input" },
      );
    }
  }
  return undefined;
}
