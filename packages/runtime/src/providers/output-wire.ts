import type { Json } from "../manifest/json-schema.js";
import type { LoweredOutput, TargetName } from "../model/lowered.js";

/**
 * A structured-output format as it stands in the request: `text.format` of OpenAI Responses, `response_format` of Chat
 * Completions, `output_config.format` of Anthropic, Gemini's two fields of `config`, `format` of Ollama.
 *
 * @param target What was asked for; the format itself tells whether it had to fall back to the plain form.
 */
export function outputWire(
  { name, description, schema, strict }: LoweredOutput,
  target: TargetName,
): { readonly [key: string]: Json } {
  const said = description === undefined ? {} : { description };
  switch (target) {
    case "openai-strict":
    case "openai":
      return { type: "json_schema", name, schema, strict, ...said };
    case "openai-chat":
      return { type: "json_schema", json_schema: { name, ...said, schema, ...(strict ? { strict } : {}) } };
    case "anthropic-strict":
    case "anthropic":
      return { type: "json_schema", schema };
    case "gemini":
      return { responseMimeType: "application/json", responseJsonSchema: schema };
    case "ollama":
      return schema;
  }
}
