import { refusalLine } from "../calls/messages.js";
import type { Checked } from "../calls/validate-value.js";
import type { JsonSchema } from "../manifest/json-schema.js";
import type { ManifestTool } from "../manifest/manifest.js";
import type { Schema } from "../schema.js";
import { parseJsonText } from "./parse-json-text.js";

/** The synthetic tool whose arguments are the answer, for models without structured output of their own. */
export const ANSWER_TOOL = "respond_with_structured_output";

/** An answer checked against its format. */
export type CheckedAnswer = Extract<Checked, { valid: true }> | { readonly valid: false; readonly problem: string };

/**
 * Reads the text of an answer: JSON, maybe in a code fence.
 *
 * @param restore From the wire's form to the neutral one.
 */
export async function readAnswer(
  format: Schema<unknown>,
  text: string,
  restore: (value: unknown) => unknown,
): Promise<CheckedAnswer> {
  const parsed = parseJsonText(text);
  if (parsed === undefined) return { valid: false, problem: "The answer is not JSON." };
  return checkAnswer(format, restore(parsed.value));
}

export async function checkAnswer(format: Schema<unknown>, value: unknown): Promise<CheckedAnswer> {
  const checked = await format.check(value);
  if (checked.valid) return checked;
  return {
    valid: false,
    problem: `The answer does not fit ${format.name}:\n${checked.refusals.map(refusalLine).join("\n")}`,
  };
}

/** Tool arguments are always an object; any other format is their one property. */
function needsWrapping(schema: JsonSchema): boolean {
  return schema.type !== "object";
}

export function answerTool(format: Schema<unknown>): ManifestTool {
  const { $defs, ...schema } = format.schema;
  const parameters: JsonSchema = needsWrapping(format.schema)
    ? {
        type: "object",
        properties: { value: schema },
        required: ["value"],
        additionalProperties: false,
        ...($defs === undefined ? {} : { $defs }),
      }
    : format.schema;
  const purpose = "Gives the final answer. Call it once, when everything else is done.";
  return {
    name: ANSWER_TOOL,
    module: "",
    export: ANSWER_TOOL,
    description: format.description === undefined ? purpose : `${purpose}\n\n${format.description}`,
    parameters,
    call: [{ from: "arguments" }],
  };
}

/** The answer in the arguments of the synthetic tool. */
export function unwrapAnswer(format: Schema<unknown>, args: Record<string, unknown>): unknown {
  return needsWrapping(format.schema) && Object.hasOwn(args, "value") ? args.value : args;
}
