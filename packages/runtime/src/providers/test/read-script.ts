import { readFile } from "node:fs/promises";
import { AgentError } from "../../errors/agent-error.js";
import { showValue } from "../../errors/show-value.js";
import { isRecord } from "../../manifest/is-record.js";
import { appendPointer } from "../../manifest/json-pointer.js";
import type { StopReason } from "../../model/model-events.js";
import type { ProviderErrorCode } from "../../model/provider-error.js";
import type { ScriptStep } from "./script.js";

/**
 * Reads the replies of `test/script/PATH`: a JSON array of `ScriptStep`.
 *
 * @throws {AgentError} `script-unreadable`; `script-shape` with every place that is wrong.
 */
export async function readScript(path: string): Promise<readonly ScriptStep[]> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    const missing = (cause as { code?: unknown }).code === "ENOENT";
    const problem = missing ? `there is no such file in ${process.cwd()}` : (cause as Error).message;
    throw new AgentError(`the script ${path} cannot be read: ${problem}`, { code: "script-unreadable", cause });
  }
  const problems = Array.isArray(content)
    ? content.flatMap((step, index) => checkStep(step, `/${index}`))
    : [`it must be a list of replies, such as [{ "text": "Hello" }], not ${showValue(content)}`];
  if (problems.length > 0) {
    throw new AgentError(problems.map((problem) => `${path}: ${problem}`).join("\n"), { code: "script-shape" });
  }
  return content as readonly ScriptStep[];
}

type Check = (value: unknown, pointer: string) => readonly string[];

const must =
  (what: string, accepts: (value: unknown) => boolean): Check =>
  (value, pointer) =>
    accepts(value) ? [] : [`${pointer}: must be ${what}, not ${showValue(value)}`];

const text = must("text", (value) => typeof value === "string");
const filled = must("text that is not empty", (value) => typeof value === "string" && value !== "");
const yesOrNo = must("true or false", (value) => typeof value === "boolean");
const amount = must("a number from 0 on", (value) => typeof value === "number" && value >= 0);
const oneOf = (names: readonly string[]): Check =>
  must(`one of ${names.join(", ")}`, (value) => names.includes(value as string));

const STOPS: Record<StopReason, true> = {
  end: true,
  tool: true,
  length: true,
  refusal: true,
  pause: true,
  malformed: true,
  error: true,
};

const CODES: Record<ProviderErrorCode, true> = {
  "bad-request": true,
  "context-too-long": true,
  "tool-call-refused": true,
  authentication: true,
  permission: true,
  "not-found": true,
  "too-large": true,
  billing: true,
  "rate-limit": true,
  quota: true,
  overloaded: true,
  server: true,
  connection: true,
  timeout: true,
  aborted: true,
  cut: true,
  "malformed-reply": true,
  "content-filter": true,
  "sdk-missing": true,
};

const checkCall = members(
  {
    name: filled,
    arguments: must(
      "an object, or text for arguments that are none",
      (value) => isRecord(value) || typeof value === "string",
    ),
    id: filled,
  },
  ["name", "arguments"],
);

const checkStep = members({
  reasoning: text,
  text,
  toolCalls: (value, pointer) =>
    Array.isArray(value)
      ? value.flatMap((call, index) => checkCall(call, appendPointer(pointer, index)))
      : [`${pointer}: must be a list of calls, not ${showValue(value)}`],
  stop: oneOf(Object.keys(STOPS)),
  refusal: text,
  usage: members({
    inputTokens: amount,
    outputTokens: amount,
    cachedInputTokens: amount,
    cacheWriteTokens: amount,
    reasoningTokens: amount,
  }),
  delayMs: amount,
  fails: members(
    { code: oneOf(Object.keys(CODES)), message: text, retryable: yesOrNo, retryAfterMs: amount, status: amount },
    ["code"],
  ),
} satisfies Record<keyof ScriptStep, Check>);

function members(checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, pointer) => {
    if (!isRecord(value)) return [`${pointer}: must be an object, not ${showValue(value)}`];
    const missing = required.filter((name) => !Object.hasOwn(value, name));
    return [
      ...missing.map((name) => `${pointer}: needs ${JSON.stringify(name)}`),
      ...Object.entries(value).flatMap(([name, member]) => {
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
        return (
          check?.(member, appendPointer(pointer, name)) ?? [
            `${appendPointer(pointer, name)}: is none of ${Object.keys(checks).join(", ")}`,
          ]
        );
      }),
    ];
  };
}
