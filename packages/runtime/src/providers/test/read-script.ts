import { readFile } from "node:fs/promises";
import { AgentError } from "../../errors/agent-error.js";
import { showValue } from "../../errors/show-value.js";
import { isRecord } from "../../manifest/is-record.js";
import {
  amount,
  type Check,
  failureCode,
  filled,
  listOf,
  members,
  must,
  stopReason,
  text,
  USAGE,
  yesOrNo,
} from "./check-shape.js";
import { parseJsonFile } from "./parse-json-file.js";
import type { ScriptStep } from "./script.js";

/**
 * Reads the replies of `test/script/PATH`: a JSON array of `ScriptStep`.
 *
 * @throws {AgentError} `script-unreadable`; `script-shape` with every place that is wrong.
 */
export async function readScript(path: string): Promise<readonly ScriptStep[]> {
  let content: unknown;
  try {
    content = parseJsonFile(await readFile(path, "utf8"));
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

const checkCall = members(
  {
    name: filled,
    arguments: must(
      "an object, or text for arguments that are none",
      (value) => isRecord(value) || typeof value === "string",
    ),
    id: filled,
  },
  { required: ["name", "arguments"] },
);

const checkStep = members({
  reasoning: text,
  text,
  toolCalls: listOf(checkCall, "calls"),
  stop: stopReason,
  refusal: text,
  usage: members(USAGE),
  delayMs: amount,
  fails: members(
    { code: failureCode, message: text, retryable: yesOrNo, retryAfterMs: amount, status: amount },
    { required: ["code"] },
  ),
} satisfies Record<keyof ScriptStep, Check>);
