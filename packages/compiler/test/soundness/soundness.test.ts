import fc from "fast-check";
import { expect, test } from "vitest";
import { mappers } from "../../src/schema/mappers.js";
import { type Comparison, compare } from "./compare.js";
import { plant, plantedBugs } from "./planted-bugs.js";
import { type TypeSource, typeSource } from "./type-source.js";
import { random } from "./values.js";

const PAIRS = Number(process.env.SOUNDNESS_PAIRS ?? 20_000);
const SEED = Number(process.env.SOUNDNESS_SEED ?? 20_261_129);
const PER_TYPE = 16;
const BATCH = 150;

interface Tally {
  pairs: number;
  accepted: number;
  deep: number;
  maxDepth: number;
  refused: number;
  readonly byMapper: Map<string, number>;
}

/** Notes which mappers a batch reaches, one type at a time, by watching the table itself. */
async function compareBatch(types: readonly TypeSource[], seed: number, tally: Tally): Promise<Comparison> {
  const reached: Set<string>[] = [];
  const originals = mappers.map((mapper) => mapper.toSchema);
  for (const mapper of mappers) {
    const { toSchema } = mapper;
    mapper.toSchema = (candidate, site, context) => {
      const index = Number(/^T(\d+)/.exec(site.owner)?.[1] ?? -1);
      reached[index] = (reached[index] ?? new Set()).add(mapper.name);
      return toSchema(candidate, site, context);
    };
  }
  try {
    const result = await compare(types, { perType: PER_TYPE, next: random(seed) });
    for (const [index, pairs] of result.pairsOf.entries()) {
      for (const name of reached[index] ?? []) tally.byMapper.set(name, (tally.byMapper.get(name) ?? 0) + pairs);
    }
    tally.pairs += result.pairs;
    tally.accepted += result.accepted;
    tally.deep += result.deep;
    tally.maxDepth = Math.max(tally.maxDepth, result.maxDepth);
    tally.refused += result.refusedTypes;
    return result;
  } finally {
    for (const [index, mapper] of mappers.entries()) mapper.toSchema = originals[index] ?? mapper.toSchema;
  }
}

function report({ disagreements }: Comparison): string {
  return disagreements
    .slice(0, 5)
    .map(
      ({ type, value, checker, schema, detail }) =>
        `type   ${type}\nvalue  ${value}\nchecker says ${checker}, schema says ${schema}\n${detail}`,
    )
    .join("\n\n");
}

test(`"assignable by the checker" and "accepted by the schema" agree on ${PAIRS} pairs`, {
  timeout: 3_000_000,
}, async () => {
  const tally: Tally = { pairs: 0, accepted: 0, deep: 0, maxDepth: 0, refused: 0, byMapper: new Map() };
  for (let batch = 0; tally.pairs < PAIRS; batch++) {
    const seed = SEED + batch;
    const types = fc.sample(typeSource, { numRuns: BATCH, seed });
    const result = await compareBatch(types, seed, tally);
    if (result.disagreements.length > 0) {
      throw new Error(`${result.disagreements.length} disagreements with SOUNDNESS_SEED=${seed}:\n\n${report(result)}`);
    }
  }
  const share = (count: number) => `${((100 * count) / tally.pairs).toFixed(1)} %`;
  const rows = [...tally.byMapper].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${share(count)}`);
  console.log(
    `soundness, seed ${SEED}: ${tally.pairs} pairs, accepted ${share(tally.accepted)}, nested 4 or deeper ${share(tally.deep)}, ` +
      `deepest ${tally.maxDepth}, refused types ${tally.refused}\nmappers reached: ${rows.join(", ")}`,
  );
  for (const { name } of mappers) {
    expect(tally.byMapper.get(name) ?? 0, `pairs that reach the mapper ${name}`).toBeGreaterThanOrEqual(
      tally.pairs / 100,
    );
  }
  expect(tally.accepted / tally.pairs).toBeGreaterThan(0.3);
  expect(tally.accepted / tally.pairs).toBeLessThan(0.7);
  expect(tally.deep).toBeGreaterThan(0);
});

test.each(plantedBugs)("the comparison finds a planted bug: $name", { timeout: 300_000 }, async (bug) => {
  const remove = plant(bug);
  try {
    for (let batch = 0; batch < 20; batch++) {
      const seed = SEED + 1_000 + batch;
      const types = fc.sample(typeSource, { numRuns: 60, seed });
      const { disagreements } = await compare(types, { perType: PER_TYPE, next: random(seed) });
      if (disagreements.length > 0) return;
    }
    throw new Error("20 batches of 60 types did not find it");
  } finally {
    remove();
  }
});
