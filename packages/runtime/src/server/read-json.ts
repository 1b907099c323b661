import type { Json } from "../manifest/json-schema.js";
import { RequestError, type ServerRequest } from "./answer.js";

const DEEPEST = 200;

/**
 * The JSON of a body; `undefined` for an empty one.
 *
 * @throws {RequestError} 400 `body-not-json`, `body-too-deep`; 413 `body-too-large`; 415 `body-not-json` for another
 *   content type, which a page of another site could send without being asked, and `body-encoded` for a compressed one.
 */
export async function readJson(request: ServerRequest): Promise<Json | undefined> {
  const text = await request.body();
  if (text.trim() === "") return undefined;
  const type = request.header("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    throw new RequestError(415, "body-not-json", "send the body as content-type: application/json");
  }
  const encoding = request.header("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new RequestError(415, "body-encoded", `send the body as it is, without content-encoding: ${encoding}`, {
      headers: { "accept-encoding": "identity" },
    });
  }
  if (isTooDeep(text)) throw new RequestError(400, "body-too-deep", `the body nests deeper than ${DEEPEST} levels`);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new RequestError(400, "body-not-json", `the body is no JSON: ${(error as Error).message}`);
  }
}

/** Looked at before anything that recurses with the value. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 92) index += 1;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (code === 93 || code === 125) depth -= 1;
  }
  return false;
}
