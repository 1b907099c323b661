import type { ScriptedFailure } from "../scripted-reply.js";

/** The body of an error of either OpenAI API. */
export function openaiFailure({ status, message, code }: ScriptedFailure) {
  const types: Record<number, [type: string, code: string | null]> = {
    401: ["invalid_request_error", "invalid_api_key"],
    404: ["invalid_request_error", "model_not_found"],
    429: ["requests", "rate_limit_exceeded"],
  };
  const [type, usual] = types[status] ?? [status >= 500 ? "server_error" : "invalid_request_error", null];
  return { error: { message: message ?? `status ${status}`, type, param: null, code: code ?? usual } };
}
