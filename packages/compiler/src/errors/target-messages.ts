// What targets would refuse or lose: one function a code, like messages.ts; shown by check-targets.test.ts and the fixtures `targets-…`.
import { error, warning } from "./messages.js";

export const targetUnknown = (target: string, known: readonly string[]) =>
  error("target-unknown", `there is no target ${JSON.stringify(target)}`, `the targets are ${known.join(", ")}`);

/** @param losses As in `minLength 3 (openai-strict, gemini)`. */
export const targetKeyword = (losses: readonly string[]) =>
  warning(
    "target-keyword",
    `not enforced while the model writes: ${losses.join("; ")}`,
    "the model reads it in the description, and the runtime checks it after each call; simplify the type if that is not enough",
  );

export const targetNotStrict = (target: string, { fallback, reasons }: { fallback: string; reasons: string }) =>
  warning(
    "target-not-strict",
    `${target} is not possible: ${reasons}; it is sent as ${fallback}, and checked only after the model has written it`,
    "change the type, or choose the target without strict",
  );

export const targetPropertyName = (name: string, targets: string) =>
  error(
    "target-property-name",
    `the property name ${JSON.stringify(name)} makes the provider refuse the whole request (${targets}): 1 to 64 letters, digits, _, . or - are taken`,
    "rename it, or take an object that holds it: the rule is for the outermost properties only",
  );

export const targetSchemaName = (name: string, { sent, targets }: { sent: string; targets: string }) =>
  warning(
    "target-schema-name",
    `the name is sent as ${JSON.stringify(sent)} (${targets}), since ${JSON.stringify(name)} is not taken`,
    "rename the type: letters, digits, _ or -, 64 in all",
  );

export const targetRoot = (targets: string) =>
  warning(
    "target-root",
    `this is no object, so it is sent as the property \`value\` of one (${targets})`,
    "nothing, where callsign's runtime reads the answer: it unwraps it; others need an object type",
  );

export const targetToolSize = (sizes: string, limit: number) =>
  warning(
    "target-tool-size",
    `every request with this tool carries ${sizes}; the limit is ${limit} bytes`,
    "take fewer or simpler parameters, shorten descriptions, or raise maxToolBytes",
  );

export const targetToolCount = (count: number, { limit, targets }: { limit: number; targets: string }) =>
  warning(
    "target-tool-count",
    `there are ${count} tools, and a request takes at most ${limit} (${targets})`,
    "give each agent only the tools that it needs",
  );

export const targetRequestLimit = (target: string, { tools, reason }: { tools: readonly string[]; reason: string }) =>
  warning(
    "target-request-limit",
    `in one request with all tools ${target} is not possible for ${tools.join(", ")}: ${reason}`,
    "give each agent only the tools that it needs; those beyond the limit are sent without strict",
  );
