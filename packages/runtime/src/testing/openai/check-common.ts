import { badRequest, isReceived, type Received } from "../reading.js";
import { plainSchemaProblems } from "../rules/plain-schema.js";
import { openaiStrictProblems } from "../rules/strict-schema.js";
import type { Refusal } from "../scripted-reply.js";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Rules that Chat Completions and Responses share. */
export function checkCommon(body: Received, headers: Readonly<Record<string, string>>): Refusal | undefined {
  const key = headers.authorization?.replace(/^Bearer /, "");
  if (key === undefined || key === "" || key === "wrong") {
    return { status: 401, code: "invalid_api_key", message: "Incorrect API key provided." };
  }
  if (typeof body.model !== "string") return badRequest("you must provide a model parameter");
  if (body.model.startsWith("missing")) {
    return {
      status: 404,
      code: "model_not_found",
      message: `The model '${body.model}' does not exist or you do not have access to it.`,
    };
  }
  const effort = effortOf(body);
  if (effort !== undefined) {
    if (!EFFORTS.includes(String(effort))) {
      return badRequest(`Invalid value: '${String(effort)}'. Supported values are: ${EFFORTS.join(", ")}.`, {
        param: "reasoning_effort",
        code: "invalid_value",
      });
    }
    if (/^(?:gpt-3|gpt-4|chatgpt)/.test(body.model)) {
      return badRequest(`Unsupported parameter: 'reasoning_effort' is not supported with this model.`, {
        param: "reasoning_effort",
        code: "unsupported_parameter",
      });
    }
    if (effort === "none" && isAlwaysReasoning(body.model)) {
      return badRequest(`Unsupported value: 'none' is not supported with the '${body.model}' model.`, {
        param: "reasoning_effort",
        code: "unsupported_value",
      });
    }
  }
  for (const name of ["temperature", "top_p"]) {
    if (body[name] !== undefined && isReasoningModel(body.model) && effort !== "none") {
      return badRequest(`Unsupported parameter: '${name}' is not supported with this model.`, {
        param: name,
        code: "unsupported_parameter",
      });
    }
  }
  return undefined;
}

/** `gpt-5.4-mini` → 5.4; 0 for what is not numbered so. */
export function openaiVersion(model: string): number {
  const found = /^gpt-(\d+(?:\.\d+)?)/.exec(model);
  return found === null || model.startsWith("gpt-4o") ? 0 : Number(found[1]);
}

export function isReasoningModel(model: string): boolean {
  return /^o\d/.test(model) || (openaiVersion(model) >= 5 && !model.includes("chat"));
}

/** A function declaration of either API. */
export function checkFunction(
  declared: Received,
  options: { at: string; strict: boolean; descriptionLimit?: number },
): Refusal | undefined {
  const { at, strict, descriptionLimit } = options;
  if (typeof declared.name !== "string" || !NAME.test(declared.name)) {
    return badRequest(
      `Invalid '${at}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param: `${at}.name`, code: "invalid_value" },
    );
  }
  const description = declared.description;
  if (descriptionLimit !== undefined && typeof description === "string" && description.length > descriptionLimit) {
    return badRequest(
      `Invalid '${at}.description': string too long. Expected a string with maximum length ${descriptionLimit}, but got a string with length ${description.length} instead.`,
      { param: `${at}.description`, code: "string_above_max_length" },
    );
  }
  if (declared.parameters === undefined || declared.parameters === null) return undefined;
  const problems = [
    ...plainSchemaProblems(declared.parameters),
    ...(strict ? openaiStrictProblems(declared.parameters) : []),
  ];
  return problems.length === 0
    ? undefined
    : badRequest(`Invalid schema for function '${declared.name}': ${problems[0]}`, {
        param: `${at}.parameters`,
        code: "invalid_function_parameters",
      });
}

/** A JSON-schema format of either API. */
export function checkFormat(
  format: Received,
  at: string,
  problemsOf: (schema: unknown) => string[],
): Refusal | undefined {
  if (typeof format.name !== "string" || !NAME.test(format.name)) {
    return badRequest(`Invalid '${at}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`, {
      param: `${at}.name`,
    });
  }
  const problems = format.strict === true ? problemsOf(format.schema) : plainSchemaProblems(format.schema);
  return problems.length === 0
    ? undefined
    : badRequest(`Invalid schema for response_format '${format.name}': ${problems[0]}`, { param: at });
}

function effortOf(body: Received): unknown {
  return body.reasoning_effort ?? (isReceived(body.reasoning) ? body.reasoning.effort : undefined);
}

function isAlwaysReasoning(model: string): boolean {
  return model.includes("astra") || model.startsWith("gpt-6.1-sol");
}
