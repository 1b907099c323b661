import fc from "fast-check";
import { expect, test } from "vitest";
import { addCosts, costOf, priceOf } from "../src/cost/cost-of.js";

const price = { inputPerMTok: 3, outputPerMTok: 15, cachedInputPerMTok: 0.3, cacheWritePerMTok: 3.75 };

test.each([
  [{ inputTokens: 1_000_000, outputTokens: 0 }, 3],
  [{ inputTokens: 0, outputTokens: 1_000_000 }, 15],
  [{ inputTokens: 1_000_000, cachedInputTokens: 1_000_000, outputTokens: 0 }, 0.3],
  [{ inputTokens: 1_000_000, cachedInputTokens: 400_000, cacheWriteTokens: 100_000, outputTokens: 200_000 }, 4.995],
  [{ inputTokens: 10, cachedInputTokens: 1_000_000, outputTokens: 0 }, 0.3],
] as const)("costOf(%j) counts each kind of token once", (usage, cost) => {
  expect(costOf(usage, price)).toBeCloseTo(cost, 10);
});

test("costOf() takes what has no price of its own as other input", () => {
  const usage = { inputTokens: 900, cachedInputTokens: 300, cacheWriteTokens: 300, outputTokens: 0 };
  expect(costOf(usage, { inputPerMTok: 2, outputPerMTok: 1 })).toBeCloseTo(0.0018, 10);
});

test("a cost that is not known is undefined, never 0", () => {
  expect(costOf({ inputTokens: 1, outputTokens: 1 }, undefined)).toBeUndefined();
  expect(costOf({ inputTokens: 1 }, price)).toBeUndefined();
  expect(costOf({}, price)).toBeUndefined();
  expect(addCosts(1, undefined)).toBeUndefined();
  expect(addCosts(1, 2)).toBe(3);
  expect(priceOf({ "a/b": price }, "a/b")).toBe(price);
  expect(priceOf({ "a/b": price }, "constructor")).toBeUndefined();
  expect(priceOf(undefined, "a/b")).toBeUndefined();
});

test("costs of calls add up to the cost of the sum", () => {
  const count = fc.integer({ min: 0, max: 1_000_000 });
  const usage = fc.tuple(count, count, count, count).map(([plain, cached, written, output]) => ({
    inputTokens: plain + cached + written,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output,
  }));
  fc.assert(
    fc.property(usage, usage, (a, b) => {
      const keys = Object.keys(a) as (keyof typeof a)[];
      const sum = Object.fromEntries(keys.map((key) => [key, a[key] + b[key]]));
      expect(addCosts(costOf(a, price), costOf(b, price))).toBeCloseTo(costOf(sum, price) as number, 8);
    }),
  );
});
