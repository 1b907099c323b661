import { priceOf } from "../cost/cost-of.js";
import { AgentError } from "../errors/agent-error.js";
import { showValue } from "../errors/show-value.js";
import { isRecord } from "../manifest/is-record.js";
import type { AgentOptions } from "./agent-options.js";
import type { AgentHooks } from "./hooks.js";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,49}$/;
export const NAME_RULE = "must have 1 to 50 letters, digits, _ or -, and begin with a letter or _";

export function isAgentName(value: unknown): value is string {
  return typeof value === "string" && NAME.test(value);
}

type Rule = readonly [isRight: (value: unknown) => boolean, must: string];

const isText = (value: unknown): boolean => typeof value === "string";
const isFunction = (value: unknown): boolean => typeof value === "function";
const isWhole = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isPositive = (value: unknown): boolean => typeof value === "number" && value > 0;
const isOneOf = (words: readonly string[]) => (value: unknown) => words.includes(value as string);
const has = (field: string, isRight: (value: unknown) => boolean) => (value: unknown) =>
  isRecord(value) && isRight(value[field]);

const anything: Rule = [() => true, ""];
const text: Rule = [isText, "must be a text"];
const func: Rule = [isFunction, "must be a function"];
const flag: Rule = [(value) => typeof value === "boolean", "must be true or false"];
const record: Rule = [isRecord, "must be an object"];
const count: Rule = [isWhole, "must be a whole number, 0 or more"];
const some: Rule = [(value) => isWhole(value) && value !== 0, "must be a whole number, 1 or more"];
const duration: Rule = [isPositive, "must be a number of milliseconds above 0"];
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
const CHOICES = ["auto", "none", "required"] as const;
const HOOKS: readonly string[] = [
  "beforeModel",
  "afterModel",
  "beforeTool",
  "afterTool",
] satisfies (keyof AgentHooks)[];

const isModel = (value: unknown): boolean =>
  isText(value) || (isRecord(value) && isText(value.id) && isRecord(value.entry));

/** Every option there is, and what is right whatever the provider. */
const RULES: Record<keyof AgentOptions<unknown>, Rule> = {
  model: [
    (value) => (Array.isArray(value) ? value.length > 0 && value.every(isModel) : isModel(value)),
    'must be given, as "provider/model" or a list of such names',
  ],
  tools: [Array.isArray, "must be an array of functions, tools and agents"],
  handoffs: [Array.isArray, "must be an array of agents and queues of people"],
  responseFormat: anything,
  structuredOutput: [isOneOf(["auto", "tool", "exclusive"]), "must be auto, tool or exclusive"],
  maxToolCalls: count,
  maxConcurrentTools: some,
  parallelToolCalls: flag,
  toolChoice: [
    (value) => isOneOf(CHOICES)(value) || has("tool", isText)(value),
    `must be one of ${CHOICES.join(", ")}, or { tool: name }`,
  ],
  maxHandoffs: count,
  stream: flag,
  reasoningEffort: [isOneOf(EFFORTS), `must be one of ${EFFORTS.join(", ")}`],
  maxTokens: some,
  temperature: [(value) => Number.isFinite(value), "must be a number"],
  toolTimeoutMs: duration,
  timeoutMs: duration,
  maxRetries: count,
  strict: flag,
  budget: record,
  prices: record,
  telemetry: [(value) => typeof value === "boolean" || isRecord(value), "must be true, false or an object"],
  hooks: [
    (value) =>
      isRecord(value) &&
      Object.entries(value).every(([name, hook]) => HOOKS.includes(name) && (hook === undefined || isFunction(hook))),
    `must be an object of functions named ${HOOKS.join(", ")}`,
  ],
  deps: anything,
  approve: func,
  name: [isAgentName, NAME_RULE],
  description: text,
  apiKey: text,
  baseUrl: text,
  headers: record,
  fetch: func,
  compat: record,
};

/** @throws {AgentError} `options-invalid` with everything that does not fit. */
export function checkOptions(instructions: unknown, options: AgentOptions<unknown>): void {
  if (!isRecord(options)) {
    throw new AgentError('agent() takes instructions and options: agent("Be brief.", { model: "provider/model" })', {
      code: "options-invalid",
    });
  }
  const problems: string[] = [];
  if (!isText(instructions)) problems.push(`the instructions must be a text; got ${showValue(instructions)}`);
  for (const [name, [isRight, must]] of Object.entries(RULES)) {
    const value = (options as Record<string, unknown>)[name];
    if ((value !== undefined || name === "model") && !isRight(value)) {
      problems.push(`${name} ${must}; got ${showValue(value)}`);
    }
  }
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(RULES, name)) problems.push(`${name} is no option of an agent`);
  }
  problems.push(...budgetProblems(options), ...priceProblems(options));
  if (problems.length > 0) {
    throw new AgentError(`the agent's options do not fit:\n- ${problems.join("\n- ")}`, { code: "options-invalid" });
  }
}

function* budgetProblems({ budget, model, prices }: AgentOptions<unknown>): Generator<string> {
  if (!isRecord(budget)) return;
  for (const [name, limit] of Object.entries(budget)) {
    if (name !== "tokens" && name !== "cost")
      yield `budget.${name} is no limit; there are budget.tokens and budget.cost`;
    else if (limit !== undefined && !isPositive(limit)) {
      yield `budget.${name} must be a number above 0; got ${showValue(limit)}`;
    }
  }
  if (budget.cost === undefined) return;
  for (const choice of [model].flat()) {
    const id = typeof choice === "string" ? choice : choice?.id;
    if (id !== undefined && priceOf(prices, id) === undefined)
      yield `budget.cost cannot be counted: prices has none for ${id}`;
  }
}

function* priceProblems({ prices }: AgentOptions<unknown>): Generator<string> {
  if (!isRecord(prices)) return;
  for (const [model, price] of Object.entries<unknown>(prices)) {
    const isPrice =
      has("inputPerMTok", Number.isFinite)(price) &&
      has("outputPerMTok", Number.isFinite)(price) &&
      Object.values(price as object).every((part) => part === undefined || Number.isFinite(part));
    if (!isPrice) yield `prices[${JSON.stringify(model)}] must have the numbers inputPerMTok and outputPerMTok`;
  }
}
