import { showValue } from "../../errors/show-value.js";
import { isRecord } from "../../manifest/is-record.js";
import { appendPointer } from "../../manifest/json-pointer.js";
import type { StopReason } from "../../model/model-events.js";
import type { ProviderErrorCode } from "../../model/provider-error.js";
import type { Usage } from "../../model/usage.js";

/** Says what is wrong with a value of a file, one line a place; the pointer says where the value stands. */
export type Check = (value: unknown, pointer: string) => readonly string[];

/** A value that a predicate accepts. */
export const must =
  (what: string, accepts: (value: unknown) => boolean): Check =>
  (value, pointer) =>
    accepts(value) ? [] : [`${pointer}: must be ${what}, not ${showValue(value)}`];

export const anything: Check = () => [];
export const text = must("text", (value) => typeof value === "string");
export const filled = must("text that is not empty", (value) => typeof value === "string" && value !== "");
export const yesOrNo = must("true or false", (value) => typeof value === "boolean");
export const amount = must("a number from 0 on", (value) => typeof value === "number" && value >= 0);
export const oneOf = (names: readonly string[]): Check =>
  must(`one of ${names.join(", ")}`, (value) => names.includes(value as string));

export const listOf =
  (check: Check, what: string): Check =>
  (value, pointer) =>
    Array.isArray(value)
      ? value.flatMap((element, index) => check(element, appendPointer(pointer, index)))
      : [`${pointer}: must be a list of ${what}, not ${showValue(value)}`];

/**
 * An object.
 *
 * @param checks Of its members, each where it is there.
 * @param options.open Whether members of other names are let be.
 */
export function members(
  checks: Readonly<Record<string, Check>>,
  { required = [], open = false }: { readonly required?: readonly string[]; readonly open?: boolean } = {},
): Check {
  return (value, pointer) => {
    if (!isRecord(value)) return [`${pointer}: must be an object, not ${showValue(value)}`];
    const missing = required.filter((name) => !Object.hasOwn(value, name));
    return [
      ...missing.map((name) => `${pointer}: needs ${JSON.stringify(name)}`),
      ...Object.entries(value).flatMap(([name, member]) => {
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
        if (check === undefined && open) return [];
        return (
          check?.(member, appendPointer(pointer, name)) ?? [
            `${appendPointer(pointer, name)}: is none of ${Object.keys(checks).join(", ")}`,
          ]
        );
      }),
    ];
  };
}

const STOPS: Record<StopReason, true> = {
  end: true,
  tool: true,
  length: true,
  refusal: true,
  pause: true,
  malformed: true,
  error: true,
};

const CODES: Record<ProviderErrorCode, true> = {
  "bad-request": true,
  "context-too-long": true,
  "tool-call-refused": true,
  authentication: true,
  permission: true,
  "not-found": true,
  "too-large": true,
  billing: true,
  "rate-limit": true,
  quota: true,
  overloaded: true,
  server: true,
  connection: true,
  timeout: true,
  aborted: true,
  cut: true,
  "malformed-reply": true,
  "content-filter": true,
  "sdk-missing": true,
};

export const stopReason = oneOf(Object.keys(STOPS));
export const failureCode = oneOf(Object.keys(CODES));

export const USAGE = {
  inputTokens: amount,
  outputTokens: amount,
  cachedInputTokens: amount,
  cacheWriteTokens: amount,
  reasoningTokens: amount,
} satisfies Record<keyof Usage, Check>;
