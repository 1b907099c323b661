import { AgentError } from "../errors/agent-error.js";
import { showValue } from "../errors/show-value.js";
import { isRecord } from "../manifest/is-record.js";
import type { Message } from "../model/messages.js";

const ROLES: readonly unknown[] = ["user", "assistant", "tool", "system"] satisfies Message["role"][];

/**
 * What a run is begun with, by callers whom no type checker held back.
 *
 * @throws {AgentError} `question-invalid`, `options-invalid`, `history-invalid`.
 */
export function checkQuestion(question: unknown, runOptions: unknown): void {
  if (typeof question !== "string" || question.trim() === "") {
    throw new AgentError(
      `the question must be a text that is not empty, which no provider takes; got ${showValue(question)}`,
      { code: "question-invalid" },
    );
  }
  if (!isRecord(runOptions)) {
    throw new AgentError(`the options of a run must be an object; got ${showValue(runOptions)}`, {
      code: "options-invalid",
    });
  }
  const { signal, history, onLeave, sessionId } = runOptions;
  const problems: string[] = [];
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    problems.push(`signal must be an AbortSignal, such as controller.signal; got ${showValue(signal)}`);
  }
  if (onLeave !== undefined && onLeave !== "abort" && onLeave !== "detach") {
    problems.push(`onLeave must be abort or detach; got ${showValue(onLeave)}`);
  }
  if (sessionId !== undefined && typeof sessionId !== "string") {
    problems.push(`sessionId must be a text; got ${showValue(sessionId)}`);
  }
  if (problems.length > 0) {
    throw new AgentError(`the options of the run do not fit:\n- ${problems.join("\n- ")}`, { code: "options-invalid" });
  }
  if (history !== undefined) checkMessages(history, "history");
}

/**
 * @param what Names the messages where something is wrong with them.
 * @throws {AgentError} `history-invalid` with every message that is none.
 */
export function checkMessages(messages: unknown, what: string): asserts messages is readonly Message[] {
  const problems = Array.isArray(messages)
    ? messages.flatMap((message, index) => problemOf(message, `${what}[${index}]`) ?? [])
    : [`${what} must be a list of messages; got ${showValue(messages)}`];
  if (problems.length === 0) return;
  throw new AgentError(`these messages cannot be sent:\n- ${problems.join("\n- ")}`, { code: "history-invalid" });
}

function problemOf(message: unknown, at: string): string | undefined {
  if (!isRecord(message) || !ROLES.includes(message.role)) {
    return `${at} must be an object with one of the roles ${ROLES.join(", ")}; got ${showValue(message)}`;
  }
  const { content, role } = message;
  if (!Array.isArray(content)) {
    return `${at}.content must be a list of parts, such as [{ type: "text", text: "…" }]; got ${showValue(content)}`;
  }
  for (const [index, part] of content.entries()) {
    const problem = partProblem(part, role);
    if (problem !== undefined) return `${at}.content[${index}] ${problem}; got ${showValue(part)}`;
  }
  return undefined;
}

function partProblem(part: unknown, role: unknown): string | undefined {
  if (!isRecord(part)) return "must be an object with a type";
  const isText = (value: unknown): boolean => typeof value === "string";
  switch (part.type) {
    case "text":
    case "reasoning":
      return isText(part.text) ? undefined : "must have a text";
    case "image":
      return isRecord(part.source) ? undefined : "must have a source, { base64 } or { url }";
    case "native":
      return isRecord(part.native) ? undefined : "must have native data";
    case "tool_call":
      if (role !== "assistant") return "must stand in an assistant's message";
      return [part.id, part.name, part.arguments].every(isText)
        ? undefined
        : "must have an id, a name and arguments as JSON text";
    case "tool_result":
      if (role !== "tool") return 'must stand in a message of role "tool"';
      return isText(part.callId) && isText(part.name) && Array.isArray(part.content)
        ? undefined
        : "must have a callId, a name and a list as content";
    default:
      return "must be of type text, image, reasoning, tool_call, tool_result or native";
  }
}
