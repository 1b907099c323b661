import { badRequest, fingerprint, firstRefusal, isReceived, listOf, objectsOf, type Received } from "../reading.js";
import { plainSchemaProblems } from "../rules/plain-schema.js";
import { anthropicSize, anthropicStrictProblems } from "../rules/strict-schema.js";
import type { Memory, ReceivedRequest, Refusal } from "../scripted-reply.js";

const TOP_LEVEL = new Set([
  ...["model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "stream"],
  ...["stop_sequences", "metadata", "service_tier", "cache_control", "container", "inference_geo"],
]);
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

/** What Anthropic's Messages API refuses. Each rule is one of wire.md, sections 1 and 9. */
export function checkAnthropicRequest(request: ReceivedRequest, memory: Memory): Refusal | undefined {
  const { body, headers } = request;
  const model = String(body.model ?? "");
  return firstRefusal([
    () => checkHeaders(headers),
    () => checkFields(body, headers["anthropic-version"] ?? ""),
    () => checkTools(body),
    () => checkToolChoice(body, model),
    () => checkThinking(body, model),
    () => checkOutput(body),
    () => checkHistory(body, model),
    () => checkSeals(body, model, memory),
  ]);
}

/** The part of a request that a thinking block is bound to: everything before the message that holds it. */
export function boundPrefix(body: Received, before: number): string {
  const messages = objectsOf(body.messages)
    .slice(0, before)
    .map((message) => [message.role, blocksOf(message.content)]);
  return fingerprint([body.system ?? null, body.tools ?? null, messages]);
}

/** `claude-opus-5-5` → 5.5. A name that is not Claude's counts as current. */
export function claudeVersion(model: string): number {
  const current = /claude-[a-z]+-(\d+)(?:-(\d{1,2})(?!\d))?/.exec(model);
  if (current !== null) return Number(`${current[1]}.${current[2] ?? 0}`);
  const old = /claude-(\d)(?:-(\d))?-/.exec(model);
  return old === null ? 5.5 : Number(`${old[1]}.${old[2] ?? 0}`);
}

function checkHeaders(headers: ReceivedRequest["headers"]): Refusal | undefined {
  const key = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /, "");
  if (key === undefined || key === "" || key === "wrong") {
    return { status: 401, code: "authentication_error", message: "invalid x-api-key" };
  }
  return headers["anthropic-version"] === undefined ? badRequest("anthropic-version: header is required") : undefined;
}

function checkFields(body: Received, version: string): Refusal | undefined {
  for (const name of ["model", "max_tokens", "messages"]) {
    if (body[name] === undefined) return badRequest(`${name}: Field required`);
  }
  if (String(body.model).startsWith("missing")) {
    return { status: 404, code: "not_found_error", message: `model: ${String(body.model)}` };
  }
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) {
    return badRequest("max_tokens: Input should be greater than or equal to 1");
  }
  const allowed = (name: string) =>
    TOP_LEVEL.has(name) || (["temperature", "top_p", "top_k"].includes(name) && version < "2026-10-21");
  const extra = Object.keys(body).find((name) => !allowed(name));
  return extra === undefined ? undefined : badRequest(`${extra}: Extra inputs are not permitted`);
}

function checkTools(body: Received): Refusal | undefined {
  const tools = objectsOf(body.tools);
  const names = tools.map((tool) => String(tool.name));
  for (const [index, tool] of tools.entries()) {
    const at = `tools.${index}.custom`;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(names[index]!)) {
      return badRequest(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    }
    if (names.indexOf(names[index]!) !== index) return badRequest("tools: Tool names must be unique.");
    const problems = [
      ...plainSchemaProblems(tool.input_schema),
      ...(tool.strict === true ? anthropicStrictProblems(tool.input_schema) : []),
    ];
    if (problems.length > 0) return badRequest(`${at}.input_schema: ${problems[0]}`);
  }
  const strict = [
    ...tools.filter((tool) => tool.strict === true).map((tool) => tool.input_schema),
    ...(formatOf(body) === undefined ? [] : [formatOf(body)?.schema]),
  ];
  const sizes = strict.map(anthropicSize);
  const optional = sizes.reduce((sum, size) => sum + size.optional, 0);
  const unions = sizes.reduce((sum, size) => sum + size.unions, 0);
  if (tools.filter((tool) => tool.strict === true).length > 20 || optional > 24 || unions > 16) {
    return badRequest("The compiled grammar is too large, which would cause performance issues.");
  }
  return undefined;
}

function checkToolChoice(body: Received, model: string): Refusal | undefined {
  const choice = body.tool_choice;
  if (choice === undefined) return undefined;
  if (!isReceived(choice) || !["auto", "any", "tool", "none"].includes(String(choice.type))) {
    return badRequest(
      "tool_choice: Input tag found does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
    );
  }
  const tools = objectsOf(body.tools);
  if (tools.length === 0) return badRequest("tool_choice may only be specified while providing tools.");
  if (choice.type !== "any" && choice.type !== "tool") return undefined;
  if (choice.type === "tool" && !tools.some((tool) => tool.name === choice.name)) {
    return badRequest(`Tool '${String(choice.name)}' not found in provided tools`);
  }
  if (/fable|mythos/.test(model) || claudeVersion(model) >= 5.5) {
    return badRequest(`tool_choice: '${choice.type}' is not supported on this model; use 'auto' or 'none'`);
  }
  return isReceived(body.thinking) && body.thinking.type === "enabled"
    ? badRequest("Thinking may not be enabled when tool_choice forces tool use.")
    : undefined;
}

function checkThinking(body: Received, model: string): Refusal | undefined {
  const thinking = isReceived(body.thinking) ? body.thinking : undefined;
  const type = thinking?.type;
  const version = claudeVersion(model);
  const alwaysOn = /fable|mythos/.test(model) || (model.includes("opus") && version >= 5.5);
  const accepted = alwaysOn
    ? ["adaptive"]
    : version >= 5.5 && model.includes("sonnet")
      ? ["adaptive", "between_tools"]
      : version >= 4.7
        ? ["adaptive", "disabled"]
        : version >= 4.6
          ? ["adaptive", "enabled", "disabled"]
          : ["enabled", "disabled"];
  if (type !== undefined && !accepted.includes(String(type))) {
    return badRequest(
      `thinking.type: '${String(type)}' is not supported on this model. Supported: ${accepted.join(", ")}`,
    );
  }
  if (type === "enabled") {
    const budget = Number(thinking?.budget_tokens);
    if (!(budget >= 1024))
      return badRequest("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (budget >= Number(body.max_tokens))
      return badRequest("`max_tokens` must be greater than `thinking.budget_tokens`");
  }
  const effort = isReceived(body.output_config) ? body.output_config.effort : undefined;
  if (effort === undefined) return undefined;
  const levels =
    version >= 4.7 ? EFFORTS : version >= 4.6 ? EFFORTS.filter((level) => level !== "xhigh") : EFFORTS.slice(0, 3);
  if (version < 4.6 && !(version >= 4.5 && model.includes("opus")))
    return badRequest("This model does not support the effort parameter.");
  return levels.includes(String(effort))
    ? undefined
    : badRequest(
        `This model does not support effort level '${String(effort)}'. Supported levels: ${levels.join(", ")}.`,
      );
}

function formatOf(body: Received): Received | undefined {
  const format = isReceived(body.output_config) ? body.output_config.format : undefined;
  return isReceived(format) ? format : undefined;
}

function checkOutput(body: Received): Refusal | undefined {
  const format = formatOf(body);
  if (format === undefined) return undefined;
  const extra = Object.keys(format).find((name) => name !== "type" && name !== "schema");
  if (extra !== undefined) return badRequest(`output_config.format.${extra}: Extra inputs are not permitted`);
  if (format.type !== "json_schema") return badRequest("output_config.format.type: Input should be 'json_schema'");
  const problems = anthropicStrictProblems(format.schema);
  return problems.length === 0 ? undefined : badRequest(`output_config.format.schema: ${problems[0]}`);
}

function checkHistory(body: Received, model: string): Refusal | undefined {
  const messages = merged(objectsOf(body.messages));
  if (messages.length === 0) return badRequest("messages: at least one message is required");
  if (messages[0]!.role !== "user") return badRequest('messages: first message must use the "user" role');
  const seen = new Set<string>();
  for (const [index, { role, blocks }] of messages.entries()) {
    const at = `messages.${index}`;
    if (!["user", "assistant", "system"].includes(role))
      return badRequest(`${at}.role: Input should be 'user', 'assistant' or 'system'`);
    if (blocks.length === 0 && index < messages.length - 1)
      return badRequest(`${at}: all messages must have non-empty content`);
    const refusal = firstRefusal([
      () => checkBlocks(blocks, { role, at }),
      () => checkResults(blocks, role === "user" ? messages[index - 1] : undefined, at),
    ]);
    if (refusal !== undefined) return refusal;
    const calls = blocks.filter((block) => block.type === "tool_use");
    for (const call of calls) {
      if (seen.has(String(call.id))) return badRequest(`${at}: \`tool_use\` ids must be unique`);
      seen.add(String(call.id));
    }
    const answers = messages[index + 1]?.role === "user" ? messages[index + 1]!.blocks : [];
    const open = calls.filter(
      (call) => !answers.some((block) => block.type === "tool_result" && block.tool_use_id === call.id),
    );
    if (open.length > 0) {
      return badRequest(
        `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.map((call) => String(call.id)).join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
  }
  if (seen.size > 0 && objectsOf(body.tools).length === 0) {
    return badRequest("Requests which include `tool_use` or `tool_result` blocks in `messages` must define tools.");
  }
  const last = messages.at(-1)!;
  const isPause = last.blocks.some((block) => block.type === "server_tool_use");
  return last.role === "assistant" && claudeVersion(model) >= 4.6 && !isPause
    ? badRequest(
        "This model does not support assistant message prefill. The conversation must end with a user message.",
      )
    : undefined;
}

function checkBlocks(blocks: readonly Received[], { role, at }: { role: string; at: string }): Refusal | undefined {
  for (const [index, block] of blocks.entries()) {
    const here = `${at}.content.${index}`;
    if (block.type === "text" && String(block.text ?? "") === "")
      return badRequest(`${here}: text content blocks must be non-empty`);
    if (block.type === "text" && block.citations !== undefined && role === "user") {
      return badRequest(`${here}.citations: Extra inputs are not permitted`);
    }
    if (block.type === "document" && role === "assistant")
      return badRequest(`${here}: document blocks are not permitted in assistant messages`);
    if (block.type === "tool_use") {
      if (role !== "assistant") return badRequest(`${here}: \`tool_use\` blocks can only be in \`assistant\` messages`);
      if (!isReceived(block.input)) return badRequest(`${here}.tool_use.input: Input should be a valid dictionary`);
    }
    if (["thinking", "redacted_thinking"].includes(String(block.type)) && role !== "assistant") {
      return badRequest(`${here}: \`thinking\` blocks can only be in \`assistant\` messages`);
    }
  }
  const end = blocks.at(-1);
  return role === "assistant" && end?.type === "text" && String(end.text).trim() === ""
    ? badRequest(`${at}: final assistant content cannot end with trailing whitespace`)
    : undefined;
}

function checkResults(
  blocks: readonly Received[],
  before: { readonly role: string; readonly blocks: readonly Received[] } | undefined,
  at: string,
): Refusal | undefined {
  const results = blocks.filter((block) => block.type === "tool_result");
  const calls = (before?.role === "assistant" ? before.blocks : []).filter((block) => block.type === "tool_use");
  const answered = new Set<unknown>();
  for (const result of results) {
    if (!calls.some((call) => call.id === result.tool_use_id)) {
      return badRequest(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(result.tool_use_id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(result.tool_use_id)) return badRequest(`${at}: each tool_use must have a single result`);
    answered.add(result.tool_use_id);
  }
  const firstOther = blocks.findIndex((block) => block.type !== "tool_result");
  return firstOther !== -1 && blocks.findLastIndex((block) => block.type === "tool_result") > firstOther
    ? badRequest(`${at}: \`tool_result\` blocks must come before any other content`)
    : undefined;
}

function checkSeals(body: Received, model: string, memory: Memory): Refusal | undefined {
  const isThinking = isReceived(body.thinking) && body.thinking.type === "enabled";
  for (const [index, message] of objectsOf(body.messages).entries()) {
    const blocks = blocksOf(message.content);
    for (const [at, block] of blocks.entries()) {
      const here = `messages.${index}.content.${at}`;
      if (block.type === "thinking") {
        const sealed = memory.seals.get(String(block.signature));
        if (sealed === undefined) return badRequest(`${here}: Invalid \`signature\` in \`thinking\` block`);
        const [text, prefix] = JSON.parse(sealed) as [string, string];
        if (text !== block.thinking) {
          return badRequest(`${here}: \`thinking\` blocks in the latest assistant message cannot be modified.`);
        }
        if (claudeVersion(model) >= 5.5 && prefix !== boundPrefix(body, index)) {
          return badRequest(`${here}: this \`thinking\` block is bound to a different conversation`);
        }
      }
      const before = memory.reasoningOf.get(String(block.id));
      if (block.type !== "tool_use" || before === undefined || !isThinking) continue;
      if (!blocks.some((other) => other.type === "thinking" && other.signature === before)) {
        return badRequest(
          `${here}: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
        );
      }
    }
  }
  return undefined;
}

function merged(messages: readonly Received[]): { role: string; blocks: readonly Received[] }[] {
  const result: { role: string; blocks: readonly Received[] }[] = [];
  for (const message of messages) {
    const role = String(message.role);
    const last = result.at(-1);
    if (last?.role === role) last.blocks = [...last.blocks, ...blocksOf(message.content)];
    else result.push({ role, blocks: blocksOf(message.content) });
  }
  return result;
}

function blocksOf(content: unknown): readonly Received[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(listOf(content));
}
