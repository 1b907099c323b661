import { badRequest, fingerprint, firstRefusal, isReceived, objectsOf, type Received } from "../reading.js";
import { geminiSchemaProblems } from "../rules/plain-schema.js";
import type { Memory, ReceivedRequest, Refusal } from "../scripted-reply.js";

const TOP_LEVEL = new Set([
  ...["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "cachedContent"],
  ...["labels", "serviceTier", "store"],
]);
const SKIPS_CHECK = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);

/** What Gemini's generateContent refuses. Each rule is one of wire.md, sections 4 and 9. */
export function checkGeminiRequest(request: ReceivedRequest, memory: Memory): Refusal | undefined {
  const { body, headers, path } = request;
  const model = modelOf(path);
  return firstRefusal([
    () => checkAccess(headers, model),
    () => checkFields(body),
    () => checkTools(body, model),
    () => checkGeneration(body, model),
    () => checkContents(body, model),
    () => checkSignatures(body, model, memory),
  ]);
}

export function modelOf(path: string): string {
  return /\/models\/([^:]+):/.exec(path)?.[1] ?? "";
}

/** `gemini-3.1-pro-preview` → 3.1. */
export function geminiVersion(model: string): number {
  return Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 4);
}

/** What a signature vouches for. */
export function sealOf(part: Received): string {
  const { thoughtSignature: _, ...rest } = part;
  const call = isReceived(rest.functionCall) ? [rest.functionCall.name, rest.functionCall.args ?? {}] : undefined;
  return fingerprint(call ?? rest);
}

function checkAccess(headers: ReceivedRequest["headers"], model: string): Refusal | undefined {
  const key = headers["x-goog-api-key"];
  if (key === undefined) {
    return { status: 403, code: "PERMISSION_DENIED", message: "Method doesn't allow unregistered callers." };
  }
  if (key === "wrong") {
    return {
      status: 400,
      code: "INVALID_ARGUMENT",
      message: "API key not valid. Please pass a valid API key.",
      param: "API_KEY_INVALID",
    };
  }
  return model.startsWith("missing")
    ? { status: 404, code: "NOT_FOUND", message: `models/${model} is not found for API version v1.` }
    : undefined;
}

function checkFields(body: Received): Refusal | undefined {
  const unknown = Object.keys(body).find((name) => !TOP_LEVEL.has(name));
  return unknown === undefined
    ? undefined
    : badRequest(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`);
}

function declarationsOf(body: Received): readonly Received[] {
  return objectsOf(body.tools).flatMap((tool) => objectsOf(tool.functionDeclarations));
}

function checkTools(body: Received, model: string): Refusal | undefined {
  const names: string[] = [];
  for (const declared of declarationsOf(body)) {
    const name = String(declared.name);
    if (!/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)) {
      return badRequest(`Invalid function name ${JSON.stringify(name)}. Must start with a letter or an underscore.`);
    }
    if (names.includes(name)) return badRequest(`Duplicate function declaration found: ${name}`);
    names.push(name);
    const json = declared.parametersJsonSchema;
    if (json !== undefined && declared.parameters !== undefined) {
      return badRequest("Only one of parameters and parameters_json_schema may be set.");
    }
    const problems = json === undefined ? [] : geminiSchemaProblems(json);
    if (isReceived(json) && json.type !== "object") problems.push("parameters must be of type object");
    if (problems.length > 0) return badRequest(`functionDeclarations[${name}].parameters_json_schema: ${problems[0]}`);
  }
  const config = isReceived(body.toolConfig) ? body.toolConfig.functionCallingConfig : undefined;
  if (!isReceived(config)) return undefined;
  const allowed = Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames.map(String) : [];
  const stray = allowed.find((name) => !names.includes(name));
  if (stray !== undefined) return badRequest(`allowed_function_names contains ${stray}, which is not declared.`);
  if (!["AUTO", "ANY", "NONE", "VALIDATED"].includes(String(config.mode))) {
    return badRequest(`Invalid value at 'tool_config.function_calling_config.mode': ${String(config.mode)}`);
  }
  if (allowed.length > 0 && config.mode !== "ANY" && config.mode !== "VALIDATED") {
    return badRequest("allowed_function_names should only be set when mode is ANY.");
  }
  if (config.mode === "ANY" && names.length === 0)
    return badRequest("Function calling mode ANY needs function declarations.");
  return config.mode === "VALIDATED" && geminiVersion(model) < 2.5
    ? badRequest("Function calling mode VALIDATED is not supported by this model.")
    : undefined;
}

function checkGeneration(body: Received, model: string): Refusal | undefined {
  const config = isReceived(body.generationConfig) ? body.generationConfig : {};
  const version = geminiVersion(model);
  const schema = config.responseJsonSchema;
  if (schema !== undefined) {
    if (config.responseSchema !== undefined)
      return badRequest("Only one of response_schema and response_json_schema may be set.");
    if (config.responseMimeType !== "application/json") {
      return badRequest("response_json_schema needs response_mime_type: 'application/json'.");
    }
    const problems = geminiSchemaProblems(schema);
    if (problems.length > 0) return badRequest(`response_json_schema: ${problems[0]}`);
  }
  if (config.responseMimeType === "application/json" && declarationsOf(body).length > 0 && version < 3) {
    return badRequest("Function calling with a response mime type: 'application/json' is unsupported");
  }
  const thinking = config.thinkingConfig;
  if (!isReceived(thinking)) return undefined;
  if (thinking.thinkingLevel !== undefined && thinking.thinkingBudget !== undefined) {
    return badRequest("You can only set only one of thinking budget and thinking level.");
  }
  if (thinking.thinkingLevel !== undefined && version < 3)
    return badRequest("Thinking level is not supported for this model.");
  if (version < 2.5) return badRequest("Thinking is not supported by this model.");
  if (thinking.thinkingLevel === "MINIMAL" && /4-argon|3\.7-flash|pro/.test(model)) {
    return badRequest("Thinking level MINIMAL is not supported for this model.");
  }
  return thinking.thinkingBudget === 0 && model.includes("2.5-pro")
    ? badRequest("Budget 0 is invalid. This model only works in thinking mode.")
    : undefined;
}

function checkContents(body: Received, model: string): Refusal | undefined {
  const contents = objectsOf(body.contents);
  if (contents.length === 0) return badRequest("* GenerateContentRequest.contents: contents is not specified");
  for (const [index, content] of contents.entries()) {
    const parts = objectsOf(content.parts);
    if (!["user", "model"].includes(String(content.role))) return badRequest("Please use a valid role: user, model.");
    if (parts.length === 0)
      return badRequest(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`);
    const calls = parts.filter((part) => part.functionCall !== undefined);
    const results = parts.filter((part) => part.functionResponse !== undefined);
    const before = contents[index - 1];
    if (calls.length > 0 && before?.role !== "user") {
      return badRequest(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
    for (const part of results) {
      const result = part.functionResponse as Received;
      if (!isReceived(result.response)) {
        return badRequest(
          `Invalid value at 'contents[${index}].parts.function_response.response': expected an object.`,
        );
      }
      if (result.parts !== undefined && geminiVersion(model) < 3) {
        return badRequest("Multimodal function responses are not supported by this model.");
      }
    }
    const asked =
      before === undefined ? 0 : objectsOf(before.parts).filter((part) => part.functionCall !== undefined).length;
    if (results.length !== asked && (results.length > 0 || (asked > 0 && content.role === "user"))) {
      return badRequest(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    }
  }
  const last = contents.at(-1)!;
  return last.role === "user" ? undefined : badRequest("Please ensure that the last turn is a user turn.");
}

function checkSignatures(body: Received, model: string, memory: Memory): Refusal | undefined {
  const contents = objectsOf(body.contents);
  const isQuestion = (content: Received) =>
    content.role === "user" && objectsOf(content.parts).some((part) => part.functionResponse === undefined);
  const turn = contents.findLastIndex(isQuestion);
  for (const [index, content] of contents.entries()) {
    for (const part of objectsOf(content.parts)) {
      const signature = part.thoughtSignature;
      if (typeof signature !== "string" || SKIPS_CHECK.has(signature)) continue;
      if (memory.seals.get(signature) !== sealOf(part)) {
        return badRequest(`Thought signature in contents[${index}] is not valid for its part.`);
      }
    }
    if (index <= turn || content.role !== "model" || geminiVersion(model) < 3) continue;
    const first = objectsOf(content.parts).find((part) => part.functionCall !== undefined);
    if (first !== undefined && typeof first.thoughtSignature !== "string") {
      const name = isReceived(first.functionCall) ? String(first.functionCall.name) : "";
      return badRequest(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Function call: default_api:${name}, position ${index + 1}.`,
      );
    }
  }
  return undefined;
}
