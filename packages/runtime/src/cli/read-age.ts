import { UsageError } from "./usage-error.js";

const UNITS: { readonly [unit: string]: number } = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds of `30d`, `12h`, `90m`. @throws {UsageError}. */
export function readAge(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const ms = UNITS[unit];
  if (ms === undefined) {
    throw new UsageError(`${JSON.stringify(text)} is no age`, "write a number and one of s, m, h, d, w: 30d, 12h, 0s");
  }
  return Number(count) * ms;
}
