import { AgentError } from "../../errors/agent-error.js";
import { isRecord } from "../../manifest/is-record.js";
import { parseJsonFile } from "./parse-json-file.js";

const known = new Map<string, { readonly stamp: string; readonly content: unknown }>();

/**
 * The JSON of a cassette. Lowering has to know the recorded model before anything is awaited, so it is read at once;
 * what did not change is not read again.
 *
 * @throws {AgentError} code `cassette-unreadable`.
 */
export function readCassetteJson(path: string): unknown {
  try {
    const { mtimeMs, size } = process.getBuiltinModule("node:fs").statSync(path);
    const stamp = `${mtimeMs} ${size}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.content;
    const content: unknown = parseJsonFile(process.getBuiltinModule("node:fs").readFileSync(path, "utf8"));
    known.set(path, { stamp, content });
    return content;
  } catch (cause) {
    const missing = (cause as { code?: unknown }).code === "ENOENT";
    const problem = missing ? "there is no such file" : (cause as Error).message;
    throw new AgentError(
      `the cassette ${path} cannot be read: ${problem}; record it with the model test/record/${path}:provider/model`,
      { code: "cassette-unreadable", cause },
    );
  }
}

/** The `provider/model` that a cassette was recorded from. @throws {AgentError} `cassette-unreadable`, `cassette-shape`. */
export function recordedModel(path: string): string {
  const content = readCassetteJson(path);
  if (isRecord(content) && typeof content.model === "string" && /^[^/]+\/./.test(content.model)) return content.model;
  throw new AgentError(`the cassette ${path} does not say which model it was recorded from; record it anew`, {
    code: "cassette-shape",
  });
}
