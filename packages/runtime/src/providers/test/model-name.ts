import { AgentError } from "../../errors/agent-error.js";

/** What the part after `test/` asks for. */
export type TestModelName =
  | { readonly kind: "auto" }
  | { readonly kind: "script" | "replay"; readonly path: string }
  | { readonly kind: "record"; readonly path: string; readonly model: string };

const FORMS = [
  "test/auto",
  "test/script/REPLIES.json",
  "test/record/CASSETTE.json:provider/model",
  "test/replay/CASSETTE.json",
];

/** @throws {AgentError} code `model-unknown`. */
export function readTestModel(name: string): TestModelName {
  if (name === "auto") return { kind: "auto" };
  const [, kind, rest] = /^(script|replay|record)\/(.+)$/s.exec(name) ?? [];
  if ((kind === "script" || kind === "replay") && rest !== undefined) return { kind, path: rest };
  // Names of models hold colons, and so may paths: the path ends with .json.
  const [, path, model] = (kind === "record" && /^(.+?\.json):([^/]+\/.+)$/s.exec(rest ?? "")) || [];
  if (path !== undefined && model !== undefined) return { kind: "record", path, model };
  throw new AgentError(
    `there is no test model ${JSON.stringify(name)}; write ${FORMS.slice(0, -1).join(", ")} or ${FORMS.at(-1)}`,
    { code: "model-unknown" },
  );
}
