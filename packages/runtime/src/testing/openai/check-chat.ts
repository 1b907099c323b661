import { badRequest, firstRefusal, isReceived, listOf, objectsOf, type Received } from "../reading.js";
import { openaiStrictProblems } from "../rules/strict-schema.js";
import type { ReceivedRequest, Refusal } from "../scripted-reply.js";
import { checkCommon, checkFormat, checkFunction, isReasoningModel, openaiVersion } from "./check-common.js";

/** What OpenAI's Chat Completions API refuses. Each rule is one of wire.md, sections 2 and 9. */
export function checkChatRequest({ body, headers }: ReceivedRequest): Refusal | undefined {
  return firstRefusal([
    () => checkCommon(body, headers),
    () => checkFields(body),
    () => checkTools(body),
    () => checkResponseFormat(body),
    () => checkMessages(body),
  ]);
}

function checkFields(body: Received): Refusal | undefined {
  const model = String(body.model);
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return badRequest("Missing required parameter: 'messages'.", {
      param: "messages",
      code: "missing_required_parameter",
    });
  }
  if (body.max_tokens !== undefined && isReasoningModel(model)) {
    return badRequest(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { param: "max_tokens", code: "unsupported_parameter" },
    );
  }
  if (body.stream_options !== undefined && body.stream !== true) {
    return badRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options",
    });
  }
  const effort = body.reasoning_effort ?? (isReasoningModel(model) ? "medium" : undefined);
  if (listOf(body.tools).length > 0 && openaiVersion(model) >= 5.4 && effort !== "none") {
    return badRequest(
      `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. Please use /v1/responses instead.`,
      { param: "reasoning_effort" },
    );
  }
  return undefined;
}

function checkTools(body: Received): Refusal | undefined {
  const tools = listOf(body.tools);
  if (body.tools !== undefined && tools.length === 0) {
    return badRequest("Invalid 'tools': empty array. Expected an array with minimum length 1.", {
      param: "tools",
      code: "empty_array",
    });
  }
  if (tools.length > 128) {
    return badRequest(
      `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${tools.length} instead.`,
      { param: "tools", code: "array_above_max_length" },
    );
  }
  for (const [index, tool] of tools.entries()) {
    const declared = isReceived(tool) ? tool.function : undefined;
    if (!isReceived(tool) || tool.type !== "function" || !isReceived(declared)) {
      return badRequest(`Missing required parameter: 'tools[${index}].function'.`, {
        param: `tools[${index}].function`,
      });
    }
    const refusal = checkFunction(declared, {
      at: `tools[${index}].function`,
      strict: declared.strict === true,
      descriptionLimit: 1_024,
    });
    if (refusal !== undefined) return refusal;
  }
  const choice = body.tool_choice;
  if (choice !== undefined && tools.length === 0) {
    return badRequest("'tool_choice' is only allowed when 'tools' are specified.", { param: "tool_choice" });
  }
  if (isReceived(choice) && choice.type === "function") {
    const name = isReceived(choice.function) ? choice.function.name : undefined;
    const known = objectsOf(tools).some((tool) => isReceived(tool.function) && tool.function.name === name);
    if (!known)
      return badRequest(`Tool choice '${String(name)}' not found in 'tools' parameter.`, { param: "tool_choice" });
  } else if (choice !== undefined && !isReceived(choice) && !["auto", "none", "required"].includes(String(choice))) {
    return badRequest(`Invalid value: '${String(choice)}'. Supported values are: 'none', 'auto', and 'required'.`, {
      param: "tool_choice",
    });
  }
  return body.parallel_tool_calls !== undefined && tools.length === 0
    ? badRequest("'parallel_tool_calls' is only allowed when 'tools' are specified.", { param: "parallel_tool_calls" })
    : undefined;
}

function checkResponseFormat(body: Received): Refusal | undefined {
  const format = body.response_format;
  if (!isReceived(format) || format.type === "text") return undefined;
  if (format.type === "json_object") {
    return JSON.stringify(body.messages).toLowerCase().includes("json")
      ? undefined
      : badRequest(
          "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
          { param: "messages" },
        );
  }
  return checkFormat(
    isReceived(format.json_schema) ? format.json_schema : {},
    "response_format.json_schema",
    openaiStrictProblems,
  );
}

function checkMessages(body: Received): Refusal | undefined {
  const messages = objectsOf(body.messages);
  let open: { readonly ids: Set<string>; readonly index: number } | undefined;
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`;
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (open === undefined || !open.ids.delete(id)) {
        return badRequest(
          `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.`,
          { param: `${at}.role` },
        );
      }
      if (typeof message.content !== "string" && objectsOf(message.content).some((part) => part.type !== "text")) {
        return badRequest(`Invalid content type: tool messages take text only.`, { param: `${at}.content` });
      }
      continue;
    }
    if (open !== undefined && open.ids.size > 0) return unanswered(open.ids, index);
    open = undefined;
    if (!["system", "developer", "user", "assistant"].includes(String(message.role))) {
      return badRequest(`Invalid value: '${String(message.role)}'.`, { param: `${at}.role`, code: "invalid_value" });
    }
    if (message.role !== "assistant") {
      if (message.content === null || message.content === undefined) {
        return badRequest(`Invalid value for 'content': expected a string, got null.`, { param: `${at}.content` });
      }
      continue;
    }
    const refusal = checkAssistant(message, at);
    if (refusal !== undefined) return refusal;
    const ids = objectsOf(message.tool_calls).map((call) => String(call.id));
    if (ids.length > 0) open = { ids: new Set(ids), index };
  }
  return open !== undefined && open.ids.size > 0 ? unanswered(open.ids, messages.length) : undefined;
}

function checkAssistant(message: Received, at: string): Refusal | undefined {
  const calls = message.tool_calls;
  if (Array.isArray(calls) && calls.length === 0) {
    return badRequest(`Invalid '${at}.tool_calls': empty array. Expected an array with minimum length 1.`, {
      param: `${at}.tool_calls`,
      code: "empty_array",
    });
  }
  if (calls === undefined && (message.content === null || message.content === undefined)) {
    return badRequest("Invalid value for 'content': expected a string, got null.", { param: `${at}.content` });
  }
  for (const [index, call] of objectsOf(calls).entries()) {
    const called = isReceived(call.function) ? call.function : {};
    if (typeof called.arguments !== "string") {
      return badRequest(`Invalid type for '${at}.tool_calls[${index}].function.arguments': expected a string.`, {
        param: `${at}.tool_calls[${index}].function.arguments`,
        code: "invalid_type",
      });
    }
    if (typeof call.id !== "string" || call.id === "") {
      return badRequest(`Missing required parameter: '${at}.tool_calls[${index}].id'.`, {
        param: `${at}.tool_calls[${index}].id`,
      });
    }
  }
  return undefined;
}

function unanswered(ids: ReadonlySet<string>, index: number): Refusal {
  return badRequest(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(", ")}`,
    { param: `messages.[${index}].role` },
  );
}
