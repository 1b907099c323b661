import type { ChatCompat, ReasoningEffort } from "../../model/provider.js";

/** What an OpenAI model takes; a name that is not OpenAI's own is taken as it is. */
export interface OpenaiModel {
  /** undefined: not one of OpenAI's own names. */
  readonly reasons: boolean | undefined;
  readonly efforts: readonly ReasoningEffort[];
  /** Chat Completions refuses tools beside any effort but `none`. */
  readonly chatToolsNeedNone: boolean;
}

const ALL: readonly ReasoningEffort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const NOT_REASONING: OpenaiModel = { reasons: false, efforts: [], chatToolsNeedNone: false };

export function openaiModel(name: string): OpenaiModel {
  const model = name.slice(name.lastIndexOf("/") + 1);
  if (/^(?:gpt-3|gpt-4|chatgpt)/.test(model) || /^gpt-5[\d.]*-chat/.test(model)) return NOT_REASONING;
  if (/^o[134](?:-|$)/.test(model)) {
    return { reasons: true, efforts: ["low", "medium", "high"], chatToolsNeedNone: false };
  }
  const found = /^gpt-(\d+(?:\.\d+)?)/.exec(model);
  const version = Number(found?.[1] ?? 0);
  if (version < 5) return { reasons: undefined, efforts: ALL, chatToolsNeedNone: false };
  const isAlwaysReasoning = model.includes("astra") || model.startsWith("gpt-6.1-sol");
  const most: readonly ReasoningEffort[] =
    version < 5.1
      ? ["minimal", "low", "medium", "high"]
      : version < 5.2
        ? ["none", "low", "medium", "high"]
        : version < 6
          ? ["none", "low", "medium", "high", "xhigh"]
          : ["none", "low", "medium", "high", "xhigh", "max"];
  return {
    reasons: true,
    efforts: isAlwaysReasoning ? most.filter((level) => level !== "none") : most,
    chatToolsNeedNone: version >= 5.4,
  };
}

/** The level itself, else the next one below, else the lowest there is. */
export function nearestEffort(asked: ReasoningEffort, { efforts }: OpenaiModel): ReasoningEffort | undefined {
  const wanted = ALL.indexOf(asked);
  return efforts.findLast((level) => ALL.indexOf(level) <= wanted) ?? efforts[0];
}

const OPENAI: ChatCompat = {
  maxTokens: "max_completion_tokens",
  streamUsage: true,
  parallelSwitch: true,
  effort: true,
  json: "strict",
};
const OTHER: ChatCompat = {
  maxTokens: "max_tokens",
  streamUsage: true,
  parallelSwitch: false,
  effort: true,
  json: "schema",
};

/** Servers by a part of their address. What is not known takes the common core. */
const SERVERS: readonly (readonly [host: string, compat: Partial<ChatCompat>])[] = [
  ["api.openai.com", OPENAI],
  [".openai.azure.com", OPENAI],
  ["api.deepseek.com", { json: "object", effort: false }],
  ["api.groq.com", { maxTokens: "max_completion_tokens", parallelSwitch: true }],
  ["openrouter.ai", { parallelSwitch: true, json: "strict" }],
  ["api.x.ai", { parallelSwitch: true, json: "strict" }],
  ["api.mistral.ai", { streamUsage: false, parallelSwitch: true, effort: false, json: "strict" }],
  ["api.z.ai", { json: "object", effort: false }],
  ["api.cerebras.ai", { maxTokens: "max_completion_tokens", json: "strict" }],
  ["generativelanguage.googleapis.com", { json: "schema" }],
];

/** What the server at an address takes; no address is OpenAI's own. */
export function chatCompat(baseUrl: string | undefined, own: Partial<ChatCompat> = {}): ChatCompat {
  if (baseUrl === undefined) return { ...OPENAI, ...own };
  const known = SERVERS.find(([host]) => baseUrl.includes(host));
  return { ...OTHER, ...known?.[1], ...own };
}
