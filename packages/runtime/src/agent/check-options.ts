import { priceOf } from "../cost/cost-of.js";
import { AgentError } from "../errors/agent-error.js";
import { showValue } from "../errors/show-value.js";
import type { AgentOptions } from "./agent-options.js";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,49}$/;

type Rule = (value: unknown) => boolean;

const whole: Rule = (value) => Number.isInteger(value) && (value as number) >= 0;
const atLeastOne: Rule = (value) => whole(value) && value !== 0;
const duration: Rule = (value) => typeof value === "number" && value > 0;
const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(value as string);

const COUNT = "must be a whole number, 0 or more";
const SOME = "must be a whole number, 1 or more";
const DURATION = "must be a number of milliseconds above 0";
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Options that can be wrong whatever the provider, and what is right. */
const RULES: Partial<Record<keyof AgentOptions<unknown>, readonly [rule: Rule, must: string]>> = {
  maxToolCalls: [whole, COUNT],
  maxHandoffs: [whole, COUNT],
  maxRetries: [whole, COUNT],
  maxConcurrentTools: [atLeastOne, SOME],
  maxTokens: [atLeastOne, SOME],
  toolTimeoutMs: [duration, DURATION],
  timeoutMs: [duration, DURATION],
  name: [
    (value) => typeof value === "string" && NAME.test(value),
    "must have 1 to 50 letters, digits, _ or -, and begin with a letter or _",
  ],
  reasoningEffort: [oneOf(...EFFORTS), `must be one of ${EFFORTS.join(", ")}`],
  structuredOutput: [oneOf("auto", "tool", "exclusive"), "must be auto, tool or exclusive"],
  tools: [Array.isArray, "must be an array of functions, tools and agents"],
  handoffs: [Array.isArray, "must be an array of agents and queues of people"],
};

/** @throws {AgentError} `options-invalid` with everything that does not fit. */
export function checkOptions(instructions: unknown, options: AgentOptions<unknown>): void {
  if (typeof options !== "object" || options === null) {
    throw new AgentError('agent() takes instructions and options: agent("Be brief.", { model: "provider/model" })', {
      code: "options-invalid",
    });
  }
  const problems: string[] = [];
  if (typeof instructions !== "string")
    problems.push(`the instructions must be a text; got ${showValue(instructions)}`);
  const { model } = options;
  if (model === undefined || (Array.isArray(model) && model.length === 0)) {
    problems.push('model must be given, as "provider/model" or a list of such names');
  }
  for (const [name, [rule, must]] of Object.entries(RULES)) {
    const value = options[name as keyof typeof options];
    if (value !== undefined && !rule(value)) problems.push(`${name} ${must}; got ${showValue(value)}`);
  }
  for (const [name, limit] of Object.entries(options.budget ?? {})) {
    if (limit !== undefined && !(typeof limit === "number" && limit > 0)) {
      problems.push(`budget.${name} must be a number above 0; got ${showValue(limit)}`);
    }
  }
  if (options.budget?.cost !== undefined) {
    for (const choice of [model].flat()) {
      const id = typeof choice === "string" ? choice : choice?.id;
      if (id !== undefined && priceOf(options.prices, id) === undefined) {
        problems.push(`budget.cost cannot be counted: prices has none for ${id}`);
      }
    }
  }
  if (problems.length > 0) {
    throw new AgentError(`the agent's options do not fit:\n- ${problems.join("\n- ")}`, { code: "options-invalid" });
  }
}
