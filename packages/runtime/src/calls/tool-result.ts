import type { Json } from "../manifest/json-schema.js";
import type { ToolCallPart, ToolResultPart } from "../model/messages.js";

/** A string goes to the model bare, everything else as JSON text. */
export function toolResult(
  { id, name }: ToolCallPart,
  { status, result }: { readonly status: "success" | "error"; readonly result: Json },
): ToolResultPart {
  // A text that was cut within a character has half of a surrogate pair, which providers refuse.
  const text = (typeof result === "string" ? result : JSON.stringify(result)).toWellFormed();
  return {
    type: "tool_result",
    callId: id,
    name,
    content: [{ type: "text", text }],
    ...(status === "error" ? { isError: true } : {}),
  };
}
